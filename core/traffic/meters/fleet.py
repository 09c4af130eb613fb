"""All engines of a log together: sums of what they counted, in all and from scrape to scrape."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.traces.engine_facts import Meters, Role
from core.traffic.meters.runs import EngineRun, Period, Step, engine_runs
from core.traffic.meters.tally import Tally

MOST_INTERVALS = 400
_ROLES: tuple[Role, ...] = ("engine", "frontend", "store")
"""A frontend counts its engines' requests again, a store those that engines ask it for: never added up."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """The engines whose counts are added up; the others are left out and stay in the list."""

    period: Period
    runs: tuple[EngineRun, ...]
    added: tuple[EngineRun, ...]
    total: Tally
    intervals: tuple[Step, ...]

    @property
    def unproved(self) -> tuple[EngineRun, ...]:
        """Engines that are first seen in the middle, whether or not they began then."""
        if self.period != "run" or not self.added:
            return ()
        late = [run for run in self.runs if run.birth == "unknown" and run.total.why != "contradictory"]
        return tuple(run for run in late if run.engine.role == self.added[0].engine.role)

    @property
    def if_new(self) -> Tally | None:
        """The sum if those began then; None where there are none."""
        late = self.unproved
        others = [run for run in self.added if run not in late]
        return Tally.of(run.if_new for run in (*others, *late)) if late else None

    @property
    def shown(self) -> tuple[int, ...]:
        """The moments at which an engine of the sum is counted."""
        added = [run.engine.readings for run in self.added]
        return tuple(sorted({one.moment for readings in added for one in readings if one.counted}))

    @property
    def is_difference(self) -> bool:
        """Whether the sum is the last of these moments minus the first, for each of its engines."""
        spans = {(run.begins, run.ends) for run in self.added}
        anew = any(step.restart or step.begins is None for run in self.added for step in run.steps)
        return self.period == "run" and len(spans) == 1 and not anew

    @property
    def reported_rate(self) -> float | None:
        """What the engines report for the whole log: their own caches' rate, or that of any cache.

        A rate that an engine worked out over a window is only this where the window is all there was.
        """
        rate = self.total.local_rate
        if rate is not None or self.total.any_rate is not None:
            return self.total.any_rate if rate is None else rate
        said = [run.engine for run in self.runs if run.period == "said"]
        if len(said) != 1 or len(self.runs) != 1 or said[0].window != "since_start":
            return None
        found = [one.said for one in said[0].readings if one.said is not None]
        return found[-1] if len(found) == 1 or said[0].from_zero else None


def fleet_of(meters: Meters) -> Fleet:
    """Every engine, and the sum. O(readings)."""
    runs = engine_runs(meters)
    counting = [run for run in runs if run.period in ("run", "lines", "since_start")]
    speaking = {run.engine.role for run in runs if run.period != "nothing"}
    role = next((role for role in _ROLES if role in speaking), "engine")
    counting = [run for run in counting if run.engine.role == role and run.total.why != "contradictory"]
    differences = [run for run in counting if run.period != "since_start"]
    added = tuple(differences or counting)
    period: Period = (
        added[0].period if added else "said" if any(r.period == "said" for r in runs) else "nothing"
    )
    return Fleet(period, runs, added, Tally.of(run.total for run in added), _intervals(added))


def _intervals(runs: Sequence[EngineRun]) -> tuple[Step, ...]:
    """What all engines counted up to each moment since the one before."""
    by_end: dict[int, list[Step]] = defaultdict(list)
    for run in runs:
        for step in run.steps:
            by_end[step.ends].append(step)
    found = []
    for ends in sorted(by_end):
        begins = [step.begins for step in by_end[ends] if step.begins is not None]
        restart = any(step.restart for step in by_end[ends])
        tally = Tally.of(step.tally for step in by_end[ends])
        found.append(Step(min(begins, default=None), ends, tally, restart))
    return tuple(found)


def fewer(steps: Sequence[Step], most: int = MOST_INTERVALS) -> tuple[Step, ...]:
    """At most so many, made by adding up neighbours: no count is lost, and no restart."""
    size = -(-len(steps) // most) or 1
    if size == 1:
        return tuple(steps)
    groups = [steps[place : place + size] for place in range(0, len(steps), size)]
    return tuple(
        Step(
            group[0].begins,
            group[-1].ends,
            Tally.of(step.tally for step in group),
            any(s.restart for s in group),
        )
        for group in groups
    )
