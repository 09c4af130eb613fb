"""Plain values under a server's own eviction, as most pools keep them (LMCache on Valkey: EXISTS, GET, SET).

The server's LRU knows no chains: it samples a few keys and throws the oldest away (``allkeys-lru``). Asked
from the head on, the head of a chain is always the oldest. What hangs on a key that is gone stays in memory
until it ages out, and nobody can reach it. The server counts ages in seconds: the more is evicted within one,
the more its choice is by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.types import BlockHash


@dataclass(frozen=True, slots=True)
class Remains:
    """Of the chains that were put: blocks and bytes in the server, and those whose head is not there."""

    blocks: int
    bytes: int
    unreachable: int
    unreachable_bytes: int


def look_up(client: Any, keys: Sequence[BlockHash]) -> int:
    """How many blocks from the head on are there: one EXISTS each, in one batch."""
    batch = client.pipeline(transaction=False)
    for key in keys:
        batch.exists(key)
    found = batch.execute()
    return found.index(0) if 0 in found else len(found)


def serve(client: Any, keys: Sequence[BlockHash], value: bytes) -> int:
    """Look up, GET what is there, SET the rest; returns blocks that could be reused."""
    hit = look_up(client, keys)
    batch = client.pipeline(transaction=False)
    for key in keys[:hit]:
        batch.get(key)
    for key in keys[hit:]:
        batch.set(key, value)
    read = batch.execute()[:hit]
    return next((place for place, data in enumerate(read) if data is None), hit)


def remains(client: Any, parents: Mapping[BlockHash, BlockHash | None]) -> Remains:
    """``parents``: of each key that was ever put, the one before it (None: it is a head)."""
    there = {key: client.strlen(key) for key in client.scan_iter(count=1000) if key in parents}
    reachable: dict[BlockHash, bool] = {}
    for key in parents:  # in the order in which they were put, so a parent comes first
        before = parents[key]
        reachable[key] = key in there and (before is None or reachable[before])
    apart = [key for key in there if not reachable[key]]
    return Remains(len(there), sum(there.values()), len(apart), sum(there[key] for key in apart))
