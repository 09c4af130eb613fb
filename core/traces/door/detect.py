"""Which format a log is in, read off its first records. The answer is shown and a person may change it.

Every record of the head goes to the first format that claims it; the format with the most records wins.
Mooncake rows with and without session fields in one file are the session variant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from core.errors import TraceError
from core.traces import problems
from core.traces.building.reader import Format, Packing
from core.traces.door.formats import FORMATS, NAMES, format_named
from core.traces.field_map import FieldMap
from core.traces.mapping.by_map import by_map, is_readable, suggested
from core.traces.packing.csv_rows import csv_rows, header_of
from core.traces.packing.json_rows import json_rows
from core.traces.packing.sources import Meter, TraceFile
from core.traces.packing.text import first_char, lines
from core.traces.readers.mooncake import MOONCAKE
from core.traces.readers.mooncake_sessions import MOONCAKE_SESSIONS
from core.traces.rows import Row

HEAD = 100
"""Records that are looked at before reading."""
HEAD_LINES = 2000
"""Lines of a log without records: requests may stand far behind a server's start-up messages."""
HEAD_BYTES = 2**24
"""No more is looked at, however few records that are."""
_JSON: tuple[Packing, ...] = ("json", "lines")
_TABLES: tuple[Packing, ...] = ("csv", "lines")


@dataclass(frozen=True, slots=True)
class Detection:
    """The format that most records look like; `others` were claimed too."""

    format: Format
    others: tuple[str, ...] = ()


def rows_of(
    file: TraceFile, packing: Packing, meter: Meter | None = None
) -> Generator[Row | TraceError, None, None]:
    """The records of a file in one of the three packings."""
    if packing == "json":
        return json_rows(file, meter)
    if packing == "csv":
        return csv_rows(file, meter)
    return _line_rows(file, meter)


def _line_rows(file: TraceFile, meter: Meter | None) -> Generator[Row | TraceError, None, None]:
    for place, line in lines(file, meter):
        yield line if isinstance(line, TraceError) else Row({"line": line}, place)


def head_of(file: TraceFile, packing: Packing) -> list[Row]:
    """The first readable records; broken ones are passed over here and reported when they are read."""
    return [row for row in _first_records(file, packing) if isinstance(row, Row)]


def _first_records(file: TraceFile, packing: Packing) -> list[Row | TraceError]:
    found: list[Row | TraceError] = []
    meter = Meter(0, None)
    with closing(rows_of(file, packing, meter)) as rows:
        try:
            for row in islice(rows, HEAD_LINES if packing == "lines" else HEAD):
                found.append(row)
                if meter.done >= HEAD_BYTES:
                    break
        except TraceError as error:
            found.append(error)
    return found


def detect(file: TraceFile, field_map: FieldMap | None = None) -> Detection:
    """Find out the format; a `field_map` needs to know no more than how the records are packed.

    Raises:
        TraceError: no format fits (the message lists the known ones), no record can be read (the first
            one's error), or the file cannot be read at all.
    """
    start = first_char(file)
    if not start:
        raise problems.empty(file.name, "the file is empty")
    broken: TraceError | None = None
    unclaimed: list[tuple[Packing, list[Row]]] = []
    for packing in _JSON if start in "{[" else _TABLES:
        records = _first_records(file, packing)
        rows = [record for record in records if isinstance(record, Row)]
        if packing == "csv" and not rows:
            rows = _header_row(file)
        if field_map is not None and rows and packing != "lines":
            return Detection(by_map(packing))
        found = _claimed(rows, packing)
        if found is not None:
            return found
        if rows and packing != "lines":
            unclaimed.append((packing, rows))
        if packing != "csv" and not rows:
            broken = broken or next((record for record in records if isinstance(record, TraceError)), None)
    if broken is not None:
        raise broken
    for packing, rows in unclaimed:
        if is_readable(rows):
            return Detection(by_map(packing))
    suggestion = next((str(suggested(rows)) for _, rows in unclaimed), "")
    if suggestion:
        raise problems.unknown_fields(file.name, suggestion)
    raise problems.unknown_format(file.name, ", ".join(NAMES))


def _header_row(file: TraceFile) -> list[Row]:
    """A table without rows is still a table."""
    with closing(lines(file)) as every:
        for place, line in every:
            if isinstance(line, str) and line.strip():
                return [Row(dict.fromkeys(header_of(line), ""), place)]
    return []


def _claimed(rows: list[Row], packing: Packing) -> Detection | None:
    candidates = [entry for entry in FORMATS if entry.packing == packing]
    votes: Counter[str] = Counter()
    for row in rows:
        name = next((entry.name for entry in candidates if entry.claims(row.value)), None)
        if name is not None:
            votes[name] += 1
    if not votes:
        return None
    if votes[MOONCAKE_SESSIONS.name]:
        votes[MOONCAKE_SESSIONS.name] += votes.pop(MOONCAKE.name, 0)
    with_requests = {name: count for name, count in votes.items() if not _is_of_an_engine(name)}
    (name, _), *others = Counter(with_requests or votes).most_common()
    return Detection(format_named(name), tuple(name for name, _ in others))


def _is_of_an_engine(name: str) -> bool:
    """Whether a format holds only an engine's own figures: requests in the same log tell more."""
    return format_named(name).gives == {"counters"}
