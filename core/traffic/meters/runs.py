"""One engine's readings as steps from one to the next: what this run counted, and where it began anew.

* A counter that falls (or whose `_created` time moves) is an engine that was started again: its new count
  counts from 0, and whatever it counted between the last reading and its end is lost.
* An engine that was not on a page before, though others of that page were, was started since: it counts
  from 0.
* An engine whose page was there without any count had not counted yet: from 0 as well.
* With one reading there is no difference: the counts since the engine's start, which may be weeks.
* Lines of a log are already differences: they count from 0 with the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from core.traces.engine_facts import EngineCounters, Meters, Reading
from core.traffic.meters.tally import FIELDS, Tally

Period = Literal["run", "since_start", "lines", "said", "nothing"]
_BORN_ANEW_S = 1.0


@dataclass(frozen=True, slots=True)
class Step:
    """From one reading of an engine to the next. `begins` None: from 0. `restart`: it began anew there."""

    begins: int | None
    ends: int
    tally: Tally
    restart: bool = False


@dataclass(frozen=True, slots=True)
class EngineRun:
    """One engine over the log. Numbers of moments are places in `Meters.moments`."""

    engine: EngineCounters
    period: Period
    total: Tally
    steps: tuple[Step, ...] = ()
    appeared: int | None = None
    vanished: int | None = None

    @property
    def restarts(self) -> tuple[int, ...]:
        """The moments at which it was seen to have begun anew."""
        return tuple(step.ends for step in self.steps if step.restart)


def engine_runs(meters: Meters) -> tuple[EngineRun, ...]:
    """Every engine. O(readings)."""
    pages: list[set[int]] = [set() for _ in meters.moments]
    for number, engine in enumerate(meters.engines):
        for reading in engine.readings:
            if reading.counted:
                pages[reading.moment].add(number)
    return tuple(_run(engine, number, meters, pages) for number, engine in enumerate(meters.engines))


def _run(engine: EngineCounters, number: int, meters: Meters, pages: Sequence[set[int]]) -> EngineRun:
    counted = [reading for reading in engine.readings if reading.counted]
    if not counted:
        last = engine.readings[-1]
        period: Period = "said" if engine.window is not None else "nothing"
        return EngineRun(engine, period, Tally.between(None, last))
    if engine.from_zero:
        return EngineRun(engine, "lines", Tally.between(None, counted[-1]), _steps(counted, True))
    first = engine.readings[0]
    born = first.moment < counted[0].moment and first.queries is None
    appeared = counted[0].moment if born else _appeared(counted[0], meters, pages)
    vanished = _vanished(counted[-1], pages)
    if len(counted) == 1 and appeared is None:
        return EngineRun(engine, "since_start", Tally.between(None, counted[0]), (), None, vanished)
    steps = _steps(counted, appeared is not None)
    return EngineRun(engine, "run", Tally.of(step.tally for step in steps), steps, appeared, vanished)


def _steps(counted: Sequence[Reading], from_zero: bool) -> tuple[Step, ...]:
    found = []
    if from_zero:
        found.append(Step(None, counted[0].moment, Tally.between(None, counted[0])))
    for before, after in pairwise(counted):
        restart = _restarted(before, after)
        tally = Tally.between(None if restart else before, after)
        found.append(Step(before.moment, after.moment, tally, restart))
    return tuple(found)


def _restarted(before: Reading, after: Reading) -> bool:
    births = (before.began_s, after.began_s)
    if births[0] is not None and births[1] is not None and births[1] > births[0] + _BORN_ANEW_S:
        return True
    pairs = ((getattr(before, name), getattr(after, name)) for name in FIELDS)
    return any(one is not None and other is not None and other < one for one, other in pairs)


def _appeared(first: Reading, meters: Meters, pages: Sequence[set[int]]) -> int | None:
    """The moment at which it was new, None where it was there from the beginning or nobody can know."""
    place = first.moment
    earlier = [moment for moment in range(place) if pages[moment] & pages[place]]
    if first.began_s is not None:
        times = [meters.moments[moment].at_s for moment in (earlier or range(place))]
        known = [at_s for at_s in times if at_s is not None]
        if known:
            return place if first.began_s > max(known) else None
    return place if earlier else None


def _vanished(last: Reading, pages: Sequence[set[int]]) -> int | None:
    """The first moment at which its page came without it, behind its last reading."""
    later = range(last.moment + 1, len(pages))
    return next((moment for moment in later if pages[moment] & pages[last.moment]), None)
