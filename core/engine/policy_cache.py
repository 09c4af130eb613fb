"""PolicyCache: policies of our own around the cache. An engine whose settings use none runs without it.

The Scheduler speaks to it as to the CacheController. It asks its policies and acts on the cache; which
policies there are is of no concern to it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence as SequenceOf
from itertools import islice

from core.engine.block_manager import BlockManager
from core.engine.cache_controller import CacheController
from core.engine.events import BlockNotStored
from core.engine.policies import CachePolicy, CapacityCap, HotPrefixAdmission, TimeToLive
from core.engine.sequence import Sequence
from core.types import BlockHash, BlockId, EngineConfig, RequestId


class PolicyCache:
    """A cache in which policies keep content out, or drop that of idle blocks. All sizes in blocks."""

    def __init__(self, config: EngineConfig, cache: CacheController, blocks: BlockManager) -> None:
        self._cache = cache
        self._blocks = blocks
        self.match, self.carriers, self.idle = cache.match, cache.carriers, cache.idle  # questions pass
        self._all: tuple[CachePolicy, ...] = (HotPrefixAdmission(), CapacityCap(), TimeToLive())
        self._on: list[CachePolicy] = []
        self._gates: list[CachePolicy] = []  # those that may keep content out
        self._kept_out: set[RequestId] = set()  # whose table has a block that a policy kept out
        # The cached part of the free queue, front first: idle blocks, and since when they are idle.
        last_access, queue = cache.notes.last_access, cache.idle(blocks.queue())
        self._idle = OrderedDict((block_id, last_access[block_id] or 0) for block_id in queue)
        self.configure(config)

    def configure(self, config: EngineConfig) -> None:
        """Take over changed settings; what is cached stays unless a policy says otherwise."""
        cached = [block_id for block_id, state in enumerate(self._cache.states(), 1) if state[1] is not None]
        self._on = [policy for policy in self._all if policy.configure(config, cached, self._clock)]
        self._gates = [policy for policy in self._on if policy.refusal]
        self._drop_surplus()

    @property
    def _clock(self) -> int:
        return self._cache.notes.clock

    # -- what passes ----------------------------------------------------------------------------------

    def touch(self, request_id: RequestId, block_ids: SequenceOf[BlockId]) -> None:
        """As ``CacheController.touch``."""
        self._cache.touch(request_id, block_ids)
        for block_id in block_ids:
            self._idle.pop(block_id, None)

    def allocate(self, request_id: RequestId, first_index: int, count: int) -> list[BlockId]:
        """As ``CacheController.allocate``."""
        taken = self._cache.allocate(request_id, first_index, count)
        self._forget(taken)
        return taken

    def release(
        self, request_id: RequestId, block_ids: SequenceOf[BlockId], num_computed: int | None = None
    ) -> None:
        """As ``CacheController.release``; what is idle now may be too much."""
        self._cache.release(request_id, block_ids, num_computed)
        self._kept_out.discard(request_id)
        for block_id in self._cache.idle(reversed(block_ids)):
            self._idle[block_id] = self._clock
            self._idle.move_to_end(block_id)
        self._drop_surplus()

    def evict(self, block_ids: SequenceOf[BlockId]) -> None:
        """As ``CacheController.evict``."""
        self._cache.evict(block_ids)
        self._forget(block_ids)

    def reset(self) -> int | None:
        """As ``CacheController.reset``: it succeeds only if all that is cached is idle."""
        cleared = self._cache.reset()
        if cleared is not None:
            self._forget(list(self._idle))
        return cleared

    def _forget(self, block_ids: SequenceOf[BlockId]) -> None:
        for block_id in block_ids:
            self._idle.pop(block_id, None)
        for policy in self._on:
            policy.forgotten(block_ids)

    # -- keeping out ----------------------------------------------------------------------------------

    def offer(self, sequence: Sequence, start: int, end: int) -> None:
        """An admitted request offers contents ``start`` … ``end``-1: each one is a sighting for a policy."""
        for policy in self._on:
            policy.offered(islice(sequence.hashes, start, end), self._clock)

    def store(self, sequence: Sequence, start: int, end: int) -> None:
        """As ``CacheController.store``, of what the policies let in, in as few runs as evictions allow."""
        first = start  # blocks first … index-1 may be stored, and are not yet
        for index in range(start, end) if self._gates else ():
            refusing = self._refusing(sequence.request_id, sequence.hashes[index])
            if refusing is None and self._is_full(index + 1 - first):
                self._store(sequence, first, index)
                first = index
                refusing = self._make_room()
            if refusing is not None:
                self._store(sequence, first, index)
                first = index + 1
                self._keep_out(sequence, index, refusing)
        self._store(sequence, first, end)

    def _store(self, sequence: Sequence, start: int, end: int) -> None:
        if start < end:
            self._cache.store(sequence, start, end)
            for policy in self._on:
                policy.stored(sequence.table[start:end], self._clock)

    def _refusing(self, request_id: RequestId, digest: BlockHash) -> CachePolicy | None:
        """Who keeps a content out. Behind a block that was kept out all later ones of its request stay out
        too: nobody could reach them."""
        for policy in self._gates:
            seen, needed = policy.sightings(digest, self._clock)
            if seen < needed:
                return policy
        return self._gates[-1] if request_id in self._kept_out else None

    def _is_full(self, num_coming: int) -> bool:
        return any(policy.num_over(self._cache.num_cached + num_coming) for policy in self._gates)

    def _make_room(self) -> CachePolicy | None:
        """Drop idle content until one more cached block is allowed; who forbids it if none is left to drop.
        Last of all, when nothing else keeps the content out."""
        self._drop_surplus(num_coming=1)
        num_cached = self._cache.num_cached + 1
        return next((policy for policy in self._gates if policy.num_over(num_cached)), None)

    def _keep_out(self, sequence: Sequence, index: int, policy: CachePolicy) -> None:
        self._kept_out.add(sequence.request_id)
        if self._cache.emit and policy.refusal:
            digest = sequence.hashes[index]
            seen, needed = policy.sightings(digest, self._clock)
            news = BlockNotStored(sequence.request_id, index, digest, policy.refusal, seen, needed)
            self._cache.emit(news)

    # -- dropping -------------------------------------------------------------------------------------

    def expire(self) -> None:
        """Time has passed: drop what is too old, oldest first."""
        for policy in self._on:
            for block_id in list(policy.expired(self._idle, self._clock)):
                self._drop(block_id, policy)

    def _drop_surplus(self, num_coming: int = 0) -> None:
        for policy in self._on:
            while self._idle and policy.num_over(self._cache.num_cached + num_coming):
                self._drop(next(iter(self._idle)), policy)

    def _drop(self, block_id: BlockId, policy: CachePolicy) -> None:
        self._cache.drop_idle(block_id, policy.eviction)
        self._forget((block_id,))

    # -- self-check -----------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise AssertionError unless the cache is sound and the idle blocks are known in their order."""
        self._cache.check()
        last_access, queue = self._cache.notes.last_access, self._cache.idle(self._blocks.queue())
        assert list(self._idle.items()) == [(block_id, last_access[block_id]) for block_id in queue]
