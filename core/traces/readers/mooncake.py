"""Mooncake (FAST'25): `timestamp, input_length, output_length, hash_ids`.

Source rule: timestamps in milliseconds; one id covers 512 tokens; the last one is a partial tail when the
length is not a multiple (ceil), so it must not be counted as 512 tokens. Ids are chained in the published
traces, which nothing promises: they are re-chained here. Files of the same shape with another block size or
without the tail (floor) are recognised by their lengths, and the note says so.

The variant of kvcache-simulator adds `block_size` (the same in every line), `block_tokens` (tokens per block)
and ids as decimal texts; it is replayed in the file's order, whatever the timestamps say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import TraceError
from core.traces.building.block_rows import block_request, decide_shape
from core.traces.building.build import Builder
from core.traces.building.own_load import note_run
from core.traces.building.reader import Format
from core.traces.rows import Row, as_whole
from core.traces.timestamps import milliseconds

BLOCK_SIZE = 512


class _Mooncake:
    def __init__(self, builder: Builder, head: Sequence[Row]) -> None:
        self._builder = builder
        decide_shape(builder, head, BLOCK_SIZE, "ceil")
        note_run(builder, head)

    def add(self, row: Row) -> None:
        arrival = milliseconds(row, "timestamp")
        self._builder.add(block_request(self._builder, row, arrival_s=arrival))

    def finish(self) -> None:
        """Nothing was kept back."""


class _Simulator:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        builder.keep_file_order = True
        builder.shape.convention = builder.options.convention or "ceil"

    def add(self, row: Row) -> None:
        shape = self._builder.shape
        size = self._builder.options.block_size or row.whole("block_size", least=1, most=2**20)
        if shape.block_size not in (None, size):
            raise row.wrong("block_size", f"{shape.block_size}, as in the lines before")
        before, shape.block_size = shape.block_size, size
        try:
            _check_weights(row, size)
            request = block_request(self._builder, row)
        except TraceError:
            shape.block_size = before  # a broken first line decides nothing
            raise
        self._builder.add(request)
        if row.get("timestamp") is not None:
            self._builder.note("times_ignored")

    def finish(self) -> None:
        """Nothing was kept back."""


def _check_weights(row: Row, block_size: int) -> None:
    """`block_tokens`: every block but the last is full, and together they are the prompt."""
    if row.get("block_tokens") is None:
        return
    weights = [as_whole(weight) or 0 for weight in row.items("block_tokens")]
    if not all(0 < weight <= block_size for weight in weights):
        raise row.wrong("block_tokens", f"whole numbers from 1 to {block_size}", row.items("block_tokens"))
    if any(weight != block_size for weight in weights[:-1]):
        raise row.wrong("block_tokens", f"{block_size} for every block but the last", weights)
    if sum(weights) != row.whole("input_length"):
        raise row.wrong("block_tokens", f"a sum of {row.whole('input_length')} (input_length)", weights)


def _claims(data: Mapping[str, Any]) -> bool:
    return "hash_ids" in data and "input_length" in data


def _claims_simulator(data: Mapping[str, Any]) -> bool:
    return _claims(data) and "block_size" in data


MOONCAKE = Format("mooncake", "Mooncake", "json", frozenset({"blocks"}), _claims, _Mooncake)
SIMULATOR = Format(
    "mooncake_simulator",
    "Mooncake, kvcache-simulator's variant",
    "json",
    frozenset({"blocks"}),
    _claims_simulator,
    _Simulator,
)
