"""The ways in which records may lie in a file, and the rows that each way gives.

Every way gives the same kind of row, an object by field. A table's cells that hold JSON (or what pandas
writes for a list) are entered, so that any format may come as a table; formats that are tables by themselves
get their cells as text.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from core.errors import TraceError
from core.traces.packing.csv_rows import csv_rows
from core.traces.packing.decode import parse_json, parse_repr
from core.traces.packing.inner import EACH, TABLE, Path
from core.traces.packing.inner_rows import Claims, InnerRows
from core.traces.packing.json_rows import json_rows, json_values, quiet
from core.traces.packing.log_lines import bare_lines, log_lines
from core.traces.packing.logfmt import logfmt_rows
from core.traces.packing.scanner import Say, Valued
from core.traces.packing.sources import Meter, TraceFile
from core.traces.packing.tables import arrow_rows, sheet_rows
from core.traces.packing.text import lines
from core.traces.rows import Row

Rows = Generator[Row | TraceError, None, None]
Packed = Literal["json", "text", "lines", "logfmt", "csv", "parquet", "arrow", "xlsx"]


@dataclass(frozen=True, slots=True)
class Way:
    """How records lie in a file. `json`: one a line, an array, or in a row; `text`: JSON behind a prefix on
    each line; `lines`: the lines themselves, or with a path the texts there; `logfmt`: pairs on each line;
    the others are tables. `path`: where in a value the record is.
    """

    packed: Packed
    path: Path = ()
    delimiter: str = ","
    sheet: str = ""

    @property
    def where(self) -> str:
        """The path as people write it: data[].message."""
        text = ""
        for step in self.path:
            text += "[]" if step in (EACH, TABLE) else f"[{step}]" if isinstance(step, int) else f".{step}"
        return text.removeprefix(".")


def rows_by(
    way: Way,
    file: TraceFile,
    meter: Meter | None = None,
    say: Say = quiet,
    claims: Claims | None = None,
    as_cells: bool = False,
) -> Rows:
    """The records of a file. `claims`: which objects are wanted where texts may hold others as well;
    `as_cells`: every field as a text, the way a table has it.

    Raises:
        TraceError: the file is of another kind, or cannot be read on.
    """
    if way.packed == "lines":
        return _line_rows(file, meter) if not way.path else _lines_in(way.path, file, meter, say)
    if way.packed == "logfmt":
        return logfmt_rows(file, meter, say)
    if way.packed == "csv":
        rows = csv_rows(file, meter, way.delimiter, say)
        return rows if as_cells else _within(_entered(rows), way, claims, say)
    rows = _objects(way, file, meter, say, claims)
    return _as_cells(rows) if as_cells else rows


def _objects(way: Way, file: TraceFile, meter: Meter | None, say: Say, claims: Claims | None) -> Rows:
    match way.packed:
        case "parquet" | "arrow":
            return _within(_entered(arrow_rows(file, way.packed, meter)), way, claims, say)
        case "xlsx":
            return _within(_entered(sheet_rows(file, way.sheet, meter, say)), way, claims, say)
        case "text":
            return InnerRows(way.path, claims, say).of(_line_values(file, meter))
    if not way.path:
        return json_rows(file, meter, say)
    inside, rest = _streamed(way.path)
    return InnerRows(rest, claims, say).of(json_values(file, meter, say, inside))


def _within(rows: Rows, way: Way, claims: Claims | None, say: Say) -> Rows:
    """The rows, or the records in one of their cells."""
    if not way.path:
        return rows
    values = (row if isinstance(row, TraceError) else (row.place, row.value) for row in rows)
    return InnerRows(way.path, claims, say).of(values)


def _streamed(path: Path) -> tuple[tuple[str, ...], Path]:
    """The names of a path down to its first list, which is never held as a whole, and the path behind it."""
    if EACH not in path:
        return (), path
    place = path.index(EACH)
    names = tuple(step for step in path[:place] if isinstance(step, str))
    return (names, path[place + 1 :]) if len(names) == place else ((), path)


def _line_rows(file: TraceFile, meter: Meter | None) -> Rows:
    yield from bare_lines(lines(file, meter))


def _lines_in(path: Path, file: TraceFile, meter: Meter | None, say: Say) -> Rows:
    yield from log_lines(json_values(file, meter, say), path)


def _line_values(file: TraceFile, meter: Meter | None) -> Generator[Valued | TraceError, None, None]:
    for place, line in lines(file, meter):
        yield line if isinstance(line, TraceError) else (place, line)


def _entered(rows: Iterable[Row | TraceError]) -> Rows:
    for row in rows:
        if isinstance(row, Row):
            row = Row({name: _value(cell) for name, cell in row.value.items() if cell != ""}, row.place)
        yield row


def _value(cell: Any) -> Any:
    """What a cell holds: JSON, or what pandas writes for a list, as the value."""
    if not isinstance(cell, str) or cell.lstrip()[:1] not in ("{", "["):
        return cell
    for parse in (parse_json, parse_repr):
        try:
            return parse(cell.strip())
        except ValueError:
            continue
    return cell


def _as_cells(rows: Iterable[Row | TraceError]) -> Rows:
    for row in rows:
        if isinstance(row, Row):
            row = Row({name: _cell(value) for name, value in row.value.items()}, row.place, row.path)
        yield row


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, dict | list) else str(value)
