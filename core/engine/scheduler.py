"""Scheduler · 调度器: waiting and running requests, look-up, block tables, chunking, preemption.

One ``step()``: running requests grow first, in order; then waiting ones are admitted, front first, unless
somebody was preempted in this step. Exactly vLLM 0.33's synchronous ``Scheduler`` with its ``KVCacheManager``
for one full-attention group, under both policies (rules 19-46 of ``docs/fidelity.md``, which says how that is
checked and what is out), with a stand-in model whose outputs each request brings along, and no encoder:
images always fit.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass

from core.engine import events as ev
from core.engine.block_manager import BlockManager
from core.engine.cache_controller import CacheController
from core.engine.events import Event
from core.engine.kv_events import AdapterIds, KVStored, kv_stored
from core.engine.lesson import TokenCheck
from core.engine.policy_cache import PolicyCache
from core.engine.sequence import Sequence, Status
from core.engine.stats import Statistics
from core.engine.waiting_line import WaitingLine
from core.engine.work import newly_reused, share_of
from core.types import BlockId, EngineConfig, Request, RequestId

Emit = Callable[[Event], None]
Cache = CacheController | PolicyCache


@dataclass(frozen=True, slots=True)
class Plan:
    """What an admission would do; ``fits`` says whether it may. Sizes in blocks, except ``*_tokens``."""

    hits: list[BlockId]
    hit_tokens: int
    num_scheduled: int
    num_new_blocks: int
    num_needed: int
    fits: bool


class Scheduler:
    """Decides who computes what in each step, and asks the CacheController for blocks (vLLM's ``Scheduler``,
    whose ``schedule`` is ``step``, and ``KVCacheManager``: ``look_up``, ``admit``, ``grow``)."""

    def __init__(self, config: EngineConfig, blocks: BlockManager, cache: Cache) -> None:
        self._config = config
        self._blocks = blocks
        self._cache = cache
        self._version = config.version
        self._token_check = TokenCheck(config.block_size) if config.verify_tokens else None
        self._emit: Emit | None = None
        self._emit_block: Emit | None = None
        self._watermark_blocks = int(config.watermark * config.num_blocks)  # rule 27: N counts the null block
        self._num_arrivals = 0
        self._adapters = AdapterIds()
        self.sequences: dict[RequestId, Sequence] = {}
        self.running: list[Sequence] = []
        self.waiting = WaitingLine()
        # Sums since the beginning: look-ups and hits, and what else a frame shows.
        self.statistics = Statistics()
        self.num_preemptions = 0
        self.num_computed = self.num_decoded = self.num_recomputed = 0  # tokens
        self.num_passes = 0  # how often a request had all its tokens computed, so that it sampled or ended

    def listen(self, emit: Emit | None, emit_block: Emit | None) -> None:
        """From now on tell ``emit`` and ``emit_block``."""
        self._emit = emit
        self._emit_block = emit_block

    def use_cache(self, cache: Cache) -> None:
        """From now on ask this one."""
        self._cache = cache

    def describe_stored(self, request_id: RequestId, start: int, end: int) -> KVStored:
        """The KV event that announces blocks ``start`` … ``end``-1 of a live request."""
        sequence = self.sequences[request_id]
        hashes = sequence.hashes
        return kv_stored(
            sequence.request,
            self._adapters.of(sequence.request),
            sequence.version,
            sequence.tokens,
            hashes[start:end],
            hashes[start - 1] if start else None,
            start,
            self._config.block_size,
        )

    @property
    def num_live_tokens(self) -> int:
        """Tokens of all requests that are not finished."""
        return sum(sequence.num_tokens for sequence in self.sequences.values())

    # -- arriving and leaving -----------------------------------------------------------------------

    def make(self, request: Request) -> Sequence:
        """Read and hash a request without making it known. O(tokens).

        Raises:
            RequestError: a token id out of range.
        """
        return Sequence(request, self._version, self._config)

    def add(self, sequence: Sequence, *, waiting: bool) -> None:
        """Make a request known and, if ``waiting``, queue it."""
        request = sequence.request
        by_priority = self._config.policy == "priority"
        sequence.rank = (request.priority if by_priority else 0, self._num_arrivals)
        self._num_arrivals += 1
        self.sequences[request.request_id] = sequence
        self._adapters.of(request)
        place = self._enqueue(sequence) if waiting else None
        if self._emit:
            tokens = tuple(sequence.tokens)
            self._emit(
                ev.RequestArrived(
                    request.request_id,
                    tokens,
                    len(sequence.outputs),
                    request.salt,
                    request.lora,
                    sequence.version,
                    request.priority,
                    request.skip_read,
                    place,
                    tuple((item.item_id, item.offset, item.length) for item in request.mm),
                )
            )
            self._tell_hashes(sequence, 0)

    def _tell_hashes(self, sequence: Sequence, start: int) -> None:
        if self._emit_block is None:
            return
        hashes = sequence.hashes
        for index in range(start, len(hashes)):
            parent = hashes[index - 1] if index else None
            self._emit_block(ev.BlockHashed(sequence.request_id, index, hashes[index], parent))

    def _enqueue(self, sequence: Sequence) -> int | None:
        """Queue a request by rank; its place in line, if anybody wants to know."""
        self.waiting.add(sequence)
        sequence.is_queued = True
        return self.waiting.place_of(sequence) if self._emit else None

    def _dequeue(self, sequence: Sequence) -> None:
        self.waiting.remove(sequence)
        sequence.is_queued = False

    def finish(self, sequence: Sequence, *, aborted: bool) -> None:
        """Release the blocks and forget the request (rule 36). Content stays in the cache."""
        self._cache.release(sequence.request_id, sequence.table, sequence.num_computed)
        del self.sequences[sequence.request_id]
        if sequence.status is Status.RUNNING:
            self.running.remove(sequence)
        elif sequence.is_queued:
            self._dequeue(sequence)
        if self._emit:
            self._emit(ev.RequestFinished(sequence.request_id, aborted))

    def append(self, sequence: Sequence, token_ids: SequenceOf[int]) -> None:
        """Sampled tokens join the sequence; full blocks among them are hashed, not yet stored (rule 34)."""
        sequence.tokens.extend(token_ids)
        if self._emit:
            self._emit(ev.TokensAppended(sequence.request_id, tuple(token_ids), sequence.num_tokens))
        if self._config.enable_caching:
            done = len(sequence.hashes)
            sequence.chain.extend(sequence.tokens)
            self._tell_hashes(sequence, done)

    def use_version(self, version: str) -> None:
        """A new version: whoever does not run will be computed under it, so hashes change."""
        self._version = version
        for sequence in self.sequences.values():
            if sequence.status is not Status.RUNNING and sequence.version != version:
                sequence.use_version(version, self._config)
                if self._emit:
                    self._emit(ev.RequestRehashed(sequence.request_id, version))
                    self._tell_hashes(sequence, 0)

    # -- looking up and fitting -----------------------------------------------------------------------

    def _looks_up(self, sequence: Sequence) -> bool:
        """Whether admitting this request asks the cache (rule 23)."""
        return self._config.enable_caching and not sequence.request.skip_read

    def look_up(self, sequence: Sequence) -> list[BlockId]:
        """The blocks a request would reuse: at most n-1 tokens, whole blocks (rules 20-23)."""
        if not self._looks_up(sequence):
            return []
        limit = (sequence.num_tokens - 1) // self._config.block_size
        if self._token_check is None:
            return self._cache.match(sequence.hashes, limit)
        hashes, carriers = sequence.hashes[:limit], self._cache.carriers
        return self._token_check.match(
            sequence.request_id, hashes, sequence.tokens, carriers, self._emit_block
        )

    def plan(self, sequence: Sequence, max_new: int | None, reserve_full: bool) -> Plan:
        """What admitting now would take. Changes nothing.

        Needed from the free queue: new blocks plus hits that are idle, because touching takes them out of
        it (rule 24); with ``reserve_full`` for the whole sequence, even if less is scheduled (rule 26).
        """
        hits = self.look_up(sequence)
        size = self._config.block_size
        hit_tokens = len(hits) * size
        num_scheduled = sequence.num_tokens - hit_tokens
        if max_new is not None:
            num_scheduled = min(num_scheduled, max_new)
        num_new = max(-(-(hit_tokens + num_scheduled) // size) - len(hits), 0)
        num_idle = len(self._cache.idle(hits))
        num_needed = num_new + num_idle
        if reserve_full:
            num_needed = max(num_needed, -(-sequence.num_tokens // size) - len(hits) + num_idle)
        reserve = self._watermark_blocks if self.running else 0
        fits = num_needed + reserve <= self._blocks.num_free
        return Plan(hits, hit_tokens, num_scheduled, num_new, num_needed, fits)

    def _tell_look_up(self, sequence: Sequence, hits: SequenceOf[BlockId]) -> None:
        if self._emit_block is None or not self._looks_up(sequence):
            return
        hashes = sequence.hashes
        for index, block_id in enumerate(hits):
            self._emit_block(ev.BlockHit(sequence.request_id, index, block_id, hashes[index]))
        if len(hits) < (sequence.num_tokens - 1) // self._config.block_size:
            self._emit_block(ev.BlockMissed(sequence.request_id, len(hits), hashes[len(hits)]))

    # -- admitting and growing --------------------------------------------------------------------------

    def admit(self, sequence: Sequence, max_new: int | None, reserve_full: bool, *, waits: bool) -> Plan:
        """Admit a request if it fits; otherwise change nothing. Order: touch, take, store (rule 28)."""
        plan = self.plan(sequence, max_new, reserve_full)
        self._tell_look_up(sequence, plan.hits)
        if not plan.fits:
            self._tell_refusal(sequence, plan, waits)
            return plan
        resumed = sequence.num_preemptions > 0
        sequence.status = Status.RUNNING
        self.running.append(sequence)
        if sequence.is_queued:
            self._dequeue(sequence)
        sequence.num_hit_blocks = len(plan.hits)
        if not resumed:
            sequence.hit_tokens = plan.hit_tokens
        sequence.num_computed = plan.hit_tokens + plan.num_scheduled
        counted = self._count(sequence, plan, resumed)
        if self._emit:
            self._emit(
                ev.RequestAdmitted(
                    sequence.request_id,
                    sequence.num_tokens,
                    plan.hit_tokens,
                    plan.num_scheduled,
                    sequence.num_computed,
                    plan.num_new_blocks,
                    counted,
                    resumed,
                    self._looks_up(sequence),
                )
            )
        self._cache.touch(sequence.request_id, plan.hits)
        new = self._cache.allocate(sequence.request_id, len(plan.hits), plan.num_new_blocks)
        sequence.table = plan.hits + new
        sequence.num_stored = len(plan.hits)
        self._store(sequence)
        return plan

    def _tell_refusal(self, sequence: Sequence, plan: Plan, waits: bool) -> None:
        if self._emit:
            kind = ev.RequestBlocked if waits else ev.RequestRefused
            self._emit(kind(sequence.request_id, plan.hit_tokens, plan.num_needed, self._blocks.num_free))

    def _count(self, sequence: Sequence, plan: Plan, resumed: bool) -> bool:
        """Statistics of one successful admission (rules 44, 45). True if it enters the hit rate."""
        num_prompt = len(sequence.request.token_ids)
        sequence.num_reused += newly_reused(plan.hit_tokens, sequence.num_reached, num_prompt)
        sequence.num_reached = max(sequence.num_reached, plan.hit_tokens)
        if not self._looks_up(sequence):
            return False
        count = self.statistics.count_resumed if resumed else self.statistics.count
        count(sequence.num_tokens, plan.hit_tokens)
        return not resumed

    def grow(self, sequence: Sequence, num_new: int) -> bool:
        """Schedule ``num_new`` more tokens of a running request; False, unchanged, if blocks are missing.

        A block is taken when the first token past the boundary is scheduled (rule 30); no watermark.
        """
        end = sequence.num_computed + num_new
        count = max(-(-end // self._config.block_size) - len(sequence.table), 0)
        if count > self._blocks.num_free:
            if self._emit:
                self._emit(ev.GrowthFailed(sequence.request_id, count, self._blocks.num_free))
            return False
        sequence.num_computed = end
        if self._emit:
            self._emit(ev.RequestScheduled(sequence.request_id, num_new, end))
        if count:
            sequence.table += self._cache.allocate(sequence.request_id, len(sequence.table), count)
        self._store(sequence)
        return True

    def _store(self, sequence: Sequence) -> None:
        """Cache every block that the scheduled tokens fill, before anything is computed (rule 31)."""
        if not self._config.enable_caching:
            return
        full = sequence.num_computed // self._config.block_size
        if full > sequence.num_offered:
            self._cache.offer(sequence, sequence.num_offered, full)
            sequence.num_offered = full
        if full > sequence.num_stored:
            start, sequence.num_stored = sequence.num_stored, full
            if self._token_check is not None:
                self._token_check.remember(sequence.table, sequence.tokens, start, full)
            self._cache.store(sequence, start, full)

    def preempt(self, sequence: Sequence, *, waits: bool, num_unwritten: int = 0) -> None:
        """Take all blocks from a running request; its tokens stay (rule 37). ``num_unwritten``: tokens that
        were scheduled in this step and will now not be computed."""
        self.running.remove(sequence)
        self._cache.release(sequence.request_id, sequence.table, sequence.num_computed - num_unwritten)
        sequence.table = []
        sequence.num_computed = sequence.num_stored = 0
        sequence.num_preemptions += 1
        self.num_preemptions += 1
        sequence.status = Status.PREEMPTED
        if self._config.policy == "fcfs":
            sequence.rank = (0, -self.num_preemptions)  # in front of all others (rule 37)
        place = self._enqueue(sequence) if waits else None
        if self._emit:
            self._emit(ev.RequestPreempted(sequence.request_id, sequence.num_preemptions, place))

    # -- one step -----------------------------------------------------------------------------------------

    def step(self) -> tuple[dict[RequestId, int], bool]:
        """Schedule one step, let the stand-in model compute it, finish who is done.

        Returns the tokens scheduled for each request, in scheduling order, and whether any was preempted.
        """
        scheduled: dict[RequestId, int] = {}
        budget, preempted = self._grow_running(scheduled)
        if not preempted:  # rule 39
            self._admit_waiting(scheduled, budget)
        self._compute(scheduled)
        return scheduled, preempted

    def _limit(self, budget: int) -> int:
        """The most tokens one request may get now: the step's budget, and its own cap while it is not
        alone (rule 41)."""
        threshold = self._config.long_prefill_token_threshold
        alone = len(self.running) + len(self.waiting) < 2
        return budget if alone or threshold == 0 else min(budget, threshold)

    def _grow_running(self, scheduled: dict[RequestId, int]) -> tuple[int, bool]:
        """Running requests first, in order (rule 38). Returns (budget left, whether any was preempted)."""
        budget, place, preempted = self._config.max_num_batched_tokens, 0, False
        while place < len(self.running) and budget > 0:
            sequence = self.running[place]
            wanted = min(sequence.num_uncomputed, self._limit(budget))
            if wanted == 0:
                place += 1
                continue
            while not self.grow(sequence, wanted):
                victim = self._victim()
                place -= self.running.index(victim) < place
                num_unwritten = scheduled.pop(victim.request_id, 0)
                budget += num_unwritten
                self.preempt(victim, waits=True, num_unwritten=num_unwritten)
                preempted = True
                if victim is sequence:
                    break  # the next one may still fit (under fcfs it was the last, so there is none)
            else:
                scheduled[sequence.request_id] = wanted
                budget -= wanted
                place += 1
        return budget, preempted

    def _victim(self) -> Sequence:
        if self._config.policy == "priority":
            return max(self.running, key=lambda runner: runner.rank)
        return self.running[-1]

    def _admit_waiting(self, scheduled: dict[RequestId, int], budget: int) -> None:
        """Waiting requests, front first; stop at the first that does not fit (rule 40)."""
        while self.waiting and budget > 0 and len(self.running) < self._config.max_num_seqs:
            sequence = self.waiting.first()
            reserve_full = self._config.reserve_full_prompt
            plan = self.admit(sequence, self._limit(budget), reserve_full, waits=True)
            if not plan.fits:
                return
            scheduled[sequence.request_id] = plan.num_scheduled
            budget -= plan.num_scheduled

    def _compute(self, scheduled: dict[RequestId, int]) -> None:
        """The stand-in forward pass: whoever has all tokens computed samples one; who has none left ends."""
        batch = [(self.sequences[request_id], count) for request_id, count in scheduled.items()]
        for sequence, count in batch:
            self.tell_computed(sequence, count)
        for sequence, _ in batch:
            if sequence.num_uncomputed == 0:
                self._sample(sequence)

    def _sample(self, sequence: Sequence) -> None:
        self.num_passes += 1
        sampled = sequence.outputs[sequence.num_sampled : sequence.num_sampled + 1]
        if sampled:
            sequence.num_sampled += 1
            self.append(sequence, sampled)
        if sequence.num_sampled == len(sequence.outputs):
            self.finish(sequence, aborted=False)

    def tell_computed(self, sequence: Sequence, count: int) -> None:
        """Count what the forward pass writes, the last ``count`` scheduled tokens; tell it block by block."""
        size, end = self._config.block_size, sequence.num_computed
        start = end - count
        share = share_of(start, end, sequence.num_reached, len(sequence.request.token_ids))
        sequence.num_reached = share.reached
        self.num_computed += share.computed
        self.num_decoded += share.decoded
        self.num_recomputed += share.recomputed
        if self._emit_block is None:
            return
        for index in range(start // size, -(-end // size)):
            first, last = max(start, index * size), min(end, (index + 1) * size)
            block_id = sequence.table[index]
            fill = last - index * size
            self._emit_block(ev.BlockComputed(sequence.request_id, index, block_id, last - first, fill))
