"""Engine: the one door to the cache. Commands go in, answers come back, news goes out through ``emit``; what
stands inside may be asked of ``view``.

Each command is one tick of the logical clock: first what has expired is dropped, then the command runs.
Where the clock is somebody else's (``own_clock=False``: a log's times), commands take none: only ``wait``
does. A command that cannot be carried out raises before anything has changed. "No room" is not an error: in
``step()`` it is an event, in the lower verbs (which ``step()`` itself is built from) ``ok=False``.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, replace

from core.engine import events as ev
from core.engine import refusals
from core.engine.block_manager import BlockManager
from core.engine.cache_controller import CacheController
from core.engine.events import Event
from core.engine.hash_chain import token_array
from core.engine.kv_events import Publish
from core.engine.policy_cache import PolicyCache
from core.engine.scheduler import Cache, Scheduler
from core.engine.sequence import Sequence
from core.engine.view import EngineView
from core.types import BlockId, EngineConfig, Request, RequestId

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

    def __init__(
        self,
        config: EngineConfig,
        emit: Emit | None = None,
        *,
        block_events: bool = True,
        own_clock: bool = True,
    ) -> None:
        self.config = config
        self._own_clock = own_clock
        self._blocks = BlockManager(config.num_blocks)
        self._controller = CacheController(config, self._blocks)
        self._policies: PolicyCache | None = None
        self._cache: Cache = self._controller  # or the policies around it
        self._scheduler = Scheduler(config, self._blocks, self._cache)
        self._live = self._scheduler.sequences
        self.view = EngineView(config, self._blocks, self._controller, self._scheduler)
        self.num_steps = 0
        self._use_policies(config)
        self.listen(emit, block_events=block_events)

    def listen(self, emit: Emit | None, *, block_events: bool = True) -> None:
        """From now on tell ``emit`` (nobody, if None). What happened before stays untold; no state changes.

        A log that begins here folds onto the frame that ``core.timeline.snapshot`` takes now.
        """
        block_emit = emit if block_events else None
        self._emit = emit
        self._scheduler.listen(emit, block_emit)
        self._controller.emit = block_emit

    def publish(self, publish: Publish | None) -> None:
        """From now on tell ``publish`` (nobody, if None) KV events, as vLLM does: what
        ``core.timeline.kv_events`` reads off a log, at a fraction of its cost. Independent of ``listen``."""
        self._controller.publish_to(publish, self._scheduler.describe_stored)

    # -- commands -----------------------------------------------------------------------------------

    def submit(self, request: Request, *, check_fit: bool = True) -> None:
        """Queue a request.

        Raises:
            RequestError: its id is in use, a token is out of range, or (unless ``check_fit`` is off)
                prompt and outputs together could never fit into the pool.
        """
        refusals.check_new(self._live, request.request_id)
        sequence = self._scheduler.make(request)
        if check_fit:
            refusals.check_fit(sequence, self.config)
        self._tick()
        self._scheduler.add(sequence, waiting=True)

    def step(self, ticks: int = 1) -> StepOutcome:
        """Schedule and compute one step: running requests first, then waiting ones.

        ``ticks``: how much later than the last command it begins, for runs whose clock follows a time model.
        """
        refusals.check_count("ticks", ticks)
        self._tick(ticks)
        self.num_steps += 1
        if self._emit:
            self._emit(ev.StepStarted(self.num_steps))
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
        sequence = refusals.known(self._live, request_id)
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
        if cleared is not None:
            self._scheduler.statistics.reset()
        if self._emit:
            self._emit(ev.CacheReset(cleared is not None, cleared or 0))
        return cleared is not None

    def set_version(self, version: str) -> None:
        """New weights or a new template: requests that do not run yet hash under another namespace.

        A running request keeps its version and goes on publishing under it; old blocks drain.
        """
        config = replace(self.config, version=version)
        self._tick()
        self.config = config
        if self._emit:
            self._emit(ev.VersionChanged(version))
        self._scheduler.use_version(version)

    def set_policy(self, name: str, value: int | str | None) -> None:
        """Change one policy setting (``POLICY_FIELDS``) from now on.

        Raises:
            RequestError: no policy setting of that name.
            ConfigError: a value outside its range.
        """
        refusals.check_policy_field(name)
        config = replace(self.config, **{name: value})  # type: ignore[arg-type]
        self._tick()
        self.config = config
        if self._emit:
            self._emit(ev.PolicyChanged(name, value))
        self._use_policies(config)

    def _use_policies(self, config: EngineConfig) -> None:
        """From the first policy on requests reach the cache through its policies."""
        if self._policies is not None:
            self._policies.configure(config)
        elif config.uses_policies:
            self._cache = self._policies = PolicyCache(config, self._controller, self._blocks)
            self._scheduler.use_cache(self._policies)

    def wait(self, ticks: int) -> None:
        """Let logical time pass.

        Raises:
            RequestError: ``ticks`` is not a whole number of at least 1.
        """
        refusals.check_ticks(ticks)
        self._tick(ticks, waited=True)

    # -- lower verbs: what step() is built from, for tests and lessons ---------------------------------

    def start(self, request: Request, chunk: int | None = None, fit: bool = True) -> Outcome:
        """Look up and allocate at once, for all tokens or the first ``chunk`` after the hit.

        With ``fit`` the whole prompt must fit even if only a chunk is scheduled. On failure the request
        does not exist and nothing else has changed.
        """
        refusals.check_new(self._live, request.request_id)
        if chunk is not None:
            refusals.check_count("chunk", chunk)
        sequence = self._scheduler.make(request)
        self._tick()
        self._scheduler.add(sequence, waiting=False)
        outcome = self._admit(sequence, chunk, fit)
        if not outcome.ok:
            del self._live[request.request_id]
        return outcome

    def _admit(self, sequence: Sequence, chunk: int | None, fit: bool) -> Outcome:
        waits = sequence.num_preemptions > 0
        plan = self._scheduler.admit(sequence, chunk, fit, waits=waits)
        if plan.fits:
            self._scheduler.tell_computed(sequence, plan.num_scheduled)
        return Outcome(plan.fits, plan.hit_tokens, tuple(plan.hits))

    def prefill(self, request_id: RequestId, num_tokens: int) -> Outcome:
        """Schedule the next ``num_tokens`` (at most what remains) of a chunked prefill."""
        sequence = refusals.running(self._live, request_id)
        refusals.check_count("n", num_tokens)
        self._tick()
        return self._grow(sequence, min(num_tokens, sequence.num_uncomputed))

    def decode(self, request_id: RequestId, token_ids: SequenceOf[int]) -> Outcome:
        """Append sampled tokens, then schedule all tokens not yet scheduled.

        If that fails the tokens stay appended; a later decode schedules them.
        """
        sequence = refusals.running(self._live, request_id)
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
        sequence = refusals.known(self._live, request_id)
        tokens = token_array(token_ids, request_id)
        self._tick()
        self._scheduler.append(sequence, tokens)
        return Outcome(True)

    def free(self, request_id: RequestId) -> Outcome:
        """Finish a request, running or preempted."""
        sequence = refusals.known(self._live, request_id)
        self._tick()
        self._scheduler.finish(sequence, aborted=False)
        return Outcome(True)

    def preempt(self, request_id: RequestId) -> Outcome:
        """Take a running request's blocks; it waits for a ``resume``, outside the waiting queue."""
        sequence = refusals.running(self._live, request_id)
        self._tick()
        self._scheduler.preempt(sequence, waits=False)
        return Outcome(True)

    def resume(self, request_id: RequestId, chunk: int | None = None, fit: bool = True) -> Outcome:
        """Admit a preempted request again: a new look-up over prompt and sampled tokens."""
        sequence = refusals.preempted(self._live, request_id)
        if chunk is not None:
            refusals.check_count("chunk", chunk)
        self._tick()
        return self._admit(sequence, chunk, fit)

    def lookup(self, request: Request) -> Outcome:
        """What such a request would hit. Changes no ref count, no order, no statistics (rule 22)."""
        sequence = self._scheduler.make(request)
        self._tick()
        hits = self._scheduler.look_up(sequence)
        hit_tokens = len(hits) * self.config.block_size
        if self._emit:
            self._emit(ev.LookedUp(hit_tokens, tuple(hits)))
        return Outcome(True, hit_tokens, tuple(hits))

    def evict(self, block_ids: SequenceOf[BlockId]) -> Outcome:
        """Force blocks to forget their content, held or free; nothing moves (rule 47).

        The evictions are told in the order of ``block_ids``; a block named twice forgets once.

        Raises:
            RequestError: an id that is no usable block.
        """
        for block_id in block_ids:
            refusals.check_block(block_id, self.config)
        self._tick()
        self._cache.evict(block_ids)
        return Outcome(True)

    def check(self) -> None:
        """Raise AssertionError if any invariant is broken. O(blocks + tokens)."""
        self._cache.check()
        held = [0] * self.config.num_blocks
        for sequence in self._live.values():
            for block_id in sequence.table:
                held[block_id] += 1
        for block_id in range(1, self.config.num_blocks):
            assert held[block_id] == self._controller.ref_count(block_id), block_id

    def _tick(self, ticks: int = 1, *, waited: bool = False) -> None:
        """A command begins: time passes, and what has grown too old goes."""
        notes = self._controller.notes
        notes.clock += ticks if waited or self._own_clock else 0
        self._scheduler.statistics.begin_command()
        if self._emit:
            self._emit(ev.ClockAdvanced(notes.clock, waited))
        if self._policies is not None:
            self._policies.expire()
