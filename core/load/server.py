"""One GPU with the real scheduler and modelled time: a discrete-event loop of single turns.

A turn: whoever has arrived by now is submitted, the engine takes one step, and the clock moves on by what
that step costs. With nothing to do the clock jumps to the next arrival. The same stream, settings and knobs
give the same run, turn by turn, whoever listens.

Requests that do not fit into the engine's queue yet wait at the door. Under first come, first served this
changes nothing but keeps memory small: the engine admits at most ``max_num_seqs`` in one step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from core.cost import StepWork, TimeModel
from core.engine.engine import Engine
from core.engine.events import (
    Event,
    GrowthFailed,
    RequestAdmitted,
    RequestFinished,
    RequestPreempted,
    RequestScheduled,
    TokensAppended,
)
from core.load.prompts import Arrival
from core.load.spec import TICKS_PER_S
from core.load.stream import Stream
from core.types import EngineConfig, RequestId

MOST_EMPTY_TURNS = 100
"""A step that only preempts computes nothing, but the next one does."""


ACTS = (RequestAdmitted, RequestScheduled, GrowthFailed, TokensAppended)
"""News of a request that takes blocks, preempts others for them, stores blocks or is about to end."""


class Listener(Protocol):
    """Who wants to know what happens on a server. All times in modelled seconds."""

    def submitted(self, arrival: Arrival, turn: int) -> None:
        """A request reaches the engine."""

    def admitted(self, number: int, at_s: float, event: RequestAdmitted) -> None:
        """The scheduler lets a request in."""

    def answered(self, number: int, at_s: float) -> None:
        """A request has its first token."""

    def finished(self, number: int, at_s: float) -> None:
        """A request has its last token."""

    def stepped(self, start_s: float, end_s: float, work: StepWork, server: Server) -> None:
        """A step is over."""


@dataclass(slots=True)
class _Live:
    """A request inside the engine."""

    arrival: Arrival
    num_prompt: int
    answered: bool = False
    num_sampled: int = 0  # answer tokens of this engine
    num_given: int = 0  # those its client has: sent again, it gets none of them twice


class Server:
    """The engine, its clock and its queue at the door."""

    def __init__(self, config: EngineConfig, time_model: TimeModel, stream: Stream) -> None:
        self.time_model = time_model
        self.stream = stream
        self.listener: Listener | None = None
        self.engine = Engine(config, self._take, block_events=False)
        self.now_s = 0.0
        self.num_turns = 0
        self.num_knobs = 0
        self.num_taken = 0  # requests that have come
        self.num_generated = 0  # answer tokens that clients have
        self._num_empty = 0
        self.door: deque[Arrival] = deque()
        self.live: dict[RequestId, _Live] = {}
        self._scheduled: dict[RequestId, tuple[int, int, bool]] = {}  # new tokens, tokens before, decode?
        self._answered: list[_Live] = []
        self._finished: list[_Live] = []
        self._tee: Callable[[Event], None] | None = None
        # Who pushed out how many cached blocks in the last turn, by need of room or because of the cap. What
        # expires is nobody's doing.
        self.pushed: dict[int, int] = {}
        self._actor: int | None = None  # whose doing comes next
        self._num_pushed = 0

    # -- questions ------------------------------------------------------------------------------------------

    @property
    def num_waiting(self) -> int:
        """Requests that wait, at the door or in the engine."""
        return len(self.door) + self.engine.view.num_waiting

    @property
    def num_inside(self) -> int:
        """Requests in flight: sent and not wholly answered."""
        return len(self.door) + len(self.live)

    @property
    def has_work(self) -> bool:
        """Whether anybody is here, or will come."""
        return bool(self.live) or bool(self.door) or not self.stream.ended

    def next_arrival_s(self) -> float | None:
        """When the next request comes; None after the last, or while every client waits for its answer."""
        return self.stream.next_s()

    # -- going on -------------------------------------------------------------------------------------------

    def run_until(self, horizon_s: float) -> None:
        """Take turns until the clock reaches the horizon (a step begun is finished) or all is done."""
        while self.now_s < horizon_s and self.has_work:
            if not self.live and not self.door:
                ahead = self.next_arrival_s()
                assert ahead is not None
                if ahead > horizon_s:
                    self.now_s = horizon_s
                    return
                self.now_s = max(self.now_s, ahead)
            self.turn()

    def turn(self) -> None:
        """Submit who has come, take one step, let its time pass. With nobody here, jump to who comes next."""
        if not self.live and not self.door:
            ahead = self.next_arrival_s()
            assert ahead is not None
            self.now_s = max(self.now_s, ahead)
        self._submit()
        start = self.now_s
        self._scheduled.clear()
        self.pushed.clear()
        self._num_pushed = self._count_pushed()  # a knob turned meanwhile is nobody's doing either
        engine = self.engine
        engine.step(max(int(start * TICKS_PER_S) - engine.view.clock, 1))
        work = StepWork()
        for num_new, num_before, is_decode in self._scheduled.values():
            if is_decode:
                work.add_decode(num_before)
            else:
                work.add_prefill(num_new, num_before)
        self.now_s = start + self.time_model.step_s(work)
        self.num_turns += 1
        self._num_empty = 0 if work.num_tokens else self._num_empty + 1
        assert self._num_empty < MOST_EMPTY_TURNS, "steps lead nowhere: somebody waits who can never fit"
        self._tell(start, work)

    def _submit(self) -> None:
        stream, now = self.stream, self.now_s
        while (ahead := stream.next_s()) is not None and ahead <= now:
            self.door.append(stream.take())
            self.num_taken += 1
        room = self.engine.config.max_num_seqs - self.engine.view.num_waiting
        while self.door and room > 0:
            self._enter(self.door.popleft())
            room -= 1

    def _enter(self, arrival: Arrival) -> None:
        self.live[arrival.request_id] = _Live(arrival, arrival.num_prompt)
        if self.listener is not None:
            self.listener.submitted(arrival, self.num_turns)
        self.engine.submit(arrival.request())

    def _tell(self, start: float, work: StepWork) -> None:
        listener, now = self.listener, self.now_s
        self._next_actor(None)
        for live in self._finished:
            del self.live[live.arrival.request_id]
            self.stream.answered(live.arrival, now)
        if listener is not None:
            for live in self._answered:
                listener.answered(live.arrival.number, now)
            for live in self._finished:
                listener.finished(live.arrival.number, now)
            listener.stepped(start, now, work, self)
        self._answered.clear()
        self._finished.clear()

    # -- news from the engine -------------------------------------------------------------------------------

    def _take(self, event: Event) -> None:
        if self._tee is not None:
            self._tee(event)
        if isinstance(event, ACTS):
            self._next_actor(self.live[event.request_id].arrival.number)
        match event:
            case RequestScheduled():
                before = event.num_computed - event.num_scheduled
                num_prompt = self.live[event.request_id].num_prompt
                is_decode = event.num_scheduled == 1 and before >= num_prompt
                self._scheduled[event.request_id] = (event.num_scheduled, before, is_decode)
            case TokensAppended():
                live = self.live[event.request_id]
                live.num_sampled += len(event.token_ids)
                if live.num_sampled > live.num_given:
                    self.num_generated += live.num_sampled - live.num_given
                    live.num_given = live.num_sampled
                if not live.answered:
                    live.answered = True
                    self._answered.append(live)
            case RequestAdmitted():
                self._scheduled[event.request_id] = (event.num_scheduled, event.hit_tokens, False)
                if self.listener is not None:
                    number = self.live[event.request_id].arrival.number
                    self.listener.admitted(number, self.now_s, event)
            case RequestFinished():
                self._finished.append(self.live[event.request_id])
            case RequestPreempted():
                # All have one priority, so the victim is the last one, whose turn had not come in this step.
                assert event.request_id not in self._scheduled

    def _next_actor(self, number: int | None) -> None:
        """What was pushed out since the last act is its doing: an act is told before it shows."""
        count = self._count_pushed()
        if count != self._num_pushed:
            if self._actor is not None:
                self.pushed[self._actor] = self.pushed.get(self._actor, 0) + count - self._num_pushed
            self._num_pushed = count
        self._actor = number

    def _count_pushed(self) -> int:
        evicted = self.engine.view.num_evicted
        return evicted["reused"] + evicted["cap"]

    # -- knobs ----------------------------------------------------------------------------------------------

    def set_policy(self, name: str, value: int | str | None) -> None:
        """Change a policy of the cache from now on."""
        behind = int(self.now_s * TICKS_PER_S) - self.engine.view.clock
        if behind > 0:
            self.engine.wait(behind)  # ages count from modelled time, not from the last step
        self.engine.set_policy(name, value)
        self.num_knobs += 1

    def restart(self, config: EngineConfig) -> None:
        """A fresh, empty engine. Whoever was being served or waited in it is sent again, in order of arrival;
        answer tokens that were given stay given."""
        again = list(self.live.values())  # in the order in which they came in
        ticks = int(self.now_s * TICKS_PER_S)
        self.engine = Engine(config, self._take, block_events=self._tee is not None)
        if ticks:
            self.engine.wait(ticks)
        for live in again:
            live.num_sampled = 0
            self.engine.submit(live.arrival.request())
        self.num_knobs += 1

    def listen_to_blocks(self, tee: Callable[[Event], None]) -> None:
        """From now on tell every event, block events included, to ``tee`` too."""
        self._tee = tee
        self.engine.listen(self._take, block_events=True)


def with_block_size(config: EngineConfig, block_size: int) -> EngineConfig:
    """The same room in tokens, cut into blocks of another size; caps in blocks change with it."""
    replace(config, block_size=block_size)  # refuse what is no size
    usable = max(config.num_usable * config.block_size // block_size, 1)
    cap = config.cache_cap
    if cap is not None:
        cap = cap * config.block_size // block_size
    return replace(config, block_size=block_size, num_blocks=usable + 1, cache_cap=cap)
