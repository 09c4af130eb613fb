"""How time is taken, so that a comparison is fair on a machine that others use too.

* Both sides run in every round, in random (seeded) order: a slow minute hits both alike.
* Warm-up rounds are thrown away. The garbage collector waits.
* One compute thread, set inside the timed function (``decoder_backend.py``).
* CPU time and wall time. Where the wall saw much more than the CPU the round was disturbed, and is marked.
* The median says what is typical, the smallest and largest say how sure that is (``runs.py``: over several
  runs).
"""

from __future__ import annotations

import gc
import math
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.backends.base import PrefillResult
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress, stopped

DISTURBED = 1.2
"""Wall time above so many times the CPU time means that somebody else used the core."""

Work = Callable[[int], PrefillResult]
"""One timed computation; it is told the number of the round, warm-ups included."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Many timings of one thing, in milliseconds. ``cpu_ms`` is None where the CPU does not do the work."""

    num: int
    wall_ms: float
    wall_low_ms: float
    wall_high_ms: float
    cpu_ms: float | None
    cpu_low_ms: float | None
    cpu_high_ms: float | None
    disturbed: bool
    faults: float | None = None
    """Page faults of a pass: how often the operating system handed it memory. None where that is not told."""

    @property
    def ms(self) -> float:
        """The number to compare: CPU time, which others do not stretch; wall time where there is none."""
        return self.cpu_ms or self.wall_ms

    def to_json(self) -> dict[str, Any]:
        """For results that are kept."""
        return {name: getattr(self, name) for name in self.__slots__}


def ms_of(timing: Mapping[str, Any]) -> float:
    """``Timing.ms`` of a timing that was kept (``to_json``)."""
    return float(timing["cpu_ms"] or timing["wall_ms"])


def summarise(results: Sequence[PrefillResult]) -> Timing:
    """Median and spread of at least one run."""
    wall = [result.wall_s * 1e3 for result in results]
    cpu = [result.cpu_s * 1e3 for result in results if result.cpu_s is not None]
    ratios = [result.wall_s / result.cpu_s for result in results if result.cpu_s]
    faults = [result.faults for result in results if result.faults is not None]
    return Timing(
        num=len(results),
        wall_ms=statistics.median(wall),
        wall_low_ms=min(wall),
        wall_high_ms=max(wall),
        cpu_ms=statistics.median(cpu) if cpu else None,
        cpu_low_ms=min(cpu, default=None),
        cpu_high_ms=max(cpu, default=None),
        disturbed=bool(ratios) and statistics.median(ratios) > DISTURBED,
        faults=statistics.median(faults) if faults else None,
    )


@dataclass(frozen=True, slots=True)
class Rounds:
    """The timings of things that were run in turn; ``complete`` is False if somebody stopped early."""

    results: Mapping[str, list[PrefillResult]]
    complete: bool

    def timing(self, name: str) -> Timing:
        """One thing's summary."""
        return summarise(self.results[name])

    def ratio(self, slow: str, fast: str) -> tuple[float, float, float]:
        """How many times faster: median, smallest and largest over the rounds, each round with itself."""
        pairs = zip(self.results[slow], self.results[fast], strict=True)
        ratios = [seconds_of(one) / seconds_of(other) for one, other in pairs]
        return statistics.median(ratios), min(ratios), max(ratios)


def seconds_of(result: PrefillResult) -> float:
    """CPU time, or wall time where the CPU's is not known or too short to be seen."""
    return result.cpu_s or result.wall_s


def take_turns(
    works: Mapping[str, Work],
    *,
    rounds: int = 7,
    warm_ups: int = 2,
    budget_s: float = math.inf,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Rounds:
    """Run everything once a round, in an order that the seed shuffles anew each round.

    A round that ends after ``budget_s`` seconds is the last one. Stopping keeps the rounds that are whole.

    Raises:
        BackendError: stopped before one round was whole.
    """
    dice = random.Random(seed)
    results: dict[str, list[PrefillResult]] = {name: [] for name in works}
    total = (warm_ups + rounds) * len(works)
    done, start = 0, time.perf_counter()
    for number in range(warm_ups + rounds):
        this_round: dict[str, PrefillResult] = {}
        for name in dice.sample(list(works), len(works)):
            if cancelled():
                if not results[name]:
                    raise stopped()
                return Rounds(results, False)
            with no_garbage_collection():
                this_round[name] = works[name](number)
            done += 1
            progress(done / total)
        if number >= warm_ups:
            for name, result in this_round.items():
                results[name].append(result)
            if time.perf_counter() - start > budget_s:
                break
    progress(1.0)
    return Rounds(results, True)


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Collect before, not while the clock runs."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
