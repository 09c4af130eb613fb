"""The run that one visitor watches: it goes on a little at each tick of the page, and waits in between.

When a person clicks in the middle of a tick, Streamlit starts the next run of the script while the last one
still computes. So everything that reads or changes a run holds its lock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from core.load import TICKS_PER_S, LoadRun
from ui.machine import Machine
from ui.monitor_setup import BURST_FACTOR, BURST_S, SPEEDS, LoadSetup

TICK_S = 1.0
"""Real seconds from one tick of the page to the next."""

BUDGET_S = 0.3
"""Real seconds one tick may compute. What it does not reach comes later: the run slows down, not the page."""

PIECE_S = 2.0
"""Modelled seconds between two looks at the watch."""


@dataclass
class LoadSession:
    """One run, how fast it goes, and what the page has seen of it."""

    setup: LoadSetup
    machine: Machine
    run: LoadRun
    name: str = field(default_factory=lambda: uuid4().hex[:12])
    lock: threading.RLock = field(default_factory=threading.RLock, compare=False)
    playing: bool = True
    speed: int = SPEEDS[1]
    sent: int = 0
    generation: int = 0
    looks: int = 0
    """How often a request was opened from the charts."""
    picked: tuple[str, float] | None = None
    """The request that was looked at on the stage, and the moment on the time axis it stands for."""

    def tick(self, watch: Callable[[], float] = time.perf_counter) -> None:
        """Go on by what one tick is worth, as far as the budget allows."""
        with self.lock:
            goal = self.run.now_s + self.speed * TICK_S
            deadline = watch() + BUDGET_S
            while self.playing and self.run.now_s < goal and watch() < deadline:
                self.playing = self.run.advance(seconds=min(PIECE_S, goal - self.run.now_s))

    def turn(self, new: LoadSetup, machine: Machine) -> LoadSession:
        """Turn knobs: policies from the next request on, another block size cold, all else a new run.

        Raises:
            BrothError: a value the engine refuses; then nothing has changed.
        """
        if new.stream != self.setup.stream or machine.cost() != self.machine.cost():
            fresh = begin(new, machine)
            fresh.speed = self.speed
            return fresh
        with self.lock:
            if new.block_size != self.setup.block_size:
                self.run.restart(new.block_size)
            for name, value in _policies(new).items():
                if value != _policies(self.setup)[name]:
                    self.run.set_policy(name, value)
            self.setup = new
        return self

    def burst(self) -> None:
        """Rush hour, from now on."""
        with self.lock:
            if not self.run.done:
                self.run.burst(seconds=BURST_S, factor=BURST_FACTOR)
                self.playing = True


def begin(setup: LoadSetup, machine: Machine) -> LoadSession:
    """A run at its first moment.

    Raises:
        BrothError: the pool is too small for the stream.
    """
    return LoadSession(setup, machine, LoadRun(setup.spec(), setup.config(), machine.cost()))


def _policies(setup: LoadSetup) -> dict[str, int | None]:
    ttl = None if setup.ttl_s is None else setup.ttl_s * TICKS_PER_S
    return {"cache_cap": setup.cache_cap, "ttl": ttl, "admit_after": setup.admit_after}
