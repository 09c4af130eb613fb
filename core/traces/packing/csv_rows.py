"""Rows of a table with a header line (CSV): quotes, doubled quotes, commas and line ends inside quotes."""

from __future__ import annotations

import csv
import re
from collections.abc import Generator

from core.errors import TraceError
from core.traces import problems
from core.traces.packing.sources import Meter, TraceFile
from core.traces.packing.text import LONGEST_LINE, lines
from core.traces.problems import Place
from core.traces.rows import Row

csv.field_size_limit(LONGEST_LINE)  # the process's own; the limit on records below is the one that counts


DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)


def csv_rows(
    file: TraceFile, meter: Meter | None = None, delimiter: str = ","
) -> Generator[Row | TraceError, None, None]:
    """The rows below the header, keyed by its column names; the place is the line where a row begins.

    A first line `sep=;`, which spreadsheets write and read, names the delimiter.

    Raises:
        TraceError: there is no header, or a quoted field that never ends.
    """
    header: list[str] | None = None
    for place, record in _records(file, meter):
        if header is None and isinstance(record, str) and (named := separator_of(record)) is not None:
            delimiter = named
            continue
        cells = record if isinstance(record, TraceError) else _cells(record, place, delimiter)
        if header is None:
            if isinstance(cells, TraceError):
                raise cells
            header = [name.strip() for name in cells]
        elif isinstance(cells, TraceError):
            yield cells
        elif len(cells) != len(header):
            yield problems.not_csv(place, f"it has {len(cells)} columns, the header {len(header)}")
        else:
            yield Row(dict(zip(header, cells, strict=True)), place)


def separator_of(line: str) -> str | None:
    """The delimiter that a first line `sep=;` names."""
    found = _SEPARATOR.fullmatch(line.strip("\r\n"))
    return None if found is None else found[1]


def header_of(line: str, delimiter: str = ",") -> tuple[str, ...]:
    """The column names of a first line; () if it is none."""
    cells = _cells(line, Place("", 1), delimiter)
    return () if isinstance(cells, TraceError) else tuple(cell.strip() for cell in cells)


def _records(file: TraceFile, meter: Meter | None) -> Generator[tuple[Place, str | TraceError], None, None]:
    """Lines, joined where a quoted field runs on: there the quotes so far are odd in number."""
    parts: list[str] = []
    size = 0
    start = Place(file.name, 1)
    for place, line in lines(file, meter):
        if isinstance(line, TraceError):
            parts, size = [], 0
            yield place, line
            continue
        if not parts:
            start = place
            if not line.strip():
                continue
        parts.append(line)
        size += len(line) + 1
        if size > LONGEST_LINE:
            raise problems.too_long(start, LONGEST_LINE)
        if sum(part.count('"') for part in parts[-1:]) % 2 == (len(parts) > 1):
            yield start, "\n".join(parts)
            parts, size = [], 0
    if parts:
        yield start, problems.not_csv(start, "a quoted field has no end")


def _cells(record: str, place: Place, delimiter: str) -> list[str] | TraceError:
    try:
        return next(csv.reader([record], strict=True, delimiter=delimiter))
    except (csv.Error, TypeError):
        return problems.not_csv(place, "a quoted field has no end, or text behind it")
