"""The run that one visitor watches: it goes on a little at each tick of the page, and waits in between.

When a person clicks in the middle of a tick, Streamlit starts the next run of the script while the last one
still computes. So everything that reads or changes a run holds its lock.

What a person does to it is a deed, written down with the modelled second at which it was done. A run from a
link does the deeds of the link by itself, each at its second, until a person takes over.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from uuid import uuid4

from core.errors import BrothError
from core.load import TICKS_PER_S, LoadRun
from ui.frame.kept import Kept
from ui.machine.machine import Machine
from ui.monitor.asked import Asked
from ui.monitor.deeds import BURST, KNOBS, Deed, LoadPlan
from ui.monitor.sent import Sent
from ui.monitor.setup import BURST_FACTOR, BURST_S, SPEEDS, LoadSetup

TICK_S = 1.0
"""Real seconds from one tick of the page to the next."""

BUDGET_S = 0.3
"""Real seconds one tick may compute. What it does not reach comes later: the run slows down, not the page."""

PIECE_S = 2.0
"""Modelled seconds between two looks at the watch."""

Watch = Callable[[], float]


@dataclass
class LoadSession:
    """One run, how fast it goes, and what the page has seen of it. ``setup`` is what holds now."""

    setup: LoadSetup
    machine: Machine
    run: LoadRun
    name: str = field(default_factory=lambda: uuid4().hex[:12])
    lock: threading.RLock = field(default_factory=threading.RLock, compare=False)
    playing: bool = True
    speed: int = SPEEDS[1]
    sent: Sent = field(default_factory=Sent)
    heard: int = 0
    """The number of the last press of Play that was heard; the browser repeats it until it stands here."""
    looks: int = 0
    """How often a request was opened from the charts."""
    asked: Asked | None = None
    """The bin whose culprits are listed."""
    picked: tuple[str, float] | None = None
    """The request that was looked at on the stage, and the moment on the time axis it stands for."""
    deeds: list[Deed] = field(default_factory=list)
    pending: tuple[Deed, ...] = ()
    """Deeds of a link whose moment has not come."""
    num_lost: int = 0
    """Later deeds that the link had no room for."""

    def __post_init__(self) -> None:
        self.first = self.shown = self.setup
        """What the run began with, and what the page's widgets show: a difference from it is a person's."""

    def plan(self) -> LoadPlan:
        """What would give this run again, deeds still to come included."""
        return LoadPlan(self.first, (*self.deeds, *self.pending), self.speed, self.num_lost)

    # -- going on -------------------------------------------------------------------------------------------

    def tick(self, watch: Watch = time.perf_counter) -> None:
        """Go on by what one tick is worth, as far as the budget allows."""
        with self.lock:
            if self.playing:
                self.asked = None
                self._go_on(self.run.now_s + self.speed * TICK_S, watch, BUDGET_S)

    def repeat(self, until_s: float, budget_s: float, watch: Watch = time.perf_counter) -> bool:
        """Go on to that modelled second and stay there; whether that took at most so many real seconds."""
        with self.lock:
            self._go_on(until_s, watch, budget_s)
            self.playing = False
            return self.run.now_s >= until_s or self.run.done

    def _go_on(self, goal_s: float, watch: Watch, budget_s: float) -> None:
        deadline = watch() + budget_s
        self._do_due()
        while not self.run.done and self.run.now_s < goal_s and watch() < deadline:
            until = min(goal_s, self.pending[0].at_s) if self.pending else goal_s
            self.run.advance(seconds=min(PIECE_S, until - self.run.now_s))
            self._do_due()
        self.playing = self.playing and not self.run.done

    def forget_sent(self) -> None:
        """The page is drawn anew."""
        with self.lock:
            self.sent.forget()

    def hear(self, told: object) -> None:
        """What the browser says: {press, playing, lacks}. It says it again until it is answered, so a press
        that was heard counts once. Anything else is ignored."""
        if not isinstance(told, dict):
            return
        press, playing = told.get("press"), told.get("playing")
        with self.lock:
            if told.get("lacks") is True:
                self.sent.asked()
            if type(press) is int and type(playing) is bool and press != self.heard:
                self.heard, self.playing = press, playing and not self.run.done

    # -- deeds ----------------------------------------------------------------------------------------------

    def turn(self, wanted: LoadSetup, machine: Machine) -> LoadSession:
        """Turn the knobs that stand otherwise than the page showed them: policies from the next request on,
        another block size cold, all else a new run. Who turns one has taken over: what a link had still to do
        is dropped.

        Raises:
            BrothError: a value the engine refuses; then nothing has changed.
        """
        if wanted.stream != self.shown.stream or machine.cost() != self.machine.cost():
            return follow(LoadPlan(wanted, speed=self.speed), machine)
        with self.lock:
            turned = {name: getattr(wanted, name) for name in KNOBS}
            turned = {name: value for name, value in turned.items() if value != getattr(self.shown, name)}
            if turned:
                replace(self.setup, **turned).config()  # refuse it before anything changes
                self._take_over()
            for name, value in turned.items():
                self._do(self._now(name, value))
            self.shown = self.setup
        return self

    def burst(self) -> None:
        """Rush hour, from now on."""
        with self.lock:
            if not self.run.done and self.setup.can_rush:
                self._take_over()
                self._do(self._now(BURST))
                self.playing = True

    def _take_over(self) -> None:
        self.pending, self.num_lost = (), 0

    def _now(self, name: str, value: int | None = None) -> Deed:
        return Deed(math.ceil(self.run.now_s), name, value)

    def _do_due(self) -> None:
        while self.pending and (self.pending[0].at_s <= self.run.now_s or self.run.done):
            deed, *later = self.pending
            self.pending = tuple(later)
            if deed.name == BURST and (self.run.done or not self.setup.can_rush):
                continue
            with suppress(BrothError):  # a link can ask for what the engine refuses
                self._do(deed)

    def _do(self, deed: Deed) -> None:
        """Do it now and write it down."""
        if deed.name == BURST:
            self.run.burst(seconds=BURST_S, factor=BURST_FACTOR)
        elif deed.name == "block_size":
            assert deed.value is not None
            self.run.restart(deed.value)
            # The same room in smaller blocks is more of them: a cap changes with it.
            self.setup = replace(self.setup, block_size=deed.value, cache_cap=self.run.config.cache_cap)
        else:
            name, value = _policy(deed)
            self.run.set_policy(name, value)
            self.setup = replace(self.setup, **{deed.name: deed.value})  # type: ignore[arg-type]
        self.deeds.append(deed)


LOAD: Kept[LoadSession | None] = Kept("load", lambda: None)
"""This visitor's run, once there is one."""


def follow(plan: LoadPlan, machine: Machine) -> LoadSession:
    """A run at its first moment, with everything to come that the plan knows of.

    Raises:
        BrothError: the pool is too small for the stream.
    """
    first = plan.first
    run = LoadRun(first.spec(), first.config(), machine.cost())
    return LoadSession(first, machine, run, speed=plan.speed, pending=plan.deeds, num_lost=plan.num_lost)


def _policy(deed: Deed) -> tuple[str, int | None]:
    """Name and value as the engine has them."""
    if deed.name == "ttl_s":
        return "ttl", None if deed.value is None else deed.value * TICKS_PER_S
    return deed.name, deed.value
