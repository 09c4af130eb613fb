"""KV events as vLLM publishes them (stored, removed, cleared): told by ``Engine.publish``, or read off a log.

Read side. One ``KVStored`` per caching call, one ``KVRemoved`` per evicted block (a consumer must count
copies per hash), one ``KVCleared`` per successful reset; hits, touches and releases are not announced
(rules 48-51). How they travel on the wire is another matter (docs/fidelity.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.engine.events import BlockEvicted, BlockStored, CacheReset, Event
from core.types import BlockHash


@dataclass(frozen=True, slots=True)
class KVStored:
    """Newly cached hashes, in order; ``parent_hash`` is null if the first of them is block 0."""

    hashes: tuple[BlockHash, ...]
    parent_hash: BlockHash | None


@dataclass(frozen=True, slots=True)
class KVRemoved:
    """One block lost this content."""

    hash: BlockHash


@dataclass(frozen=True, slots=True)
class KVCleared:
    """The whole cache was emptied."""


KVEvent = KVStored | KVRemoved | KVCleared
Publish = Callable[[KVEvent], None]


def kv_events(events: Iterable[Event]) -> list[KVEvent]:
    """Translate a log made with ``block_events=True``. O(events)."""
    published: list[KVEvent] = []
    hashes: list[BlockHash] = []  # of the caching call that may still go on
    parent: BlockHash | None = None
    previous: Event | None = None
    for event in events:
        if hashes and not _continues(previous, event):
            published.append(KVStored(tuple(hashes), parent))
            hashes = []
        if isinstance(event, BlockStored):
            if not hashes:
                parent = event.parent_hash
            hashes.append(event.hash)
        elif isinstance(event, BlockEvicted):
            published.append(KVRemoved(event.hash))
        elif isinstance(event, CacheReset) and event.ok:
            published.append(KVCleared())
        previous = event
    if hashes:
        published.append(KVStored(tuple(hashes), parent))
    return published


def _continues(previous: Event | None, event: Event) -> bool:
    """Blocks of one caching call follow each other without any other event between them."""
    return (
        isinstance(previous, BlockStored)
        and isinstance(event, BlockStored)
        and previous.request_id == event.request_id
        and previous.index + 1 == event.index
    )
