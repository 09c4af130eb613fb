"""Policies beyond vLLM, each off by default: hot-prefix admission, cap, time to live.

One small interface. A policy is told what happens (a request offered contents; blocks were stored, or lost
their content; the settings changed) and answers three questions: how often must this content be seen before
it is stored, which idle blocks are too old, how many cached blocks are too many? A policy decides;
``policy_cache`` acts. Their exact meaning stands in ``docs/fidelity.md``.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.engine.events import EvictionCause, RefusalCause
from core.types import BlockHash, BlockId, EngineConfig


class CachePolicy:
    """The interface, and its neutral element: everything is stored, nothing expires, there is no cap.

    ``eviction`` and ``refusal`` name what this policy does in the news. Without a ``refusal`` it never keeps
    content out, and is not asked.
    """

    eviction: EvictionCause = "forced"
    refusal: RefusalCause | None = None

    def configure(self, config: EngineConfig, cached: Iterable[BlockId], clock: int) -> bool:
        """Go on under these settings, with these blocks cached. Returns whether it has anything to do."""
        return False

    def offered(self, digests: Iterable[BlockHash], clock: int) -> None:
        """An admitted request offers these contents (once per request and content)."""

    def stored(self, block_ids: Sequence[BlockId], clock: int) -> None:
        """Blocks were given content."""

    def forgotten(self, block_ids: Sequence[BlockId]) -> None:
        """Blocks carry no content any more, if they ever did."""

    def sightings(self, digest: BlockHash, clock: int) -> tuple[int, int]:
        """(times this content was seen, times needed before it is stored)."""
        return (1, 1)

    def expired(self, idle: Mapping[BlockId, int], clock: int) -> Iterator[BlockId]:
        """Idle cached blocks that must lose their content now, oldest first. ``idle``: since when each is
        idle, in LRU order."""
        return iter(())

    def num_over(self, num_cached: int) -> int:
        """Of so many cached blocks, how many are too many."""
        return 0


class HotPrefixAdmission(CachePolicy):
    """Store a content only from its ``admit_after``-th sighting within the last ``admit_window`` ticks.

    A sighting is an admitted request that offers the block, hit or not. Counting offers, not look-ups:
    a look-up stops at the first miss, so the end of a prefix would need many more requests. A changed
    threshold keeps what was counted (at most the threshold each); switching off forgets it.
    """

    refusal: RefusalCause | None = "sightings"

    def __init__(self) -> None:
        self._needed = 1
        self._window: int | None = None
        self._seen: OrderedDict[BlockHash, deque[int]] = OrderedDict()

    def configure(self, config: EngineConfig, cached: Iterable[BlockId], clock: int) -> bool:
        self._needed, self._window = config.admit_after, config.admit_window
        kept = self._seen.items() if self._needed > 1 else ()
        self._seen = OrderedDict((digest, deque(times, maxlen=self._needed)) for digest, times in kept)
        return self._needed > 1

    def offered(self, digests: Iterable[BlockHash], clock: int) -> None:
        for digest in digests:
            self._seen.setdefault(digest, deque(maxlen=self._needed)).append(clock)
            self._seen.move_to_end(digest)
            self._forget_old(clock)

    def _forget_old(self, clock: int) -> None:
        """Contents not seen within the window cannot count any more; memory stays bounded by it."""
        while self._window is not None and self._seen:
            oldest = next(iter(self._seen))
            if clock - self._seen[oldest][-1] < self._window:
                return
            del self._seen[oldest]

    def sightings(self, digest: BlockHash, clock: int) -> tuple[int, int]:
        times = self._seen.get(digest, ())
        recent = sum(1 for time in times if self._window is None or clock - time < self._window)
        return (recent, self._needed)


class CapacityCap(CachePolicy):
    """At most ``cache_cap`` blocks carry content; the least recently used idle ones go first.

    When all cached blocks are held, a new content is not stored. The pool itself keeps its size.
    """

    eviction: EvictionCause = "cap"
    refusal: RefusalCause | None = "cap"

    def __init__(self) -> None:
        self._cap = 0

    def configure(self, config: EngineConfig, cached: Iterable[BlockId], clock: int) -> bool:
        self._cap = config.num_usable if config.cache_cap is None else config.cache_cap
        return config.cache_cap is not None

    def num_over(self, num_cached: int) -> int:
        return max(num_cached - self._cap, 0)


class TimeToLive(CachePolicy):
    """A content expires when its age exceeds ``ttl`` ticks; a held block never expires.

    Idle age counts from the last use (hit, allocation or release), absolute age from the moment the block was
    stored, or from when this policy was switched on. Expiry happens at the start of the next command, oldest
    first.
    """

    eviction: EvictionCause = "ttl"

    def __init__(self) -> None:
        self._ttl: int | None = None
        self._by_use = True
        self._stored_at: OrderedDict[BlockId, int] = OrderedDict()

    def configure(self, config: EngineConfig, cached: Iterable[BlockId], clock: int) -> bool:
        if self._ttl is None:
            self._stored_at = OrderedDict.fromkeys(cached, clock)
        self._ttl, self._by_use = config.ttl, config.ttl_kind == "idle"
        return self._ttl is not None

    def stored(self, block_ids: Sequence[BlockId], clock: int) -> None:
        for block_id in block_ids:
            self._stored_at[block_id] = clock
            self._stored_at.move_to_end(block_id)

    def forgotten(self, block_ids: Sequence[BlockId]) -> None:
        for block_id in block_ids:
            self._stored_at.pop(block_id, None)

    def expired(self, idle: Mapping[BlockId, int], clock: int) -> Iterator[BlockId]:
        assert self._ttl is not None
        for block_id, since in (idle if self._by_use else self._stored_at).items():
            if clock - since <= self._ttl:
                return
            if block_id in idle:
                yield block_id
