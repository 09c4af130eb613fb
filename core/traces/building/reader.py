"""What a reader is: it takes one record after the other and gives requests to a `Builder`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from core.traces.building.build import Builder
from core.traces.model import Fact
from core.traces.rows import Row

Packing = Literal["json", "csv", "lines"]


class Reader(Protocol):
    """One format, during one reading."""

    def add(self, row: Row) -> None:
        """Read one record, all of it or (on an error) nothing.

        Raises:
            TraceError: the record is broken.
        """
        ...

    def finish(self) -> None:
        """There are no more records."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """One input format.

    `claims` says whether a record looks like it: a JSON object's fields, a table's row by column, or
    {"line": text}. `gives` is what such logs can carry. `make` gets the builder and the first records.
    """

    name: str
    title: str
    packing: Packing
    gives: frozenset[Fact]
    claims: Callable[[Mapping[str, Any]], bool]
    make: Callable[[Builder, Sequence[Row]], Reader]


class EachRow:
    """A reader whose records have nothing to do with each other: a function per record."""

    def __init__(self, builder: Builder, read: Callable[[Builder, Row], None]) -> None:
        self._builder = builder
        self._read = read

    def add(self, row: Row) -> None:
        self._read(self._builder, row)

    def finish(self) -> None:
        """Nothing was kept back."""


def each_row(read: Callable[[Builder, Row], None]) -> Callable[[Builder, Sequence[Row]], Reader]:
    """`make` for a format that needs no state."""
    return lambda builder, _head: EachRow(builder, read)
