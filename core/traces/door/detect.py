"""Which format a log is in and how its records lie in the file, read off the first ones. The answer is shown
and a person may change it.

Every record of the head goes to the first format that claims it; the format with the most records wins, if
it can read one of them: a name that happens to fit makes no format. Mooncake rows with and without session
fields in one file are the session variant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.errors import TraceError
from core.traces import problems
from core.traces.building.build import Builder
from core.traces.building.reader import Format, Packing
from core.traces.dates import MonthSecondError
from core.traces.door.formats import FORMATS, NAMES, format_named
from core.traces.door.heads import HEAD, HEAD_LINES, head_by, ways_of
from core.traces.door.own_files import refuse_nothing, refuse_own_file
from core.traces.field_map import FieldMap, value_at
from core.traces.mapping.by_map import BY_MAP, is_readable, suggested
from core.traces.options import ReadOptions
from core.traces.packing import refusals
from core.traces.packing.archives import parts_of
from core.traces.packing.inner import EACH, TABLE
from core.traces.packing.inner_rows import Claims
from core.traces.packing.sources import TraceFile
from core.traces.packing.text import first_char
from core.traces.packing.ways import Way
from core.traces.readers.mooncake import MOONCAKE
from core.traces.readers.mooncake_sessions import MOONCAKE_SESSIONS
from core.traces.rows import Row

_TRIED = 8
"""Records of a head that a format may fail to read before another one is asked."""
_PACKINGS: Mapping[str, tuple[Packing, ...]] = MappingProxyType(
    {"lines": ("lines",), "json": ("json", "csv"), "text": ("json", "csv"), "logfmt": ("json",)}
)
_LONGEST_NAME = 64
"""Characters of a column's name."""


@dataclass(frozen=True, slots=True)
class Detection:
    """The format that most records look like, and how they lie in the file; `others` were claimed too."""

    format: Format
    way: Way
    others: tuple[str, ...] = ()
    is_sure: bool = True

    @property
    def claims(self) -> Claims | None:
        """Which texts are records; a map reads whatever it is given."""
        return None if self.format.name == BY_MAP.name else self.format.claims


def detect(file: TraceFile, field_map: FieldMap | None = None, only: Sequence[Format] = FORMATS) -> Detection:
    """Find out the format; a `field_map` needs to know no more than how the records lie.

    Raises:
        TraceError: no format fits (the message lists the known ones), no record can be read (the first
            one's error), or the file cannot be read at all.
    """
    unsure: Detection | None = None
    ways: list[Way] = []
    for most in (HEAD, HEAD_LINES):
        for way in list(ways) or _noted(ways_of(file), ways):
            if field_map is not None:
                if _fits(field_map, _rows(way, file, most)):
                    return Detection(BY_MAP, way)
                continue
            found = _claimed_by(way, file, most, only)
            if found is not None and found.is_sure:
                return found
            unsure = unsure or found
        if unsure is not None:
            return unsure
    if only is not FORMATS:
        raise problems.unknown_format(file.name, ", ".join(NAMES))
    return _otherwise(file, ways, field_map)


def _noted(ways: Iterator[Way], kept: list[Way]) -> Iterator[Way]:
    """The ways one by one: finding out about the later ones means reading the head again."""
    for way in ways:
        kept.append(way)
        yield way


def _otherwise(file: TraceFile, ways: Sequence[Way], field_map: FieldMap | None) -> Detection:
    """What can be done with records that no format claims.

    Raises:
        TraceError: as `detect`.
    """
    heads = {way: head_by(way, file) for way in ways if way.packed != "lines" and not way.path}
    full = _listed_in_one(file, ways) | {
        way: rows for way, head in heads.items() if (rows := _records(way, head))
    }
    if field_map is not None and full:
        return Detection(BY_MAP, next(iter(full)))
    for way, rows in full.items():
        if is_readable(rows):
            return Detection(BY_MAP, way)
    first = heads.get(ways[0], [])
    if ways[0] == Way("json") and not any(isinstance(error, TraceError) for error in first):
        refuse_nothing(file.name, [row for row in first if isinstance(row, Row)])
    broken = next((error for error in first if isinstance(error, TraceError)), None)
    if ways[0].packed != "csv" and ways[0] not in full and broken and not _is_no_json(file, broken):
        raise broken
    suggestion = next((str(suggested(rows)) for rows in full.values()), "")
    if suggestion:
        raise problems.unknown_fields(file.name, suggestion)
    if ways[0].packed in ("csv", "json") and first_char(file) == "<":
        raise refusals.foreign(file.name, "HTML or XML")
    raise problems.unknown_format(file.name, ", ".join(NAMES))


