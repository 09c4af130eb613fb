"""The door: read one log (or the files of one) into a `Trace`.

Broken lines. A log is refused at its first broken line, with file, line and field; only if the person says
so (`ReadOptions.skip_broken`) are such lines left out, each counted and the first ones listed. Whatever comes
out is complete or nothing: an error leaves no half-read trace behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import TraceError
from core.texts import escaped, showable
from core.traces import problems
from core.traces.building.build import Builder
from core.traces.building.reader import Format, Reader
from core.traces.dates import Dates, MonthSecondError
from core.traces.door.detect import Detection, detect
from core.traces.door.formats import format_named
from core.traces.door.heads import head_by, ways_of
from core.traces.model import Trace
from core.traces.numbers import Numbers, WrittenOtherwiseError
from core.traces.options import ReadOptions
from core.traces.packing.archives import Member, parts_of
from core.traces.packing.sources import Meter, Progress, TraceFile
from core.traces.packing.ways import Way, rows_by
from core.traces.rows import Row

_MOST_NAMED = 5
_READINGS = 4
_ENCODINGS = {"cp1252": "Windows-1252", "gb18030": "GBK"}
Plan = list[tuple[TraceFile, Detection]]
"""The files of a log, each with how it is read."""


def read_trace(
    files: TraceFile | Path | Sequence[TraceFile | Path],
    *,
    format_name: str | None = None,
    options: ReadOptions | None = None,
    progress: Progress | None = None,
) -> Trace:
    """Read a log. Several files are read one after the other as one log, each in its own format (sessions of
    Claude Code, two scrapes of an engine's counters, requests and the counters beside them); an archive is
    as many files as it holds.

    `format_name` overrules what is detected, for all files. `progress(done, total)` is called in bytes
    about once a MiB; it cancels the reading by raising. O(bytes); memory grows with what the requests hold,
    not with the file.

    Raises:
        TraceError: unknown format, a broken line, nothing in it.
    """
    try:
        return _read_all(files, format_name, options or ReadOptions(), progress)
    except TraceError as error:
        raise error.alone() from None


def _read_all(
    files: TraceFile | Path | Sequence[TraceFile | Path],
    format_name: str | None,
    wanted: ReadOptions,
    progress: Progress | None,
) -> Trace:
    given = [files] if isinstance(files, TraceFile | Path) else list(files)
    found = [file if isinstance(file, TraceFile) else TraceFile(showable(file.name), file) for file in given]
    if not found:
        raise problems.empty("the upload", "there is no file")
    name = found[0].name if len(found) == 1 else f"{found[0].name} + {len(found) - 1}"
    plan, left_out, empty = _planned(found, format_name, wanted)
    dates, numbers = Dates(ignored=wanted.ignore_times), Numbers()
    for _ in range(_READINGS):
        try:
            return _read(name, plan, (left_out, empty), wanted, progress, dates, numbers)
        except MonthSecondError:
            dates = Dates(month_first=False)
        except WrittenOtherwiseError:
            dates, numbers = dates.again(), Numbers(numbers.found_decimals)
    raise AssertionError("each kind of value is read anew once")  # pragma: no cover


def _read(
    name: str,
    plan: Plan,
    passed: tuple[Sequence[str], Sequence[str]],
    options: ReadOptions,
    progress: Progress | None,
    dates: Dates,
    numbers: Numbers,
) -> Trace:
    """One reading. `passed`: names of the files that hold no requests, and of the empty ones.

    Raises:
        TraceError: as above.
        MonthSecondError: dates before some line must be read anew, day first.
        WrittenOtherwiseError: numbers of some column must be read anew, with decimals.
    """
    builder = Builder(name, options)
    readers: dict[str, Reader] = {}
    for file, found in plan:
        if found.format.name not in readers:
            as_cells = found.format.packing == "csv"
            head = head_by(found.way, file, as_cells=as_cells, claims=found.claims)
            rows = [row for row in head if isinstance(row, Row)]
            readers[found.format.name] = found.format.make(builder, rows)
    _note_packing(builder, plan, *passed)
    meter = Meter(sum(file.size() for file, _ in plan), progress)
    for file, found in plan:
        _read_file(builder, readers[found.format.name], file, found, meter, dates, numbers)
    for reader in readers.values():
        reader.finish()
    meter.flush()
    _note_dates(builder, dates)
    _note_numbers(builder, numbers)
    if len(readers) > 1:
        builder.note("formats", len(readers), formats=", ".join(readers))
    return builder.finish(_main([found.format for _, found in plan]).name)


def _read_file(
    builder: Builder,
    reader: Reader,
    file: TraceFile,
    found: Detection,
    meter: Meter,
    dates: Dates,
    numbers: Numbers,
) -> None:
    as_cells = found.format.packing == "csv"
    for row in rows_by(found.way, file, meter, builder.note, found.claims, as_cells):
        if isinstance(row, TraceError):
            builder.skip(row)
            continue
        row.place.dates, row.place.numbers = dates, numbers
        builder.begin(row)
        try:
            reader.add(row)
        except TraceError as error:
            builder.undo()
            builder.skip(error)
        except RecursionError:
            builder.undo()
            builder.skip(problems.not_json(row.place, "nested too deeply"))


def _planned(
    found: Sequence[TraceFile], format_name: str | None, options: ReadOptions
) -> tuple[Plan, list[str], list[str]]:
    """How each file is to be read, the names of an archive's files that hold no requests, and those of files
    that are empty.

    A file of rows that no reader claims is read like the first: what is wrong with it is then told by line.

    Raises:
        TraceError: an archive cannot be opened; no file is of a known format (the first one's error).
    """
    plan: Plan = []
    left_out: list[str] = []
    empty: list[str] = []
    late: list[TraceFile] = []
    error: TraceError | None = None
    for file in [part for one in found for part in parts_of(one)]:
        try:
            plan.append((file, _how(file, format_name, options)))
        except TraceError as why:
            error = error or why.alone()
            if why.code == "trace.empty":
                empty.append(file.inside if isinstance(file, Member) else file.name)
            elif isinstance(file, Member):
                left_out.append(file.inside)
            elif plan:
                late.append(file)
            else:
                raise
    if not plan:
        raise error or problems.empty(found[0].name, "there is no file")
    entry = plan[0][1].format
    return [*plan, *((file, Detection(entry, _usual_way(file, entry))) for file in late)], left_out, empty


def _how(file: TraceFile, format_name: str | None, options: ReadOptions) -> Detection:
    if format_name is None or options.field_map is not None:
        return detect(file, options.field_map)
    entry = format_named(format_name)
    try:
        return detect(file, only=[entry])
    except TraceError:
        return Detection(entry, _usual_way(file, entry))


def _usual_way(file: TraceFile, entry: Format) -> Way:
    """How a file is read in a format that claims none of its records: a person wants it so."""
    ways = list(ways_of(file))
    if entry.packing == "lines" and ways[0].packed in ("json", "csv"):
        return Way("lines")
    wanted = ("csv", "json") if entry.packing == "csv" else ("json", "text")
    usual = Way("csv") if entry.packing == "csv" else Way("json")
    if ways[0].packed not in ("json", "csv"):
        return ways[0]
    return next((way for way in ways if way.packed == wanted[0] and not way.path), usual)


def _main(entries: Sequence[Format]) -> Format:
    """The format that the log goes by: the first one with requests, whatever lies beside it."""
    return next((entry for entry in entries if entry.gives - {"counters", "events"}), entries[0])


def _note_packing(builder: Builder, plan: Plan, left_out: Sequence[str], empty: Sequence[str]) -> None:
    """Say what was found inside what."""
    members = [file.inside for file, _ in plan if isinstance(file, Member)]
    if len(members) > 1 or (members and left_out):
        builder.note("members", len(members), names=_listed(members))
    if left_out:
        builder.note("members_left", len(left_out), names=_listed(left_out))
    if empty:
        builder.note("empty_files", len(empty), names=_listed(empty))
    for encoding in dict.fromkeys(filter(None, (_encoding(file) for file, _ in plan))):
        builder.note("encoding", encoding=_ENCODINGS[encoding])
    for where in dict.fromkeys(found.way.where for _, found in plan if found.way.where):
        builder.note("inside", where=escaped(where))
    for sheet in dict.fromkeys(found.way.sheet for _, found in plan if found.way.sheet):
        builder.note("sheet", sheet=escaped(sheet))


def _encoding(file: TraceFile) -> str | None:
    """The encoding that a file's letters were taken for, where no mark says it."""
    with file.content() as content:
        return content.encoding if content.encoding in _ENCODINGS else None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(escaped(name) for name in names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown}, …"


def _note_numbers(builder: Builder, numbers: Numbers) -> None:
    """Say in which columns marks were taken for thousands.

    Raises:
        TraceError: a column that can be read in two ways.
        WrittenOtherwiseError: as `_read`.
    """
    unknown = numbers.open_column()
    if unknown is not None:
        name, column = unknown
        raise problems.open_numbers(column.file, column.line, name, column.doubtful)
    found = numbers.with_thousands
    if found:
        names = _listed(list(found))
        builder.note("thousands", len(found), columns=names, example=next(iter(found.values())))


def _note_dates(builder: Builder, dates: Dates) -> None:
    """Say what was decided about times, or left open."""
    if dates.num_ignored:
        builder.note("times_unread", dates.num_ignored)
    if dates.num_date_only:
        builder.note("date_only", dates.num_date_only)
    if dates.is_guess:
        builder.note("month_first", dates.num_unsure, example=dates.example)
