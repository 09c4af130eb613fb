"""Recorded KV events of vLLM or SGLang, decoded: `ts, events[], data_parallel_rank`.

Source rule: `BlockStored` (block_hashes, block_size, token_ids, …), `BlockRemoved` (block_hashes),
`AllBlocksCleared`; an event is a map or, in older versions, an array with the name first. The same hash can
be stored twice and removed twice: copies count. There is no request and no hit in such a stream, so it tells
how many blocks came and went and how many were held, and no hit rate can be derived from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.traces import problems
from core.traces.build import Builder
from core.traces.engine_facts import EventTotals
from core.traces.reader import Format, Reader
from core.traces.rows import Row

_ARRAY_FIELDS = {
    "BlockStored": ("block_hashes", "parent_block_hash", "token_ids", "block_size"),
    "BlockRemoved": ("block_hashes",),
    "AllBlocksCleared": (),
}


class _Events:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._copies: Counter[int | str] = Counter()
        self._seen: set[int | str] = set()
        self._sizes: set[int] = set()
        self._counts: Counter[str] = Counter()
        self._num_live = 0
        self._peak = 0

    def add(self, row: Row) -> None:
        events = [_event(row, index, item) for index, item in enumerate(row.items("events"))]
        read = [(kind, self._hashes(event, kind), self._size(event, kind)) for kind, event in events]
        self._counts["batches"] += 1
        for kind, hashes, size in read:
            if size is not None:
                self._sizes.add(size)
            self._apply(kind, hashes)

    def _hashes(self, event: Row, kind: str) -> list[int | str]:
        if kind == "AllBlocksCleared":
            return []
        hashes = event.items("block_hashes")
        if not all(type(item) is int or isinstance(item, str) for item in hashes):
            raise event.wrong("block_hashes", "a list of whole numbers or texts")
        return hashes

    def _size(self, event: Row, kind: str) -> int | None:
        return event.whole_or_none("block_size", least=1) if kind == "BlockStored" else None

    def _apply(self, kind: str, hashes: list[int | str]) -> None:
        if kind == "AllBlocksCleared":
            self._counts["cleared"] += 1
            self._copies.clear()
            self._num_live = 0
        elif kind == "BlockStored":
            self._counts["stored"] += len(hashes)
            self._copies.update(hashes)
            self._seen.update(hashes)
            self._num_live += len(hashes)
            self._peak = max(self._peak, self._num_live)
        else:
            self._counts["removed"] += len(hashes)
            for block in hashes:
                self._remove(block)

    def _remove(self, block: int | str) -> None:
        if self._copies[block] <= 0:
            del self._copies[block]
            self._counts["unknown"] += 1  # stored before the recording began
            return
        self._num_live -= 1
        self._copies[block] -= 1

    def finish(self) -> None:
        if not self._counts["batches"]:
            return
        self._builder.note("no_requests")
        self._builder.events = EventTotals(
            num_batches=self._counts["batches"],
            num_stored=self._counts["stored"],
            num_removed=self._counts["removed"],
            num_cleared=self._counts["cleared"],
            num_hashes=len(self._seen),
            num_live=self._num_live,
            peak_live=self._peak,
            num_unknown_removed=self._counts["unknown"],
            block_sizes=tuple(sorted(self._sizes)),
        )


def _event(row: Row, index: int, item: object) -> tuple[str, Row]:
    """One event as a map, whichever way it is written."""
    path = f"{row.name('events')}[{index}]"
    if isinstance(item, list) and item and isinstance(item[0], str) and item[0] in _ARRAY_FIELDS:
        names = _ARRAY_FIELDS[item[0]]
        return item[0], Row(dict(zip(names, item[1:], strict=False)), row.place, path)
    event = row.element("events", index, item)
    kind = event.text("type")
    if kind not in _ARRAY_FIELDS:
        raise problems.wrong(row.place, f"{path}.type", "one of " + ", ".join(_ARRAY_FIELDS), kind)
    return kind, event


def _claims(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("events"), list) and "ts" in data


def _make(builder: Builder, head: Sequence[Row]) -> Reader:
    return _Events(builder, head)


KV_EVENTS = Format("kv_events", "KV events (vLLM, SGLang)", "json", frozenset({"events"}), _claims, _make)