def _listed_in_one(file: TraceFile, ways: Sequence[Way]) -> dict[Way, list[Row]]:
    """The elements of a list where the file is one object around it: they are the records, not the object."""
    if len(_rows(Way("json"), file, 2)) != 1:
        return {}
    lists = [way for way in ways if way.packed == "json" and way.path[-1:] in ((EACH,), (TABLE,))]
    heads = {way: _rows(way, file, HEAD) for way in lists}
    return {way: rows for way, rows in heads.items() if rows and "role" not in rows[0]}


def _records(way: Way, head: Sequence[Row | TraceError]) -> list[Row]:
    """The records of a head. Lines of prose are no table, however many commas they hold."""
    rows = [row for row in head if isinstance(row, Row)]
    if way.packed == "csv" and rows:
        names = rows[0].value
        if 2 * len(rows) < len(head) or any(len(name) > _LONGEST_NAME for name in names):
            return []
    return rows


def _is_no_json(file: TraceFile, broken: TraceError) -> bool:
    """Whether a first bracket is no list's but a time's or a level's, as in many server logs."""
    return broken.code == "trace.json" and first_char(file) == "["


def _rows(way: Way, file: TraceFile, most: int, as_cells: bool = False) -> list[Row]:
    return [row for row in head_by(way, file, most, as_cells) if isinstance(row, Row)]


def head_of(file: TraceFile) -> list[Row]:
    """The first records as objects, so that a person may choose their fields: as a format finds them, else as
    they stand.

    Raises:
        TraceError: the file cannot be read.
    """
    part = parts_of(file)[0]
    try:
        found = detect(part)
    except TraceError:
        way = next((way for way in ways_of(part) if way.packed != "lines"), Way("lines"))
        found = Detection(BY_MAP, way)
    if found.way.packed == "lines":
        return []
    return [row for row in head_by(found.way, part, claims=found.claims) if isinstance(row, Row)]


def _fits(field_map: FieldMap, rows: Sequence[Row]) -> bool:
    """Whether anything that makes a request stands where the map says."""
    roles = (field_map.prompt, field_map.tokens, field_map.blocks, field_map.length, field_map.usage)
    paths = [path for role in roles for path in role]
    return any(value_at(row.value, path) is not None for row in rows[:_TRIED] for path in paths)


def _claimed_by(way: Way, file: TraceFile, most: int, only: Sequence[Format]) -> Detection | None:
    """The format that claims and reads what this way gives; tables are asked about as tables first."""
    kinds = _PACKINGS.get(way.packed, ("csv", "json"))
    unsure: Detection | None = None
    for packing in kinds:
        formats = [entry for entry in only if entry.packing == packing]
        if not formats:
            continue
        rows = _rows(way, file, HEAD_LINES if packing == "lines" else most, packing == "csv")
        refuse_own_file(file.name, rows)
        while names := _claimed(rows, formats):
            entry = next(entry for entry in formats if entry.name == names[0])
            if _reads(entry, rows):
                return Detection(entry, way, tuple(names[1:]))
            unsure = unsure or Detection(entry, way, tuple(names[1:]), is_sure=False)
            formats = [other for other in formats if other is not entry]
    return unsure


def _claimed(rows: Sequence[Row], formats: Sequence[Format]) -> list[str]:
    """The formats that claim records, the one with the most first."""
    votes: Counter[str] = Counter()
    for row in rows:
        name = next((entry.name for entry in formats if entry.claims(row.value)), None)
        if name is not None:
            votes[name] += 1
    if votes[MOONCAKE_SESSIONS.name]:
        votes[MOONCAKE_SESSIONS.name] += votes.pop(MOONCAKE.name, 0)
    with_requests = {name: count for name, count in votes.items() if not _is_of_an_engine(name)}
    return [name for name, count in Counter(with_requests or votes).most_common() if count]


def _is_of_an_engine(name: str) -> bool:
    """Whether a format holds only an engine's own figures: requests in the same log tell more."""
    return format_named(name).gives == {"counters"}


def _reads(entry: Format, rows: Sequence[Row]) -> bool:
    """Whether the format can read one of the records that it claims."""
    builder = Builder("", ReadOptions())
    wanted = [row for row in rows if entry.claims(row.value)][:_TRIED]
    try:
        reader = entry.make(builder, list(rows))
    except TraceError:
        return False
    for row in wanted:
        builder.begin(row)
        try:
            reader.add(row)
        except (TraceError, RecursionError, MonthSecondError):
            builder.undo()
        else:
            return True
    return False
