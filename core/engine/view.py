"""EngineView: everything that may be asked about an engine. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.engine.block_manager import BlockManager
from core.engine.cache_controller import BlockState, CacheController
from core.engine.events import EvictionCause
from core.engine.refusals import check_block, known
from core.engine.scheduler import Scheduler
from core.engine.sequence import Sequence
from core.engine.stats import Statistics, Totals
from core.types import BlockHash, BlockId, EngineConfig, RequestId


class EngineView:
    """The engine as it is at the moment of asking. What it gives out is a copy, unless it says otherwise.

    Raises:
        RequestError: a question about a block or a request that there is not.
    """

    def __init__(
        self, config: EngineConfig, blocks: BlockManager, cache: CacheController, scheduler: Scheduler
    ) -> None:
        self._config = config  # for the number of blocks, which never changes
        self._blocks = blocks
        self._cache = cache
        self._scheduler = scheduler

    @property
    def clock(self) -> int:
        """Logical time in ticks."""
        return self._cache.notes.clock

    # -- blocks ---------------------------------------------------------------------------------------

    @property
    def num_free(self) -> int:
        """Blocks nobody holds, cached ones included; the null block never counts."""
        return self._blocks.num_free

    def free_queue(self) -> tuple[BlockId, ...]:
        """The free queue, front (taken next) first."""
        return self._blocks.queue()

    def ref_count(self, block_id: BlockId) -> int:
        """How many requests hold the block."""
        check_block(block_id, self._config)
        return self._cache.ref_count(block_id)

    def block_hash(self, block_id: BlockId) -> BlockHash | None:
        """The content the block carries, if any."""
        check_block(block_id, self._config)
        return self._cache.hash_of(block_id)

    def block_states(self) -> Iterator[BlockState]:
        """Every usable block in order of ids, from block 1 on: ref count, content, clock of the last touch,
        allocation or release, tokens that were left in it without content."""
        return self._cache.states()

    def cached_blocks(self, digest: BlockHash) -> tuple[BlockId, ...]:
        """The blocks that carry this content, oldest first."""
        return self._cache.carriers(digest)

    def is_cached(self, digest: BlockHash) -> bool:
        """Whether any block carries this content."""
        return self._cache.is_cached(digest)

    def cached_hashes(self) -> tuple[BlockHash, ...]:
        """Every content in the cache, in order of first storing."""
        return self._cache.hashes()

    # -- requests -------------------------------------------------------------------------------------

    def request(self, request_id: RequestId) -> Sequence:
        """The live request itself: to be read, never changed."""
        return known(self._scheduler.sequences, request_id)

    def block_table(self, request_id: RequestId) -> tuple[BlockId, ...]:
        """The request's blocks in order; empty while it waits."""
        return tuple(self.request(request_id).table)

    def block_hashes(self, request_id: RequestId) -> tuple[BlockHash, ...]:
        """The identities of the request's full blocks."""
        return tuple(self.request(request_id).hashes)

    def computed(self, request_id: RequestId) -> int:
        """Tokens scheduled so far, hits included."""
        return self.request(request_id).num_computed

    def num_tokens(self, request_id: RequestId) -> int:
        """Prompt plus sampled tokens."""
        return self.request(request_id).num_tokens

    def request_ids(self) -> tuple[RequestId, ...]:
        """All requests that are not finished."""
        return tuple(self._scheduler.sequences)

    def running_ids(self) -> tuple[RequestId, ...]:
        """Running requests in admission order."""
        return tuple(sequence.request_id for sequence in self._scheduler.running)

    def waiting_ids(self) -> tuple[RequestId, ...]:
        """Waiting requests, the next one first."""
        return tuple(sequence.request_id for sequence in self._scheduler.waiting)

    @property
    def num_waiting(self) -> int:
        """Requests in the waiting queue."""
        return len(self._scheduler.waiting)

    # -- sums since the beginning ---------------------------------------------------------------------

    @property
    def statistics(self) -> Statistics:
        """Look-ups and their hits; goes on counting."""
        return self._scheduler.statistics

    @property
    def num_evicted(self) -> Mapping[EvictionCause, int]:
        """How often a block lost its content, by cause; goes on counting."""
        return self._cache.num_evicted

    def totals(self) -> Totals:
        """The sums of a frame."""
        queries, hits = self.statistics.lifetime
        return Totals(
            requests=self.statistics.num_requests,
            queries=queries,
            hits=hits,
            computed=self._scheduler.num_computed,
            decoded=self._scheduler.num_decoded,
            recomputed=self._scheduler.num_recomputed,
            preempted=self._scheduler.num_preemptions,
            stored=self._cache.num_stored,
            evicted=sum(self.num_evicted.values()),
        )
