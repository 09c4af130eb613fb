"""Policies beyond vLLM, each off by default: cap, hot-prefix admission, time to live, version namespace.

One small interface. The cache controller asks a policy three things (may this content be stored? which
blocks must go now? into which namespace does a new request hash?) and tells it four (a request offered
this content; a block was stored / became idle / was forgotten). A policy decides; the controller acts.
Their exact meaning stands in ``docs/fidelity.md``.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator

from core.engine.events import EvictionCause, RefusalCause
from core.types import BlockHash, BlockId, EngineConfig, TtlKind

LastAccess = Callable[[BlockId], int]


class CachePolicy:
    """The interface, and its neutral element: everything is stored, nothing expires, no namespace."""

    cause: EvictionCause = "forced"
    refusal: RefusalCause = "sightings"
    selective = False  # whether ``admits`` or ``num_over`` may ever say no

    def offered(self, digest: BlockHash, clock: int) -> None:
        """An admitted request offers this content (once per request and content)."""

    def admits(self, digest: BlockHash, clock: int) -> bool:
        """May this content be stored now? A question: changes nothing."""
        return True

    def sightings(self, digest: BlockHash, clock: int) -> tuple[int, int]:
        """(times seen, times needed), for the sentence that explains a refusal."""
        return (1, 1)

    def stored(self, block_id: BlockId, clock: int) -> None:
        """A block was given content."""

    def forgotten(self, block_id: BlockId) -> None:
        """A block lost its content."""

    def expired(self, idle: Iterable[BlockId], clock: int) -> Iterator[BlockId]:
        """Idle cached blocks that must lose their content now, oldest first. ``idle``: LRU order."""
        return iter(())

    def num_over(self, num_cached: int) -> int:
        """How many cached blocks are too many."""
        return 0

    def namespace(self) -> str:
        """What keeps contents of different worlds apart; part of the first block's extras."""
        return ""


class CapacityCap(CachePolicy):
    """At most ``cap`` blocks carry content; the least recently used idle ones go first.

    When all cached blocks are held, a new content is not stored. The pool itself keeps its size.
    """

    cause: EvictionCause = "cap"
    refusal: RefusalCause = "cap"
    selective = True

    def __init__(self, cap: int) -> None:
        self.cap = cap

    def num_over(self, num_cached: int) -> int:
        return max(num_cached - self.cap, 0)


class HotPrefixAdmission(CachePolicy):
    """Store a content only from its ``admit_after``-th sighting within the last ``window`` ticks.

    A sighting is an admitted request that offers the block, hit or not. Counting offers, not look-ups:
    a look-up stops at the first miss, so the end of a prefix would need many more requests.
    """

    selective = True

    def __init__(self, admit_after: int, window: int | None) -> None:
        self.admit_after = admit_after
        self.window = window
        self._seen: OrderedDict[BlockHash, deque[int]] = OrderedDict()

    def take_over(self, former: HotPrefixAdmission) -> None:
        """Keep what a predecessor with other settings had counted (at most its own threshold each)."""
        self._seen = OrderedDict(
            (digest, deque(times, maxlen=self.admit_after)) for digest, times in former._seen.items()
        )

    def offered(self, digest: BlockHash, clock: int) -> None:
        times = self._seen.setdefault(digest, deque(maxlen=self.admit_after))
        times.append(clock)
        self._seen.move_to_end(digest)
        self._forget_old(clock)

    def _forget_old(self, clock: int) -> None:
        """Contents not seen within the window cannot count any more; memory stays bounded by it."""
        if self.window is None:
            return
        while self._seen:
            oldest = next(iter(self._seen))
            if clock - self._seen[oldest][-1] < self.window:
                return
            del self._seen[oldest]

    def sightings(self, digest: BlockHash, clock: int) -> tuple[int, int]:
        times = self._seen.get(digest, ())
        recent = sum(1 for time in times if self.window is None or clock - time < self.window)
        return (recent, self.admit_after)

    def admits(self, digest: BlockHash, clock: int) -> bool:
        seen, needed = self.sightings(digest, clock)
        return seen >= needed


class TimeToLive(CachePolicy):
    """A content expires when its age exceeds ``ttl`` ticks; a held block never expires.

    Idle age counts from the last use (hit, allocation or release), absolute age from the moment the
    block was stored. Expiry happens at the start of the next command, oldest first.
    """

    cause: EvictionCause = "ttl"

    def __init__(self, ttl: int, kind: TtlKind, last_access: LastAccess) -> None:
        self.ttl = ttl
        self.kind = kind
        self._last_access = last_access
        self._stored_at: OrderedDict[BlockId, int] = OrderedDict()

    def start_with(self, cached: Iterable[BlockId], clock: int) -> None:
        """Blocks cached before this policy existed count as stored now."""
        self._stored_at = OrderedDict.fromkeys(cached, clock)

    def take_over(self, former: TimeToLive) -> None:
        """Keep the ages a predecessor with other settings knew."""
        self._stored_at = OrderedDict(former._stored_at)

    def stored(self, block_id: BlockId, clock: int) -> None:
        self._stored_at[block_id] = clock
        self._stored_at.move_to_end(block_id)

    def forgotten(self, block_id: BlockId) -> None:
        self._stored_at.pop(block_id, None)

    def expired(self, idle: Iterable[BlockId], clock: int) -> Iterator[BlockId]:
        if self.kind == "idle":
            for block_id in idle:
                if clock - self._last_access(block_id) <= self.ttl:
                    return
                yield block_id
        else:
            free = set(idle)
            for block_id, stored_at in self._stored_at.items():
                if clock - stored_at <= self.ttl:
                    return
                if block_id in free:
                    yield block_id


class VersionNamespace(CachePolicy):
    """Contents of one version of the model or template never match another's; the old ones drain."""

    def __init__(self, version: str) -> None:
        self.version = version

    def namespace(self) -> str:
        return self.version


def policies_for(config: EngineConfig, last_access: LastAccess) -> list[CachePolicy]:
    """The policies that the settings switch on; none of them for plain vLLM behaviour."""
    policies: list[CachePolicy] = []
    if config.version:
        policies.append(VersionNamespace(config.version))
    if config.admit_after > 1:
        policies.append(HotPrefixAdmission(config.admit_after, config.admit_window))
    if config.cache_cap is not None:
        policies.append(CapacityCap(config.cache_cap))
    if config.ttl is not None:
        policies.append(TimeToLive(config.ttl, config.ttl_kind, last_access))
    return policies
