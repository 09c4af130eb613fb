"""Recorded KV events of vLLM or SGLang, decoded: `ts, events[], data_parallel_rank`.

Source rule: `BlockStored` (block_hashes, block_size, token_ids, …), `BlockRemoved` (block_hashes),
`AllBlocksCleared`; an event is a map or, in older versions, an array with the name first. The same hash can
be stored twice and removed twice: copies count. There is no request and no hit in such a stream, so it tells
how many blocks came and went and how many were held, and no hit rate can be derived from it.

A batch is a map with those names, or the array that is sent, `[ts, events, rank]`, alone on its line or as
`decoded` in a recorder's own record.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.engine_facts import EventTotals
from core.traces.packing.json_rows import is_kv_batch, kv_batch_fields
from core.traces.recording import (
    AllCleared,
    BlocksRemoved,
    BlocksStored,
    Pool,
    RecordedBatch,
    RecordedEvent,
    digest_of,
)
from core.traces.rows import Row
from core.traces.timestamps import time_or_none
from core.types import BlockHash

_DIGITS = re.compile(r"-?\d+|(?:0x)?[0-9a-fA-F]+", re.ASCII)
_BASE64 = re.compile(r"(?=.*\d|.*[A-Z])[A-Za-z0-9+/_-]+={0,2}", re.ASCII)
_ARRAY_FIELDS = {
    "BlockStored": (
        *("block_hashes", "parent_block_hash", "token_ids", "block_size"),
        *("lora_id", "medium", "lora_name", "extra_keys", "group_idx"),
    ),
    "BlockRemoved": ("block_hashes", "medium", "group_idx"),
    "AllBlocksCleared": (),
}


class _Events:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._copies: Counter[BlockHash] = Counter()
        self._seen: set[BlockHash] = set()
        self._sizes: set[int] = set()
        self._counts: Counter[str] = Counter()
        self._num_live = 0
        self._peak = 0
        self._batches: list[RecordedBatch] = []
        self._sparse: list[tuple[int, int]] = []  # hashes and blocks of tokens, where these differ

    def add(self, row: Row) -> None:
        if is_kv_batch(row.get("decoded")):
            row = Row(kv_batch_fields(row.items("decoded")), row.place, row.name("decoded"))
        rank = row.whole_or_none("data_parallel_rank")
        time_or_none(row, "ts")
        sparse: list[tuple[int, int]] = []
        events = enumerate(row.items("events"))
        batch = tuple(_event(row, index, item, rank, sparse) for index, item in events)
        self._batches.append(batch)
        self._sparse += sparse
        for event in batch:
            self._apply(event)

    def _apply(self, event: RecordedEvent) -> None:
        match event:
            case AllCleared():
                self._counts["cleared"] += 1
                self._copies.clear()
                self._num_live = 0
            case BlocksStored(hashes=hashes, block_size=size):
                if size is not None:
                    self._sizes.add(size)
                self._counts["stored"] += len(hashes)
                self._copies.update(hashes)
                self._seen.update(hashes)
                self._num_live += len(hashes)
                self._peak = max(self._peak, self._num_live)
            case BlocksRemoved(hashes=hashes):
                self._counts["removed"] += len(hashes)
                for block in hashes:
                    self._remove(block)

    def _remove(self, block: BlockHash) -> None:
        if self._copies[block] <= 0:
            del self._copies[block]
            self._counts["unknown"] += 1  # stored before the recording began
            return
        self._num_live -= 1
        self._copies[block] -= 1

    def finish(self) -> None:
        if not self._batches:
            return
        self._builder.recording = tuple(self._batches)
        self._builder.note("no_requests")
        if self._sparse:
            hashes, blocks = map(sum, zip(*self._sparse, strict=True))
            self._builder.note("tokens_dropped", len(self._sparse), hashes=hashes, blocks=blocks)
        self._builder.events = EventTotals(
            num_batches=len(self._batches),
            num_stored=self._counts["stored"],
            num_removed=self._counts["removed"],
            num_cleared=self._counts["cleared"],
            num_hashes=len(self._seen),
            num_live=self._num_live,
            peak_live=self._peak,
            num_unknown_removed=self._counts["unknown"],
            block_sizes=tuple(sorted(self._sizes)),
        )


def _event(
    row: Row, index: int, item: object, rank: int | None, sparse: list[tuple[int, int]]
) -> RecordedEvent:
    """One event, whichever way it is written. `sparse`: takes what does not fit together."""
    kind, event = _fields(row, index, item)
    pool = (rank, event.label("medium"), event.whole_or_none("group_idx"))
    if kind == "AllBlocksCleared":
        return AllCleared(rank)
    hashes = tuple(_hash(event, item) for item in event.items("block_hashes"))
    if kind == "BlockRemoved":
        return BlocksRemoved(pool, hashes)
    return _stored(event, pool, hashes, sparse)


def _stored(
    event: Row, pool: Pool, hashes: tuple[BlockHash, ...], sparse: list[tuple[int, int]]
) -> BlocksStored:
    size, parent = event.whole_or_none("block_size", least=1), event.get("parent_block_hash")
    tokens = event.token_ids("token_ids") if event.get("token_ids") is not None else array("I")
    if size is not None and tokens and len(tokens) != size * len(hashes):
        sparse.append((len(hashes), -(-len(tokens) // size)))
    if size is None or len(tokens) != size * len(hashes):
        tokens = array("I")  # nobody can say whose they are
    return BlocksStored(pool, hashes, None if parent is None else _hash(event, parent), tokens, size)


def _hash(event: Row, item: object) -> BlockHash:
    if type(item) is int or (isinstance(item, str) and _is_hash(item)):
        return digest_of(item)
    raise event.wrong("block_hashes", "whole numbers, or texts of hex digits or base64", item)


def _is_hash(text: str) -> bool:
    """Whether a text can be a published hash: digits, hex digits, or base64 of 8 bytes or more."""
    return _DIGITS.fullmatch(text) is not None or (len(text) >= 11 and _BASE64.fullmatch(text) is not None)


def _fields(row: Row, index: int, item: object) -> tuple[str, Row]:
    """One event as a map."""
    path = f"{row.name('events')}[{index}]"
    if isinstance(item, list) and item and isinstance(item[0], str) and item[0] in _ARRAY_FIELDS:
        names = _ARRAY_FIELDS[item[0]]
        return item[0], Row(dict(zip(names, item[1:], strict=False)), row.place, path)
    event = row.element("events", index, item)
    kind = event.text("type")
    if kind not in _ARRAY_FIELDS:
        raise row.place.wrong(f"{path}.type", "one of " + ", ".join(_ARRAY_FIELDS), kind)
    return kind, event


def _claims(data: Mapping[str, Any]) -> bool:
    return (isinstance(data.get("events"), list) and "ts" in data) or is_kv_batch(data.get("decoded"))


KV_EVENTS = Format("kv_events", "KV events (vLLM, SGLang)", "json", frozenset({"events"}), _claims, _Events)
