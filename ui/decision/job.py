"""The runs behind a sheet, a few at each tick of the page; what one visitor computed, all have.

A run is a pure function of its settings, so those on listed machines are shared: a class computes a sheet
once. Runs on a machine by somebody's own numbers stay theirs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

from core.decision import Outcome, Sheet, SheetSpec, Work, gather, measure, plan
from ui.frame.kept import Kept, LastFew
from ui.frame.shared import Shared

TICK_S = 1.0
"""Real seconds from one tick of the page to the next."""

BUDGET_S = 0.7
"""Real seconds after which a tick begins no further run. One run takes half a second."""

_RUNS, _OWN_RUNS = Shared(2_000), LastFew("decision_runs", 600)
"""Outcomes under what they were made from: a sheet has some 250 of about 40 kB each."""

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
        """Go on for so long; a run that has begun is finished.

        Raises:
            ConfigError: a load that the machine refuses.
        """
        deadline = watch() + budget_s
        for work in self.works:
            if work not in self.found:
                if watch() >= deadline:
                    return
                self.found[work] = self._outcome(work)

    def _outcome(self, work: Work) -> Outcome:
        store = _RUNS if self.listed else _OWN_RUNS
        return store.get(_made_from(self.spec, work), lambda: measure(self.spec, work))


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
