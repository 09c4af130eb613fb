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

from core.decision import Outcome, Sheet, SheetSpec, Work, gather, measuring, next_work, plan
from ui.frame.kept import Kept
from ui.frame.shared import Making, SharedPieces
from ui.server.turns import PIECE_S, TURNS

TICK_S = 1.0
"""Real seconds from one tick of the page to the next."""

BUDGET_S = 0.7
"""Real seconds that a tick computes, or waits for its turn to. One run takes half a second, some take ten."""

FEW = 8
"""Runs after which the pace says something."""

MOST_BEGUN = 3
"""Runs of one sheet that are begun and not through: another level puts another one first."""

_RUNS: SharedPieces[Outcome] = SharedPieces(2_000)
"""Outcomes under what they were made from: a sheet has some 270 of about 40 kB each."""

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
        self._begun: dict[Work, Making[Outcome]] = {}  # held, else nobody would know how far they are
        self._since: float | None = None  # when the first run of our own began
        self._last_at = 0.0  # when the last one ended
        self._measured = 0  # what others had computed says nothing about the pace

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

    @property
    def left_s(self) -> float | None:
        """Real seconds that the rest may take, from the pace so far; None: too early to tell."""
        if self._since is None or self._measured < FEW:
            return None
        took = self._last_at - self._since
        return took / self._measured * (len(self.works) - len(self.found))

    def tick(
        self,
        level_s: float,
        gpus: int | None = None,
        watch: Watch = time.perf_counter,
        budget_s: float = BUDGET_S,
    ) -> None:
        """Go on for so long. A run that is not through then goes on at the next tick. First what decides
        about the level, then what stands on so many GPUs (None: as found).

        Raises:
            ConfigError: a load that the machine refuses.
        """
        deadline = watch() + budget_s
        while watch() < deadline:
            work = next_work(self.spec, self.found, level_s, gpus or self.sheet.leading(level_s))
            if work is None:
                return
            self._take_on(work, watch, deadline)

    def _take_on(self, work: Work, watch: Watch, deadline: float) -> None:
        ours = work in self._begun
        run = self._begun[work] if ours else self._run_of(work)
        if not ours and not run.done:
            ours = True
            self._begun[work] = run
            self._since = watch() if self._since is None else self._since
            if len(self._begun) > MOST_BEGUN:
                del self._begun[next(iter(self._begun))]
        while not run.done:
            left = deadline - watch()
            if left <= 0:
                return
            with TURNS.turn(left) as mine:
                if mine:
                    run.go_on(_until(watch, min(deadline, watch() + PIECE_S)))
        self.found[work] = run.made
        if ours:
            del self._begun[work]
            self._last_at, self._measured = watch(), self._measured + 1

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
    return (*map(repr, load), repr(spec.config), repr(spec.cost), largest, spec.ceiling_s, work)


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
