"""The runs behind a sheet, some pieces at each tick of the page; what one visitor computed, all have.

A run is a pure function of its settings, so those on listed machines are shared, also while they are under
way: a class computes a sheet once. Runs on a machine by somebody's own numbers stay theirs. All sheets take
turns (``ui/server/turns.py``), and a tick ends in time whether its run has or not: so whoever opens another
page meanwhile hardly notices, and when a visitor leaves, the computing ends with the tick.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

from core.decision import Outcome, Sheet, SheetSpec, Work, gather, measuring, plan
from ui.frame.kept import Kept
from ui.frame.shared import Making, SharedPieces
from ui.server.turns import PIECE_S, TURNS

TICK_S = 1.0
"""Real seconds from one tick of the page to the next."""

BUDGET_S = 0.7
"""Real seconds that a tick computes, or waits for its turn to. One run takes half a second, some take ten."""

_RUNS: SharedPieces[Outcome] = SharedPieces(2_000)
"""Outcomes under what they were made from: a sheet has some 250 of about 40 kB each."""

_OWN_RUNS: Kept[SharedPieces[Outcome]] = Kept("decision_runs", lambda: SharedPieces(600))

Watch = Callable[[], float]


@dataclass
class SheetJob:
    """A sheet that is being computed. ``listed``: its machine is one that the app itself offers."""

    spec: SheetSpec
    listed: bool
    found: dict[Work, Outcome] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.works = plan(self.spec)
        self._sheet: Sheet | None = None
        self._run: Making[Outcome] | None = None  # held, else nobody would know how far it is

    @property
    def done(self) -> bool:
        """Nothing is left to compute."""
        return len(self.found) == len(self.works)

    @property
    def sheet(self) -> Sheet:
        """What is known now."""
        if self._sheet is None or self._sheet.num_done != len(self.found):
            self._sheet = gather(self.spec, self.found.values())
        return self._sheet

    def tick(self, watch: Watch = time.perf_counter, budget_s: float = BUDGET_S) -> None:
        """Go on for so long. A run that is not through then goes on at the next tick.

        Raises:
            ConfigError: a load that the machine refuses.
        """
        deadline = watch() + budget_s
        for work in self.works:
            if work in self.found:
                continue
            run = self._run = self._run_of(work)
            while not run.done:
                left = deadline - watch()
                if left <= 0:
                    return
                with TURNS.turn(left) as mine:
                    if mine:
                        run.go_on(_until(watch, min(deadline, watch() + PIECE_S)))
            self.found[work] = run.made
        self._run = None

    def _run_of(self, work: Work) -> Making[Outcome]:
        store = _RUNS if self.listed else _OWN_RUNS.get()
        return store.get(_made_from(self.spec, work), lambda: measuring(self.spec, work))


def _until(watch: Watch, moment: float) -> Callable[[], bool]:
    return lambda: watch() < moment


def _made_from(spec: SheetSpec, work: Work) -> Hashable:
    """What decides a run: its own part of the spec. Other sizes, seeds and numbers of GPUs do not."""
    load = (
        tuple(sorted(spec.load.mix.items())),
        replace(spec.share_of(work.gpus, work.seed), mix={"free": 1.0}),
    )
    roomless = work.gib is None or work.gib == float("inf")
    largest = spec.sizes[-1] if roomless else None
    ceiling = None if work.whole else spec.ceiling_s
    return (*map(repr, load), repr(spec.config), repr(spec.cost), largest, ceiling, work)


JOB: Kept[SheetJob | None] = Kept("decision_job", lambda: None)
"""This visitor's sheet, once there is one."""


def job_for(spec: SheetSpec, listed: bool) -> SheetJob:
    """The job for this spec: the one under way if it is the same, else a new one with what is known already.

    Raises:
        ConfigError: a load that the machine refuses.
    """
    job = JOB.get()
    if job is None or job.spec != spec:
        job = SheetJob(spec, listed)
        JOB.set(job)
    return job
