"""Rows of a table with a header line (CSV): quotes, doubled quotes, commas and line ends inside quotes."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from itertools import chain, islice

from core.errors import TraceError
from core.traces import problems
from core.traces.packing.sources import Meter, TraceFile
from core.traces.packing.text import LONGEST_LINE, lines
from core.traces.problems import Place
from core.traces.rows import Row

csv.field_size_limit(LONGEST_LINE)  # the process's own; the limit on records below is the one that counts


DELIMITERS = (",", ";", "\t", "|")
_TITLES = 20
"""Rows in which the header has to come."""
Say = Callable[[str, int], None]
_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)


def quiet(_code: str, _count: int) -> None:
    """For whoever wants no notes."""


def csv_rows(
    file: TraceFile, meter: Meter | None = None, delimiter: str = ",", say: Say = quiet
) -> Generator[Row | TraceError, None, None]:
    """The rows below the header, keyed by its column names; the place is the line where a row begins.

    A first line `sep=;`, which spreadsheets write and read, names the delimiter. A report's title above the
    header, and the header once more between the rows, are passed over.

    Raises:
        TraceError: there is no header, or a quoted field that never ends.
    """
    records = _records(file, meter)
    first = [*islice(records, _TITLES)]
    if first and isinstance(first[0][1], str) and (named := separator_of(first[0][1])) is not None:
        delimiter, first = named, [*first[1:], *islice(records, 1)]
    head = [(place, _cut(record, place, delimiter)) for place, record in first]
    num_titles = _num_titles([cells for _, cells in head])
    if num_titles:
        say("titles", num_titles)
    header: list[str] | None = None
    rest = ((place, _cut(record, place, delimiter)) for place, record in records)
    for place, cells in chain(head[num_titles:], rest):
        if header is None:
            if isinstance(cells, TraceError):
                raise cells
            names = [name.strip() for name in cells]
            header = once_each(names, say)
        elif isinstance(cells, TraceError):
            yield cells
        elif len(cells) != len(header):
            yield problems.not_csv(place, f"it has {len(cells)} columns, the header {len(header)}")
        elif [cell.strip() for cell in cells] == names:
            say("other_rows", 1)
        else:
            yield Row(dict(zip(header, cells, strict=True)), place)


def once_each(names: Sequence[str], say: Say = quiet) -> list[str]:
    """Column names of which each stands once: a name that comes again gets a number behind it."""
    taken: Counter[str] = Counter()
    found = []
    for name in names:
        taken[name] += 1
        found.append(f"{name} ({taken[name]})" if taken[name] > 1 and name else name)
    if len(set(names) - {""}) < sum(map(bool, names)):
        say("columns_again", sum(count - 1 for name, count in taken.items() if name))
    return found


def _num_titles(head: Sequence[list[str] | TraceError]) -> int:
    """How many rows stand above the header: they have one cell at most, and the header has more."""
    for number, cells in enumerate(head):
        if isinstance(cells, TraceError):
            return 0
        if sum(bool(cell.strip()) for cell in cells) > 1:
            below = head[number + 1] if number + 1 < len(head) else cells
            return number if not isinstance(below, TraceError) and len(below) == len(cells) else 0
    return 0


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


def _cut(record: str | TraceError, place: Place, delimiter: str) -> list[str] | TraceError:
    return record if isinstance(record, TraceError) else _cells(record, place, delimiter)


def _cells(record: str, place: Place, delimiter: str) -> list[str] | TraceError:
    try:
        return next(csv.reader([record], strict=True, delimiter=delimiter))
    except (csv.Error, TypeError):
        return problems.not_csv(place, "a quoted field has no end, or text behind it")
