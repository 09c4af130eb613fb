"""The runs behind a sheet, a few at each tick of the page; what one visitor computed, all have.

A run is a pure function of its settings, so those on listed machines are shared: a class computes a sheet
once. Runs on a machine by somebody's own numbers stay theirs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace

from core.decision import Outcome, Sheet, SheetSpec, Work, gather, measure, next_work, plan
from ui.frame.kept import Kept, LastFew
from ui.frame.shared import Shared

TICK_S = 1.0
"""Real seconds from one tick of the page to the next."""

BUDGET_S = 0.7
"""Real seconds after which a tick begins no further run. One run takes half a second."""

LEAST_S = 0.01
"""What comes sooner was there already."""

FEW = 8
"""Runs after which the pace says something."""

_RUNS, _OWN_RUNS = Shared(2_000), LastFew("decision_runs", 600)
"""Outcomes under what they were made from: a sheet has some 270 of about 40 kB each."""

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
        """Go on for so long; a run that has begun is finished. First what decides about the level, then what
        stands on so many GPUs (None: as found).

        Raises:
            ConfigError: a load that the machine refuses.
        """
        deadline = watch() + budget_s
        while (start := watch()) < deadline:
            work = next_work(self.spec, self.found, level_s, gpus or self.sheet.leading(level_s))
            if work is None:
                return
            self.found[work] = self._outcome(work)
            end = watch()
            if end - start > LEAST_S:
                self._since = start if self._since is None else self._since
                self._last_at, self._measured = end, self._measured + 1

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
