"""An experiment is several runs, each from a new beginning: a new pool, new tokens, warm-ups of its own.

Rounds of one run agree with each other better than runs do: where the pool happens to lie, and how full the
processor's caches are, stays the same within a run. What is told is the *middle run*, whole: its times, and
their quotient as its ratio, so that whatever is shown divides. The interval goes from the smallest run to the
largest. It is no confidence interval: runs of one sitting resemble each other more than those of another
hour do (``assets/measured/headline.json``). A single run has its rounds instead.

Before the first run the memory is settled (``settle``). A process that never let go of a large array gives
each of them back to the operating system at once (glibc learns from the first large one that is freed). The
long pass then pays for thousands of page faults that the short one does not have: it was 12 % slower, and
the very first run of a server showed 4.5x where all later ones showed 4.0x, above what counting FLOPs
allows. ``Timing.faults`` counts them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.backends.base import PrefillResult
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.experiments.measure import Rounds, Timing
from core.backends.line import let_others
from core.backends.progress import Cancelled, Progress
from core.errors import BackendError

SETTLE_TOKENS = 640
OneRun = Callable[[int, Progress, Cancelled], Rounds]
"""One run; it is told its number."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Whole runs; ``complete`` is False if somebody stopped early, the last one then has fewer rounds."""

    each: Sequence[Rounds]
    complete: bool

    def middle(self, pairs: Sequence[tuple[str, str]]) -> int:
        """The run whose ratios (slow, fast) lie in the middle; of an even number the lower one."""
        sizes = [sum(math.log(self._ratio(at, *pair)) for pair in pairs) for at in range(len(self.each))]
        return middle_of(sizes)

    def timing(self, name: str, at: int) -> Timing:
        """One thing's median in run ``at``, and the smallest and the largest run."""
        timings = [run.timing(name) for run in self.each]
        if len(timings) == 1:
            return timings[0]
        wall = [one.wall_ms for one in timings]
        cpu = [one.cpu_ms for one in timings if one.cpu_ms is not None]
        return replace(
            timings[at],
            num=sum(one.num for one in timings),
            wall_low_ms=min(wall),
            wall_high_ms=max(wall),
            cpu_low_ms=min(cpu, default=None),
            cpu_high_ms=max(cpu, default=None),
            disturbed=2 * sum(one.disturbed for one in timings) > len(timings),
        )

    def ratio(self, slow: str, fast: str, at: int) -> tuple[float, float, float]:
        """How many times faster: in run ``at``, in the smallest and in the largest run."""
        told = self.ratios(slow, fast)
        _, low, high = (0.0, min(told), max(told)) if len(told) > 1 else self.each[0].ratio(slow, fast)
        return told[at], min(low, told[at]), max(high, told[at])

    def ratios(self, slow: str, fast: str) -> list[float]:
        """How many times faster, run by run: the quotient of its medians."""
        return [self._ratio(at, slow, fast) for at in range(len(self.each))]

    def _ratio(self, at: int, slow: str, fast: str) -> float:
        return self.each[at].timing(slow).ms / self.each[at].timing(fast).ms

    def results(self, name: str) -> list[PrefillResult]:
        """All timed passes of one thing, run after run."""
        return [result for run in self.each for result in run.results[name]]


def middle_of(values: Sequence[float]) -> int:
    """Where the median stands; of an even number the lower of the two in the middle."""
    return sorted(range(len(values)), key=values.__getitem__)[(len(values) - 1) // 2]


def take_runs(one_run: OneRun, runs: int, progress: Progress, cancelled: Cancelled) -> Runs:
    """So many runs, one after another. Stopping keeps the runs that have a whole round.

    Raises:
        BackendError: stopped before one round was whole.
    """
    done: list[Rounds] = []
    for number in range(runs):

        def part(fraction: float, before: int = number) -> None:
            progress((before + fraction) / runs)

        try:
            if number:
                let_others()
            done.append(one_run(number, part, cancelled))
        except BackendError as problem:
            if problem.code != "backend.cancelled" or not done:
                raise
            return Runs(done, False)
        if not done[-1].complete:
            return Runs(done, False)
    return Runs(done, True)


def settle(backend: DecoderBackend[Any]) -> None:
    """Let the process hold and let go of large arrays once, before anything is timed."""
    num_blocks = -(-SETTLE_TOKENS // 16)
    backend.reserve(5 * num_blocks, 16)
    count = min(SETTLE_TOKENS, backend.spec.max_positions)
    backend.recompute([1 % backend.spec.vocab_size] * count)
    backend.reserve(1, 16)
