"""A shared store as the lowest tier of an engine: a miss is always legal, and nothing else ever happens.

Whatever the store does (slow, full, restarted, gone, wrong about a slot), what comes back is a shorter hit.
Each call lasts a deadline at most, and after one that failed the next few do not ask at all: 1, then 2, 4, up
to 64 calls, so a store that is gone costs a deadline now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.cluster.store.store import Hold, Store, T, Ticket, whole
from core.errors import StoreError
from core.types import BlockHash

MOST_SKIPPED = 64


@dataclass(slots=True)
class Counters:
    """``asked`` and ``hit`` in blocks; ``wrong``: read, seen to be not what was asked for, and left out.
    ``failed``: calls that raised; ``skipped``: calls that were not made; ``codes``: of what was raised."""

    asked: int = 0
    hit: int = 0
    wrong: int = 0
    kept: int = 0
    failed: int = 0
    skipped: int = 0
    codes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """The KV of the first ``len(shards)`` blocks of a chain: for each block a payload for each rank. Pinned
    until ``SharedTier.end``."""

    shards: tuple[tuple[bytes, ...], ...]
    hold: Hold | None = None


class SharedTier:
    """``store`` None (it could not be opened): every look-up misses."""

    def __init__(self, store: Store | None) -> None:
        self.counters = Counters()
        self._store = store
        self._pause = self._last_pause = 0

    def begin(self, keys: Sequence[BlockHash]) -> Found:
        """What the store has of a chain, from its head, verified."""
        self.counters.asked += len(keys)
        found = self._try(lambda store: self._fetch(store, keys))
        self.counters.hit += len(found.shards) if found else 0
        return found or Found(())

    def keep(self, key: BlockHash, parent: BlockHash | None, shards: Sequence[bytes]) -> bool:
        """Offer a computed block. False: the store has not taken it, which is nobody's concern."""
        kept = bool(self._try(lambda store: _put(store, key, parent, shards)))
        self.counters.kept += kept
        return kept

    def end(self, found: Found) -> None:
        """Let go of what ``begin`` found. Where that fails, the lease ends it."""
        if (hold := found.hold) is not None:
            self._try(lambda store: store.unpin(hold))

    def _fetch(self, store: Store, keys: Sequence[BlockHash]) -> Found:
        hold = whole(store.look_up(keys))
        shards = store.read_all(hold)
        self.counters.wrong += len(shards) < len(hold.slots)
        return Found(tuple(shards), hold if hold.slots else None)

    def _try(self, call: Callable[[Store], T]) -> T | None:
        if self._store is None or self._pause > 0:
            self._pause -= self._store is not None
            self.counters.skipped += 1
            return None
        try:
            value = call(self._store)
        except StoreError as error:
            self.counters.failed += 1
            self.counters.codes[error.code] = self.counters.codes.get(error.code, 0) + 1
            self._pause = self._last_pause = min(MOST_SKIPPED, 2 * self._last_pause or 1)
            return None
        self._last_pause = 0
        return value


def _put(store: Store, key: BlockHash, parent: BlockHash | None, shards: Sequence[bytes]) -> bool:
    ticket = whole(store.claim(key, parent))
    if not isinstance(ticket, Ticket):
        return ticket == "present"
    for rank, payload in enumerate(shards):
        if not store.write(ticket, rank, payload):
            return False
    return [store.finish(ticket, rank) for rank in range(len(shards))][-1] == "visible"
