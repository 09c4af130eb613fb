"""Counts what is hard to get right while a scenario runs: a proof is as good as its generator."""

from __future__ import annotations

from collections import Counter

from core.engine.events import (
    BlockEvicted,
    BlockHit,
    BlockStored,
    CacheReset,
    Event,
    GrowthFailed,
    RequestAdmitted,
    RequestArrived,
    RequestBlocked,
    RequestPreempted,
    RequestRefused,
    RequestScheduled,
    StepStarted,
)

STEP_CASES = (
    "preemption, fcfs",
    "preemption, priority",
    "self-preemption, fcfs",
    "self-preemption, priority",
    "somebody scheduled after a self-preemption",
    "a victim scheduled earlier in the same step",
    "a victim that stands before the one who grows",
    "a preempted request waits behind others",
    "two victims in one step",
    "a victim's budget used by others",
    "reset of running requests",
    "a hit on what the same step stored",
)
CASES = (
    *STEP_CASES,
    "resume with a hit",
    "a prompt in chunks",
    "held back by the watermark alone",
    "no room",
    "reset that cleared",
    "reset refused",
    "an id used again",
    "a second copy of a content",
    "eviction",
    "eviction from outside",
    "a salt",
    "an adapter",
    "an image in the scheduler",
    "an image in the cache",
    "caching off",
    "at most two usable blocks",
    "a request larger than the pool",
)


class HardCases:
    """Pass it as `emit`; say before each operation what it will be."""

    def __init__(self, policy: str, budget: int) -> None:
        self.counts: Counter[str] = Counter()
        self._policy, self._budget = policy, budget
        self._verb = ""
        self._arrived: set[str] = set()
        self._order: tuple[str, ...] = ()  # who ran when the step began
        self._clear()

    def begin(self, verb: str, running: tuple[str, ...]) -> None:
        """The next operation."""
        self._verb, self._order = verb, running
        self._clear()

    def _clear(self) -> None:
        self._scheduled: set[str] = set()
        self._stored: set[int] = set()
        self._grower = ""
        self._num_victims = self._num_tokens = 0
        self._ended_itself = False

    def __call__(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._clear()
            case RequestArrived():
                self._count("an id used again", event.request_id in self._arrived)
                self._arrived.add(event.request_id)
            case RequestAdmitted():
                self._count("resume with a hit", event.resumed and event.hit_tokens > 0)
                self._count("a prompt in chunks", event.num_computed < event.num_tokens)
                self._spend(event.num_scheduled)
            case RequestBlocked() | RequestRefused():
                fits = event.num_needed <= event.num_free
                self._count("held back by the watermark alone" if fits else "no room")
            case RequestScheduled():
                self._count("somebody scheduled after a self-preemption", self._ended_itself)
                self._scheduled.add(event.request_id)
                self._spend(event.num_scheduled)
            case GrowthFailed():
                self._grower = event.request_id
            case RequestPreempted():
                self._preempted(event)
            case CacheReset():
                self._count("reset that cleared", event.num_cleared > 0)
                self._count("reset refused", not event.ok)
            case BlockStored():
                self._count("a second copy of a content", event.duplicate_of is not None)
                self._stored.add(event.block_id)
            case BlockHit():
                self._count("a hit on what the same step stored", event.block_id in self._stored)
            case BlockEvicted():
                self._count("eviction from outside" if self._verb == "evict" else "eviction")

    def _count(self, name: str, happened: bool = True) -> None:
        self.counts[name] += happened

    def _spend(self, num_tokens: int) -> None:
        """More than the step's budget can only be spent when somebody gave some back."""
        before, self._num_tokens = self._num_tokens, self._num_tokens + num_tokens
        if self._verb == "step":
            self._count("a victim's budget used by others", before <= self._budget < self._num_tokens)

    def _preempted(self, event: RequestPreempted) -> None:
        if self._verb == "reset":
            self._count("reset of running requests")
        if self._verb != "step":
            return
        victim, order = event.request_id, self._order
        itself = victim == self._grower
        self._count(f"preemption, {self._policy}")
        self._count(f"self-preemption, {self._policy}", itself)
        self._count("a victim scheduled earlier in the same step", victim in self._scheduled)
        before = not itself and order.index(victim) < order.index(self._grower)
        self._count("a victim that stands before the one who grows", before)
        self._count("a preempted request waits behind others", bool(event.waiting_place))
        self._num_victims += 1
        self._count("two victims in one step", self._num_victims == 2)
        self._ended_itself = itself
