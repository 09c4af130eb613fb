"""The door: read one log (or the files of one) into a `Trace`.

Broken lines. A log is refused at its first broken line, with file, line and field; only if the person says so
(`ReadOptions.skip_broken`) are such lines left out, each counted and the first ones listed. Inside a JSON
array nothing can be skipped after a syntax error. Whatever comes out is complete or nothing: an error leaves
no half-read trace behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import TraceError
from core.texts import showable
from core.traces import problems
from core.traces.building.build import Builder
from core.traces.building.reader import Format, Reader
from core.traces.dates import Dates, MonthSecondError
from core.traces.door.detect import detect, head_of, rows_of
from core.traces.door.formats import format_named
from core.traces.field_map import FieldMap
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import Meter, Progress, TraceFile


def read_trace(
    files: TraceFile | Path | Sequence[TraceFile | Path],
    *,
    format_name: str | None = None,
    options: ReadOptions | None = None,
    progress: Progress | None = None,
) -> Trace:
    """Read a log. Several files are read one after the other as one log, each in its own format (sessions of
    Claude Code, two scrapes of an engine's counters, requests and the counters beside them).

    `format_name` overrules what is detected, for all files. `progress(done, total)` is called in bytes
    about once a MiB; it cancels the reading by raising. O(bytes); memory grows with what the requests hold,
    not with the file.

    Raises:
        TraceError: unknown format, a broken line, nothing in it.
    """
    given = [files] if isinstance(files, TraceFile | Path) else list(files)
    found = [file if isinstance(file, TraceFile) else TraceFile(showable(file.name), file) for file in given]
    if not found:
        raise problems.empty("the upload", "there is no file")
    wanted = options or ReadOptions()
    try:
        return _read(found, format_name, wanted, progress, Dates(ignored=wanted.ignore_times))
    except MonthSecondError:
        return _read(found, format_name, wanted, progress, Dates(month_first=False))


def _read(
    found: Sequence[TraceFile],
    format_name: str | None,
    options: ReadOptions,
    progress: Progress | None,
    dates: Dates,
) -> Trace:
    """One reading.

    Raises:
        TraceError: as above.
        MonthSecondError: dates before some line must be read anew, day first.
    """
    entries = _formats(found, format_name, options.field_map)
    name = found[0].name if len(found) == 1 else f"{found[0].name} and {len(found) - 1} more"
    builder = Builder(name, options)
    readers: dict[Format, Reader] = {}
    for file, entry in zip(found, entries, strict=True):
        if entry not in readers:
            readers[entry] = entry.make(builder, head_of(file, entry.packing))
    meter = Meter(sum(file.size() for file in found), progress)
    for file, entry in zip(found, entries, strict=True):
        reader = readers[entry]
        for row in rows_of(file, entry.packing, meter):
            if isinstance(row, TraceError):
                builder.skip(row)
                continue
            row.place.dates = dates
            builder.begin(row)
            try:
                reader.add(row)
            except TraceError as error:
                builder.undo()
                builder.skip(error)
            except RecursionError:
                builder.undo()
                builder.skip(problems.not_json(row.place, "nested too deeply"))
    for reader in readers.values():
        reader.finish()
    meter.flush()
    _note_dates(builder, dates)
    if len(readers) > 1:
        builder.note("formats", len(readers), formats=", ".join(entry.name for entry in readers))
    return builder.finish(_main(entries).name)


def _formats(found: Sequence[TraceFile], format_name: str | None, field_map: FieldMap | None) -> list[Format]:
    """The format of each file. One that shows nothing of its own (empty, or rows that no reader claims) is
    read like the first: what is wrong with it is then told by line.

    Raises:
        TraceError: as above, of the first file.
    """
    if format_name is not None and field_map is None:
        return [format_named(format_name)] * len(found)
    entries = [detect(found[0], field_map).format]
    for file in found[1:]:
        try:
            entries.append(detect(file, field_map).format)
        except TraceError:
            entries.append(entries[0])
    return entries


def _main(entries: Sequence[Format]) -> Format:
    """The format that the log goes by: the first one with requests, whatever lies beside it."""
    return next((entry for entry in entries if entry.gives - {"counters", "events"}), entries[0])


def _note_dates(builder: Builder, dates: Dates) -> None:
    """Say what was decided about times, or left open."""
    if dates.num_ignored:
        builder.note("times_unread", dates.num_ignored)
    if dates.num_date_only:
        builder.note("date_only", dates.num_date_only)
    if dates.is_guess:
        builder.note("month_first", dates.num_unsure, example=dates.example)
