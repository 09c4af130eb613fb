"""The first records of a file, in each of the ways in which it may hold records."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice

from core.errors import TraceError
from core.traces import problems
from core.traces.packing.archives import kind_of_file
from core.traces.packing.csv_rows import DELIMITERS, header_of, separator_of
from core.traces.packing.inner import EACH, Path, objects_in
from core.traces.packing.inner_paths import paths_into
from core.traces.packing.inner_rows import Claims
from core.traces.packing.json_rows import json_values, num_whole_lines, quiet
from core.traces.packing.log_lines import line_paths
from core.traces.packing.logfmt import is_logfmt
from core.traces.packing.scanner import Scanner, Valued
from core.traces.packing.sources import HeadMeter, OverError, TraceFile
from core.traces.packing.tables import sheet_names
from core.traces.packing.text import first_char, first_lines, is_long, lines
from core.traces.packing.ways import Way, rows_by
from core.traces.rows import Row

HEAD = 100
"""Records that are looked at first."""
HEAD_LINES = 20_000
"""Records and lines that are looked at where those say nothing: requests may stand far behind a start-up."""
MOST_PATHS = 16
MOST_SHEETS = 20
_TITLES = 20
"""Lines in which a table's header has to come."""


def head_by(
    way: Way, file: TraceFile, most: int = HEAD, as_cells: bool = False, claims: Claims | None = None
) -> list[Row | TraceError]:
    """The first `most` readable records and the errors between them; arguments as for `rows_by`."""
    found: list[Row | TraceError] = []
    left = most
    with closing(rows_by(way, file, HeadMeter(), claims=claims, as_cells=as_cells)) as rows:
        try:
            for row in rows:
                found.append(row)
                left -= isinstance(row, Row)
                if left <= 0:
                    break
        except TraceError as error:
            found.append(error.alone())
        except OverError:
            pass
    if way.packed == "csv" and as_cells and left == most:
        found += _header_row(file, way)
    return found


def _header_row(file: TraceFile, way: Way) -> list[Row]:
    """A table without rows is still a table."""
    for place, line in first_lines(file, 2):
        if isinstance(line, str) and separator_of(line) is None:
            return [Row(dict.fromkeys(header_of(line, way.delimiter), ""), place)]
    return []


def ways_of(file: TraceFile) -> Iterator[Way]:
    """The ways in which a file may hold records, the likely ones first.

    Raises:
        TraceError: there is nothing in it, or it is of a kind that is not read here.
    """
    kind = kind_of_file(file)
    if kind in ("parquet", "arrow"):
        yield from _with_cells(Way("parquet" if kind == "parquet" else "arrow"), file)
    elif kind == "xlsx":
        for sheet in sheet_names(file)[:MOST_SHEETS]:
            yield from _with_cells(Way("xlsx", sheet=sheet), file)
    else:
        start = first_char(file)
        if not start:
            raise problems.empty(file.name, "the file is empty")
        if start in "{[" or num_whole_lines(file):  # a program's greetings may come first
            yield from _json_ways(file)
        if start not in "{[":
            yield from _table_ways(file)
        yield Way("lines")
        yield Way("text")
        if is_logfmt(file):
            yield Way("logfmt")
        yield from (Way("text", path) for path in paths_into(_objects_of_lines(file), MOST_PATHS))


def _json_ways(file: TraceFile) -> Iterator[Way]:
    """Records as they stand, then those inside others. One huge value is never read for the first answer."""
    if is_long(file):
        yield from (Way("json", path) for path in _lists(file))
    yield Way("json")
    values = _values(file)
    paths: dict[Path, None] = dict.fromkeys(paths_into(values, MOST_PATHS))
    if not paths:
        paths = dict.fromkeys(_lists(file))
    yield from (Way("json", path) for path in paths)
    yield from (Way("lines", path) for path in line_paths(values))


def _table_ways(file: TraceFile) -> Iterator[Way]:
    """A table by each delimiter that its header has, the most frequent one first."""
    begin = [line for _, line in first_lines(file, _TITLES) if isinstance(line, str)]
    named = separator_of(begin[0]) if begin else None
    if named is not None:
        yield Way("csv", delimiter=named)
        return
    widths = {
        one: next((n for line in begin if (n := len(header_of(line, one))) > 1), 0) for one in DELIMITERS
    }
    wide = [delimiter for delimiter, width in widths.items() if width > 1]
    for delimiter in sorted(wide, key=lambda one: -widths[one]) or [","]:
        yield from _with_cells(Way("csv", delimiter=delimiter), file)


def _with_cells(way: Way, file: TraceFile) -> Iterator[Way]:
    """A table's rows, then the records that stand in a cell of each: a table of log lines."""
    yield way
    rows = [row.value for row in head_by(way, file) if isinstance(row, Row)]
    for path in paths_into(rows, MOST_PATHS):
        yield replace(way, path=path)


def _lists(file: TraceFile) -> list[Path]:
    """Where the object that the file begins with holds lists of records."""
    found: dict[Path, None] = {}
    try:
        for names, first in Scanner(file, HeadMeter(), quiet).lists():
            found[*names, EACH] = None
            for path in paths_into([first], MOST_PATHS):
                found[*names, EACH, *path] = None
    except (TraceError, OverError):
        pass
    return list(found)[:MOST_PATHS]


def _values(file: TraceFile) -> list[object]:
    with closing(json_values(file, HeadMeter(), quiet)) as values:
        return [found[1] for found in _until_over(values) if not isinstance(found, TraceError)]


def _objects_of_lines(file: TraceFile) -> list[object]:
    with closing(_texts(file)) as values:
        texts = [found[1] for found in _until_over(values) if not isinstance(found, TraceError)]
    return [value for text in texts for value, _ in objects_in(str(text))]


def _texts(file: TraceFile) -> Generator[Valued | TraceError, None, None]:
    """Lines in which an object could stand."""
    for place, line in lines(file, HeadMeter()):
        if isinstance(line, str) and "{" in line:
            yield place, line


def _until_over(values: Iterator[Valued | TraceError]) -> Iterator[Valued | TraceError]:
    try:
        yield from islice(values, HEAD_LINES)
    except (TraceError, OverError):
        return
