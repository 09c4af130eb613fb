"""One engine's readings as steps from one to the next: what this run counted, and where it began anew.

* A counter that falls (or whose `_created` time moves) is an engine that was started again: its new count
  counts from 0, and whatever it counted between the last reading and its end is lost.
* An engine that first appears on a page whose others were there before may have been started since, or may
  only have been missing. It counts from 0 where its `_created` time proves that it began in between; else
  from where it is first seen.
* An engine whose page was there without any count had not counted yet: it counts from 0.
* A page in between that lacks an engine hides nothing but the moment: its difference spans the gap.
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
Birth = Literal["proved", "disproved", "unknown"]
"""Whether an engine that appeared late began then."""
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
    """One engine over the log. Numbers of moments are places in `Meters.moments`.

    `begins`, `ends`: where it is first and last counted. `missing`: pages in between on which it should have
    been. `appeared`: where it is new, and by `birth` whether it began then; `vanished`: where it is gone.
    """

    engine: EngineCounters
    period: Period
    total: Tally
    steps: tuple[Step, ...] = ()
    begins: int | None = None
    ends: int | None = None
    missing: tuple[int, ...] = ()
    appeared: int | None = None
    birth: Birth | None = None
    vanished: int | None = None

    @property
    def restarts(self) -> tuple[int, ...]:
        """The moments at which it was seen to have begun anew."""
        return tuple(step.ends for step in self.steps if step.restart)

    @property
    def if_new(self) -> Tally:
        """What it counted if it began where it is first seen."""
        if self.birth != "unknown" or self.begins is None:
            return self.total
        first = next(reading for reading in self.engine.readings if reading.moment == self.begins)
        return Tally.of([Tally.between(None, first), *(step.tally for step in self.steps)])


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
    begins, ends = counted[0].moment, counted[-1].moment
    if engine.from_zero:
        total = Tally.between(None, counted[-1])
        return EngineRun(engine, "lines", total, _steps(counted, True), begins, ends)
    appeared, birth = _appeared(engine.readings[0], counted[0], meters, pages)
    steps = _steps(counted, birth == "proved")
    beginning = (
        steps,
        begins,
        ends,
        _missing(counted, pages),
        appeared,
        birth,
        _vanished(counted[-1], pages),
    )
    if not steps:
        return EngineRun(engine, "since_start", Tally.between(None, counted[0]), *beginning)
    return EngineRun(engine, "run", Tally.of(step.tally for step in steps), *beginning)


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


def _appeared(
    seen: Reading, first: Reading, meters: Meters, pages: Sequence[set[int]]
) -> tuple[int | None, Birth | None]:
    """The moment at which it was new, and whether it began then; None where it was there from the beginning.

    `seen`: its first reading, `first`: the first that counts.
    """
    place = first.moment
    if seen.moment < place and seen.queries is None:
        return place, "proved"
    earlier = [moment for moment in range(place) if not pages[moment].isdisjoint(pages[place])]
    times = [meters.moments[moment].at_s for moment in (earlier or range(place))]
    known = [at_s for at_s in times if at_s is not None]
    if first.began_s is not None and known:
        if first.began_s > max(known):
            return place, "proved"
        return (place, "disproved") if earlier else (None, None)
    return (place, "unknown") if earlier else (None, None)


def _missing(counted: Sequence[Reading], pages: Sequence[set[int]]) -> tuple[int, ...]:
    """Moments between two of its readings whose page has others of its own page, and not itself."""
    found: list[int] = []
    for before, after in pairwise(counted):
        gap = range(before.moment + 1, after.moment)
        beside = pages[before.moment] | pages[after.moment] if gap else set()
        found += [moment for moment in gap if not pages[moment].isdisjoint(beside)]
    return tuple(found)


def _vanished(last: Reading, pages: Sequence[set[int]]) -> int | None:
    """The first moment at which its page came without it, behind its last reading."""
    later = range(last.moment + 1, len(pages))
    return next((moment for moment in later if pages[moment] & pages[last.moment]), None)
