"""Engine: the one door to the cache. Commands go in, answers come back, news goes out through ``emit``.

Each command is one tick of the logical clock: first what has expired is dropped, then the command runs.
A command that cannot be carried out raises before anything has changed. "No room" is not an error: in
``step()`` it is an event, in the lower verbs (which ``step()`` itself is built from) ``ok=False``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, replace

from core.engine.block_manager import BlockManager
from core.engine.cache_controller import CacheController
from core.engine.events import (
    CacheReset,
    ClockAdvanced,
    Event,
    EvictionCause,
    LookedUp,
    PolicyChanged,
    StepStarted,
    VersionChanged,
)
from core.engine.hash_chain import token_array
from core.engine.kv_events import Publish
from core.engine.scheduler import Scheduler
from core.engine.sequence import Sequence, Status
from core.errors import RequestError
from core.timeline.frame import Frame
from core.timeline.snapshot import Levels, slot_letters, take_frame, take_levels, take_snapshot
from core.types import POLICY_FIELDS, BlockHash, BlockId, EngineConfig, Request, RequestId

Emit = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of a lower verb: whether there was room, and the hit in tokens if it looked up."""

    ok: bool
    hit: int = 0
    block_ids: tuple[BlockId, ...] = ()


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What one step scheduled: (request id, tokens), in scheduling order; ``preempted``: anybody was."""

    scheduled: tuple[tuple[RequestId, int], ...]
    preempted: bool = False


class Engine:
    """A prefix KV cache with its scheduler. Not thread-safe; one per run, never shared between visitors.

    >>> engine = Engine(EngineConfig(block_size=2, num_blocks=8))
    >>> engine.submit(Request("a", (1, 2, 3, 4, 5)))
    >>> engine.run()
    1
    >>> engine.lookup(Request("b", (1, 2, 3, 4, 9))).hit
    4
    """

    def __init__(self, config: EngineConfig, emit: Emit | None = None, *, block_events: bool = True) -> None:
        self.config = config
        self._blocks = BlockManager(config.num_blocks)
        self._cache = CacheController(config, self._blocks)
        self._scheduler = Scheduler(config, self._blocks, self._cache)
        self.num_steps = 0
        self.listen(emit, block_events=block_events)

    def listen(self, emit: Emit | None, *, block_events: bool = True) -> None:
        """From now on tell ``emit`` (nobody, if None). What happened before stays untold; no state changes.

        A log that begins here folds onto ``frame()``.
        """
        block_emit = emit if block_events else None
        self._emit = emit
        self._scheduler.listen(emit, block_emit)
        self._cache.listen(block_emit)

    def publish(self, publish: Publish | None) -> None:
        """From now on tell ``publish`` (nobody, if None) KV events, as vLLM does: what
        ``core.timeline.kv_events`` reads off a log, at a fraction of its cost. Independent of ``listen``."""
        self._cache.publish_to(publish, self._scheduler.describe_stored)

    # -- commands -----------------------------------------------------------------------------------

    def submit(self, request: Request, *, check_fit: bool = True) -> None:
        """Queue a request.

        Raises:
            RequestError: its id is in use, a token is out of range, or (unless ``check_fit`` is off)
                prompt and outputs together could never fit into the pool.
        """
        self._refuse_known(request.request_id)
        sequence = self._scheduler.make(request)
        if check_fit:
            self._refuse_giant(sequence)
        self._tick()
        self._scheduler.add(sequence, waiting=True)

    def step(self, ticks: int = 1) -> StepOutcome:
        """Schedule and compute one step: running requests first, then waiting ones.

        ``ticks``: how much later than the last command it begins, for runs whose clock follows a time model.
        """
        _check_count("ticks", ticks)
        self._tick(ticks)
        self.num_steps += 1
        if self._emit:
            self._emit(StepStarted(self.num_steps))
        scheduled, preempted = self._scheduler.step()
        return StepOutcome(tuple(scheduled.items()), preempted)

    def run(self) -> int:
        """Step until nobody runs and nobody can be admitted. Returns the number of steps taken.

        Stops too when steps lead nowhere: nobody who waits fits and nobody who runs has tokens left (the
        lower verbs can leave such requests behind), or requests take each other's blocks for ever.
        """
        before = self.num_steps
        scheduler = self._scheduler
        num_passes, num_quiet = scheduler.num_passes, 0
        while scheduler.running or scheduler.waiting:
            outcome = self.step()
            if not outcome.scheduled and not outcome.preempted:
                break
            # Whoever runs first computes a token a step: then it is through its tokens in so many steps.
            num_quiet = 0 if scheduler.num_passes > num_passes else num_quiet + 1
            num_passes = scheduler.num_passes
            if outcome.preempted and num_quiet > scheduler.num_live_tokens:
                break
        return self.num_steps - before

    def abort(self, request_id: RequestId) -> None:
        """End a request at once, wherever it stands; cached content stays."""
        sequence = self._known(request_id)
        self._tick()
        self._scheduler.finish(sequence, aborted=True)

    def reset(self, *, preempt_running: bool = False) -> bool:
        """Drop all cached content. Refused (False, nothing changed) while blocks are held, unless running
        requests are preempted first, newest first, so that they wait in their old order (rules 42, 43)."""
        self._tick()
        if preempt_running:
            for sequence in reversed(self._scheduler.running[:]):
                self._scheduler.preempt(sequence, waits=True)
        cleared = self._cache.reset()
        if self._emit:
            self._emit(CacheReset(cleared is not None, cleared or 0))
        return cleared is not None

    def set_version(self, version: str) -> None:
        """New weights or a new template: requests that do not run yet hash under another namespace.

        A running request keeps its version and goes on publishing under it; old blocks drain.
        """
        config = replace(self.config, version=version)
        self._tick()
        self.config = config
        self._cache.set_version(version)
        if self._emit:
            self._emit(VersionChanged(version))
        self._scheduler.rehash_waiting(version)

    def set_policy(self, name: str, value: int | str | None) -> None:
        """Change one policy setting (``POLICY_FIELDS``) from now on.

        Raises:
            RequestError: no policy setting of that name.
            ConfigError: a value outside its range.
        """
        if name not in POLICY_FIELDS:
            allowed = ", ".join(POLICY_FIELDS)
            message = f"Setting {name} cannot change while the engine runs; these can: {allowed}."
            raise RequestError("request.policy", message, field=name, allowed=allowed)
        config = replace(self.config, **{name: value})  # type: ignore[arg-type]
        self._tick()
        self.config = config
        if self._emit:
            self._emit(PolicyChanged(name, value))
        self._cache.reconfigure(config)

    def wait(self, ticks: int) -> None:
        """Let logical time pass.

        Raises:
            RequestError: ``ticks`` is not a whole number of at least 1.
        """
        if isinstance(ticks, bool) or not isinstance(ticks, int) or ticks < 1:
            message = f"Waiting {ticks!r} ticks; expected a whole number of at least 1."
            raise RequestError("request.ticks", message, ticks=str(ticks))
        self._tick(ticks, waited=True)

    # -- lower verbs: what step() is built from, for tests and lessons ---------------------------------

    def start(self, request: Request, chunk: int | None = None, fit: bool = True) -> Outcome:
        """Look up and allocate at once, for all tokens or the first ``chunk`` after the hit.

        With ``fit`` the whole prompt must fit even if only a chunk is scheduled. On failure the request
        does not exist and nothing else has changed.
        """
        self._refuse_known(request.request_id)
        if chunk is not None:
            _check_count("chunk", chunk)
        sequence = self._scheduler.make(request)
        self._tick()
        self._scheduler.add(sequence, waiting=False)
        outcome = self._admit(sequence, chunk, fit)
        if not outcome.ok:
            del self._scheduler.sequences[request.request_id]
        return outcome

    def _admit(self, sequence: Sequence, chunk: int | None, fit: bool) -> Outcome:
        waits = sequence.num_preemptions > 0
        plan = self._scheduler.admit(sequence, chunk, fit, waits=waits)
        if plan.fits:
            self._scheduler.tell_computed(sequence, plan.num_scheduled)
        return Outcome(plan.fits, plan.hit_tokens, tuple(plan.hits))

    def prefill(self, request_id: RequestId, num_tokens: int) -> Outcome:
        """Schedule the next ``num_tokens`` (at most what remains) of a chunked prefill."""
        sequence = self._running(request_id)
        _check_count("n", num_tokens)
        self._tick()
        return self._grow(sequence, min(num_tokens, sequence.num_uncomputed))

    def decode(self, request_id: RequestId, token_ids: SequenceOf[int]) -> Outcome:
        """Append sampled tokens, then schedule all tokens not yet scheduled.

        If that fails the tokens stay appended; a later decode schedules them.
        """
        sequence = self._running(request_id)
        tokens = token_array(token_ids, request_id)
        self._tick()
        self._scheduler.append(sequence, tokens)
        return self._grow(sequence, sequence.num_uncomputed)

    def _grow(self, sequence: Sequence, count: int) -> Outcome:
        ok = self._scheduler.grow(sequence, count)
        if ok:
            self._scheduler.tell_computed(sequence, count)
        return Outcome(ok)

    def append(self, request_id: RequestId, token_ids: SequenceOf[int]) -> Outcome:
        """Append sampled tokens without scheduling them: the last token of a request (rule 34)."""
        sequence = self._known(request_id)
        tokens = token_array(token_ids, request_id)
        self._tick()
        self._scheduler.append(sequence, tokens)
        return Outcome(True)

    def free(self, request_id: RequestId) -> Outcome:
        """Finish a request, running or preempted."""
        sequence = self._known(request_id)
        self._tick()
        self._scheduler.finish(sequence, aborted=False)
        return Outcome(True)

    def preempt(self, request_id: RequestId) -> Outcome:
        """Take a running request's blocks; it waits for a ``resume``, outside the waiting queue."""
        sequence = self._running(request_id)
        self._tick()
        self._scheduler.preempt(sequence, waits=False)
        return Outcome(True)

    def resume(self, request_id: RequestId, chunk: int | None = None, fit: bool = True) -> Outcome:
        """Admit a preempted request again: a new look-up over prompt and sampled tokens."""
        sequence = self._known(request_id)
        if chunk is not None:
            _check_count("chunk", chunk)
        if sequence.status is not Status.PREEMPTED:
            message = f"Request {request_id} is {sequence.status.value}; only a preempted one can resume."
            raise RequestError("request.not_preempted", message, request_id=request_id)
        self._tick()
        return self._admit(sequence, chunk, fit)

    def lookup(self, request: Request) -> Outcome:
        """What such a request would hit. Changes no ref count, no order, no statistics (rule 22)."""
        sequence = self._scheduler.make(request)
        self._tick()
        hits = self._scheduler.look_up(sequence)
        hit_tokens = len(hits) * self.config.block_size
        if self._emit:
            self._emit(LookedUp(hit_tokens, tuple(hits)))
        return Outcome(True, hit_tokens, tuple(hits))

    def evict(self, block_ids: SequenceOf[BlockId]) -> Outcome:
        """Force blocks to forget their content, held or free; nothing moves (rule 47).

        The evictions are told in the order of ``block_ids``; a block named twice forgets once.

        Raises:
            RequestError: an id that is no usable block.
        """
        for block_id in block_ids:
            self._check_block(block_id)
        self._tick()
        self._cache.evict(block_ids)
        return Outcome(True)

    # -- questions: change nothing ------------------------------------------------------------------------

    @property
    def clock(self) -> int:
        """Logical time in ticks."""
        return self._cache.clock

    @property
    def num_free(self) -> int:
        """Blocks nobody holds, cached ones included; the null block never counts."""
        return self._blocks.num_free

    @property
    def num_waiting(self) -> int:
        """Requests in the waiting queue."""
        return len(self._scheduler.waiting)

    def free_queue(self) -> tuple[BlockId, ...]:
        """The free queue, front (taken next) first."""
        return self._blocks.queue()

    def ref_count(self, block_id: BlockId) -> int:
        """How many requests hold the block."""
        self._check_block(block_id)
        return self._cache.ref_count(block_id)

    def block_hash(self, block_id: BlockId) -> BlockHash | None:
        """The content the block carries, if any."""
        self._check_block(block_id)
        return self._cache.hash_of(block_id)

    def cached_blocks(self, digest: BlockHash) -> tuple[BlockId, ...]:
        """The blocks that carry this content, oldest first."""
        return self._cache.carriers(digest)

    def cached_hashes(self) -> tuple[BlockHash, ...]:
        """Every content in the cache."""
        return self._cache.hashes()

    def block_table(self, request_id: RequestId) -> tuple[BlockId, ...]:
        """The request's blocks in order; empty while it waits."""
        return tuple(self._known(request_id).table)

    def block_hashes(self, request_id: RequestId) -> tuple[BlockHash, ...]:
        """The identities of the request's full blocks."""
        return tuple(self._known(request_id).hashes)

    def computed(self, request_id: RequestId) -> int:
        """Tokens scheduled so far, hits included."""
        return self._known(request_id).num_computed

    def num_tokens(self, request_id: RequestId) -> int:
        """Prompt plus sampled tokens."""
        return self._known(request_id).num_tokens

    def running_ids(self) -> tuple[RequestId, ...]:
        """Running requests in admission order."""
        return tuple(sequence.request_id for sequence in self._scheduler.running)

    def waiting_ids(self) -> tuple[RequestId, ...]:
        """Waiting requests, the next one first."""
        return tuple(sequence.request_id for sequence in self._scheduler.waiting)

    def request_ids(self) -> tuple[RequestId, ...]:
        """All requests that are not finished."""
        return tuple(self._scheduler.sequences)

    def snapshot(self) -> Frame:
        """The whole visible state, in the form that folding the event log gives."""
        return take_snapshot(self.config, self.num_steps, self._blocks, self._cache, self._scheduler)

    def frame(self) -> Frame:
        """As ``snapshot``, with what otherwise only a log from the beginning tells: the tokens written in
        each block, and the totals. What finished, and how look-ups went, stays untold."""
        return take_frame(self.snapshot(), self.config.block_size, self._cache)

    def levels(self) -> Levels:
        """How many blocks are in which state. O(blocks)."""
        return take_levels(self._blocks, self._cache)

    @property
    def num_evicted(self) -> Mapping[EvictionCause, int]:
        """Blocks that lost their content so far, by cause. A view: it goes on counting."""
        return self._cache.num_evicted

    def slot_letters(self) -> str:
        """One letter per block from block 1 on: u in use, c cached, n not full, e empty. O(blocks)."""
        return slot_letters(self.config.num_blocks, self._cache)

    def last_access(self, block_id: BlockId) -> int | None:
        """Clock of the last touch, allocation or release; None if never used."""
        self._check_block(block_id)
        return self._cache.last_access(block_id)

    def check(self) -> None:
        """Raise AssertionError if any invariant is broken. O(blocks + tokens)."""
        self._cache.check()
        held = [0] * self.config.num_blocks
        for sequence in self._scheduler.sequences.values():
            for block_id in sequence.table:
                held[block_id] += 1
        for block_id in range(1, self.config.num_blocks):
            assert held[block_id] == self._cache.ref_count(block_id), block_id

    # -- refusing -----------------------------------------------------------------------------------------

    def _tick(self, ticks: int = 1, *, waited: bool = False) -> None:
        if self._emit:
            self._emit(ClockAdvanced(self._cache.clock + ticks, waited))
        self._cache.tick(ticks)

    def _known(self, request_id: RequestId) -> Sequence:
        sequence = self._scheduler.sequences.get(request_id)
        if sequence is None:
            message = f"There is no request {request_id!r}; it was never sent, or it has finished."
            raise RequestError("request.unknown", message, request_id=str(request_id))
        return sequence

    def _running(self, request_id: RequestId) -> Sequence:
        sequence = self._known(request_id)
        if sequence.status is not Status.RUNNING:
            message = f"Request {request_id} is {sequence.status.value}; expected a running one."
            raise RequestError("request.not_running", message, request_id=request_id)
        return sequence

    def _refuse_known(self, request_id: RequestId) -> None:
        if request_id in self._scheduler.sequences:
            message = f"Request {request_id} exists already; give the new one another id."
            raise RequestError("request.duplicate", message, request_id=request_id)

    def _refuse_giant(self, sequence: Sequence) -> None:
        """The last sampled token is never scheduled, so it needs no slot (rule 34)."""
        num_slots = sequence.num_tokens + max(len(sequence.outputs) - 1, 0)
        needed, usable = -(-num_slots // self.config.block_size), self.config.num_usable
        if needed > usable:
            message = (
                f"Request {sequence.request_id} needs {needed} blocks of {self.config.block_size} tokens; "
                f"the pool has {usable}. Shorten it or make the pool larger."
            )
            raise RequestError(
                "request.too_large", message, request_id=sequence.request_id, needed=needed, usable=usable
            )

    def _check_block(self, block_id: BlockId) -> None:
        usable = self.config.num_usable
        if isinstance(block_id, bool) or not isinstance(block_id, int) or not 0 < block_id <= usable:
            message = f"There is no block {block_id!r}; expected a whole number from 1 to {usable}."
            raise RequestError("request.block", message, block_id=str(block_id), usable=usable)


def _check_count(name: str, value: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        message = f"{name} is {value!r}; expected a whole number of at least 1."
        raise RequestError("request.count", message, field=name, value=str(value))
