"""A log of no known format, read by the map that a person chose or that was proposed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from core.errors import TraceError
from core.texts import escaped
from core.traces import problems
from core.traces.building.block_rows import block_request, decide_shape
from core.traces.building.build import Builder
from core.traces.building.reader import Format, Packing
from core.traces.dates import MonthSecondError
from core.traces.field_map import ROLES, FieldMap, value_at
from core.traces.mapping.mapped import facts_of, read_mapped, unfolded
from core.traces.mapping.propose import propose
from core.traces.options import ReadOptions
from core.traces.rows import Row

_SIZE = 512
LONGEST_NAME = 60
_TRIED = 8
"""Records of a head that a proposal may fail to read."""


class _ByMap:
    """Reads every record by one map; where none was chosen, by the proposals, and says so."""

    def __init__(self, builder: Builder, head: Sequence[Row]) -> None:
        self._builder = builder
        chosen = builder.options.field_map
        self._fields = propose(head).field_map if chosen is None else chosen
        builder.field_map = self._fields
        if self._fields.cached and not (self._fields.usage or self._fields.length):
            raise problems.bad_option("map", "cached", "usage or length beside it: the prompt's tokens")
        if chosen is None:
            builder.note("proposed", map=escaped(str(self._fields)))
        missed = _missed(self._fields, head)
        if missed:
            builder.note("map_missed", len(missed), paths=escaped(", ".join(missed)))
        if self._fields.blocks:
            decide_shape(builder, [self._block_row(row) for row in head], _SIZE, "ceil", self._names())

    def add(self, row: Row) -> None:
        if not self._builder.wants(row):
            return
        if self._fields.blocks:
            row = unfolded(row, self._fields)
            facts = facts_of(self._builder, row, self._fields)
            inner = self._block_row(row)
            self._builder.add(block_request(self._builder, inner, names=self._names(), **facts))
        else:
            read_mapped(self._builder, row, self._fields)

    def finish(self) -> None:
        """Nothing was kept back."""

    def _names(self) -> tuple[str, str]:
        return (*self._fields.length, "length")[0], self._fields.blocks[0]

    def _block_row(self, row: Row) -> Row:
        return Row({name: value_at(row.value, name) for name in self._names()}, row.place, row.path)


BY_MAP = Format(
    "field_map",
    "Fields chosen one by one",
    "json",
    frozenset({"text", "tokens", "blocks", "usage", "lengths"}),
    lambda _record: False,  # only where no format claims a record, or a person says so
    _ByMap,
)


def _missed(fields: FieldMap, head: Sequence[Row]) -> list[str]:
    """The roles' paths of which no alternative holds anything in a log's first records."""
    found = []
    for role in ROLES:
        paths = fields.paths(role)
        if paths and not any(value_at(row.value, path) is not None for row in head for path in paths):
            found.append("|".join(paths))
    return found


def by_map(packing: Packing) -> Format:
    """The format of records in this packing that are read by a map."""
    return replace(BY_MAP, packing=packing)


def _reads(field_map: FieldMap, rows: Sequence[Row]) -> bool:
    """Whether a map makes a request of one of these records."""
    for row in rows[:_TRIED]:
        builder = Builder("", ReadOptions(field_map=field_map))
        with suppress(TraceError, RecursionError, MonthSecondError):
            _ByMap(builder, rows).add(row)
            return True
    return False


def is_readable(rows: Sequence[Row]) -> bool:
    """Whether a log's records may be read by their proposals without asking."""
    if not _have_fields(rows):
        return False
    found = propose(rows)
    return found.sure and _reads(found.field_map, rows)


def suggested(rows: Sequence[Row]) -> FieldMap:
    """The map to begin with, where asking is needed; empty where there are no fields."""
    found = propose(rows).field_map if _have_fields(rows) else FieldMap()
    return found if not found.says_what_is_asked or _reads(found, rows) else FieldMap()


def _have_fields(rows: Sequence[Row]) -> bool:
    """Whether these are records with names: a text of lines, cut at its commas, has none."""
    return bool(rows) and all(0 < len(name) <= LONGEST_NAME for name in rows[0].value)
