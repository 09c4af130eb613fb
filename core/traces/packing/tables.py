"""Rows of Parquet and Arrow tables and of Excel sheets, as objects keyed by their columns.

Parquet and Arrow need pyarrow, which comes with streamlit; Excel needs openpyxl, which does not. Both are
imported where they are needed. Empty cells are left out: a column that all rows share says nothing of a row
that lacks it.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from datetime import date, datetime
from decimal import Decimal
from importlib.util import find_spec
from typing import Any, BinaryIO

from core.extras import how_to_add, pip_line
from core.traces.packing import refusals
from core.traces.packing.csv_rows import Say, once_each, quiet
from core.traces.packing.layers import MOST_UNPACKED
from core.traces.packing.sources import Meter, TraceFile
from core.traces.problems import Place
from core.traces.rows import Row

EXCEL_COMMAND = how_to_add("excel")
_BATCH = 64
_MOST_HELD = 2**28
"""Bytes of a packed table, or of an Excel file's sheets, that are held in memory (256 MiB)."""


def arrow_rows(file: TraceFile, kind: str, meter: Meter | None = None) -> Generator[Row, None, None]:
    """The rows of a Parquet or Arrow file, a few at a time.

    Raises:
        TraceError: the table is damaged, or too large once unpacked.
    """
    if find_spec("pyarrow") is None:
        raise refusals.no_package(file.name, kind.capitalize(), pip_line("pyarrow"))
    import pyarrow

    size, number, held = file.size(), 0, 0
    with file.content() as content:
        stream = content.stream if content.stream.seekable() else _in_memory(file, content.stream)
        try:
            batches, total = _batches(stream, kind)
            for batch in batches:
                held += batch.nbytes
                if held > MOST_UNPACKED:
                    raise refusals.too_much(file.name, MOST_UNPACKED)
                for record in batch.to_pylist():
                    number += 1
                    yield Row(_without_nulls(record), Place(file.name, number))
                if meter is not None:
                    meter.num_unpacked += batch.nbytes
                    meter.add(size * batch.num_rows // max(total, 1))
        except (pyarrow.ArrowException, OSError, ValueError):
            raise refusals.damaged(file.name, kind.capitalize()) from None


def _batches(stream: BinaryIO, kind: str) -> tuple[Iterator[Any], int]:
    """The table's batches, and how many rows it has (0: unknown)."""
    if kind == "parquet":
        from pyarrow import parquet

        table = parquet.ParquetFile(stream, buffer_size=2**20, pre_buffer=False)
        return table.iter_batches(batch_size=_BATCH, use_threads=False), table.metadata.num_rows
    from pyarrow import ipc

    table = ipc.open_file(stream)
    cut = (table.get_batch(place) for place in range(table.num_record_batches))
    return (part.slice(at, _BATCH) for part in cut for at in range(0, part.num_rows, _BATCH)), 0


def _in_memory(file: TraceFile, stream: BinaryIO) -> BinaryIO:
    """A table that is packed once more: it is read from its end, so it has to be there as a whole."""
    data = stream.read(_MOST_HELD + 1)
    if len(data) > _MOST_HELD:
        raise refusals.too_much(file.name, _MOST_HELD)
    return io.BytesIO(data)


def _without_nulls(value: Any) -> Any:
    """A cell as JSON has it. The fields of a struct that other rows have are no fields of this one."""
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) and len(item) == 2 for item in value):
            return {str(name): _without_nulls(item) for name, item in value}  # a map
        return [_without_nulls(item) for item in value]
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, datetime | date):  # pandas' Timestamp is one of them
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


# -- Excel ------------------------------------------------------------------------------------------------


def sheet_names(file: TraceFile) -> tuple[str, ...]:
    """The sheets of an Excel file.

    Raises:
        TraceError: as `sheet_rows`.
    """
    with file.content() as content:
        return tuple(_workbook(file, content.stream).sheetnames)


def sheet_rows(
    file: TraceFile, sheet: str, meter: Meter | None = None, say: Say = quiet
) -> Generator[Row, None, None]:
    """The rows of a sheet below its first row that is not empty, which names the columns.

    Raises:
        TraceError: openpyxl is not installed, the file is damaged, locked, or too large once unpacked.
    """
    header: list[str] | None = None
    with file.content() as content:
        book = _workbook(file, content.stream)
        for number, cells in enumerate(book[sheet].iter_rows(values_only=True), 1):
            if meter is not None:
                meter.num_unpacked += sum(len(cell) for cell in cells if isinstance(cell, str))
            if all(cell is None for cell in cells):
                continue
            if header is None:
                header = once_each(["" if cell is None else str(cell).strip() for cell in cells], say)
                continue
            pairs = zip(header, cells, strict=False)
            record = {name: _plain(cell) for name, cell in pairs if name and cell is not None}
            yield Row(record, Place(file.name, number))
    if meter is not None:
        meter.add(file.size())


def _workbook(file: TraceFile, stream: BinaryIO) -> Any:
    if find_spec("openpyxl") is None:
        raise refusals.no_package(file.name, "Excel", EXCEL_COMMAND)
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    held = stream if stream.seekable() else _in_memory(file, stream)
    try:
        return load_workbook(held, read_only=True, data_only=True)
    except (InvalidFileException, OSError, ValueError, KeyError):
        raise refusals.damaged(file.name, "Excel") from None
