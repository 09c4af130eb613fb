"""How the time of each part grows with its work: over n, 10 n and 100 n.

    python -m benchmarks.growth [--part WORD] [--json OUT] [--quick]

Nothing may grow faster than its work: a part whose exponent exceeds 1.15 makes the program end with 1. An
exponent is a slope on logarithmic scales: 1 for time in proportion to n, 2 for its square. From n to 100 n
it may be 1.15, from 10 n to 100 n (which show a square that a fixed cost hides from small sizes) 1.3: either
means twice the time that proportion allows. What is left above 1 is memory: 100 n do not fit into the caches
that n fit into.

Measured are CPU seconds of this process, so that others on the machine disturb little; each size several
times, the sizes in turn, and the best counts, because whatever disturbs can only add. Python's cyclic garbage
collector is off inside the clock: it looks at objects of the whole process, also at those of the benchmark.
What a part needs (logs, prompts, an engine in some state) is made outside its clock, anew each time.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import log10
from pathlib import Path
from random import Random
from time import process_time

from core.engine.engine import Engine
from core.engine.events import Event
from core.timeline.diagnose import explain
from core.timeline.event_log import EventLog
from core.timeline.fold import fold_all
from core.timeline.frame import initial_frame
from core.timeline.kv_events import kv_events
from core.types import EngineConfig, MultiModalItem, Request, SchedulingPolicy
from ui.stage.steps import stage_steps

MOST = (1.15, 1.3)
"""Exponents from n to 100 n, and from 10 n to 100 n."""
STEP = 10
TIMES = (7, 5, 3)
"""Repetitions of n, 10 n and 100 n."""
BLOCK = 16
LARGE_STEP = 1 << 30  # tokens: a prompt is never cut into chunks

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Part:
    """Something to measure: ``prepare(n)`` makes all it needs and returns the work that the clock sees."""

    name: str
    unit: str  # what n counts
    smallest: int
    prepare: Callable[[int], Work]


@dataclass(frozen=True, slots=True)
class Growth:
    """One row of the table. Seconds of CPU at n, 10 n and 100 n."""

    name: str
    unit: str
    sizes: tuple[int, int, int]
    seconds: tuple[float, float, float]

    @property
    def exponents(self) -> tuple[float, float]:
        """From n to 100 n, and from 10 n to 100 n."""
        first, middle, last = map(log10, self.seconds)
        return (last - first) / (2 * log10(STEP)), (last - middle) / log10(STEP)

    @property
    def is_fine(self) -> bool:
        """Whether the part grows no faster than its work."""
        return all(found <= most for found, most in zip(self.exponents, MOST, strict=True))


# -- the parts -------------------------------------------------------------------------------------------


def config(num_blocks: int, **settings: int | str) -> EngineConfig:
    return EngineConfig(BLOCK, num_blocks, max_num_batched_tokens=LARGE_STEP, **settings)  # type: ignore[arg-type]


def prompts(num: int, num_alike: int = 0) -> list[tuple[int, ...]]:
    """Prompts of one block and a token: the same ``num_alike`` tokens in each, then some out of 128,000."""
    random, alike = Random(num), tuple(range(num_alike))
    return [alike + tuple(random.choices(range(128_000), k=BLOCK + 1 - num_alike)) for _ in range(num)]


def log_of(requests: Sequence[Request], num_blocks: int, *, queued: bool = False) -> EventLog:
    """The log of requests served one after another, or all of them ``queued`` first."""
    events: list[Event] = []
    settings = config(num_blocks)
    engine = Engine(settings, events.append)
    for request in requests:
        engine.submit(request)
        if not queued:
            engine.run()
    engine.run()
    return EventLog(settings, tuple(events))


def waiting(policy: SchedulingPolicy) -> Callable[[int], Work]:
    """All arrive, then all are served."""

    def prepare(num: int) -> Work:
        random, engine = Random(num), Engine(config(1_000, policy=policy))
        requests = [
            Request(str(number), tokens, (1, 2), priority=random.randrange(10))
            for number, tokens in enumerate(prompts(num))
        ]

        def work() -> None:
            for request in requests:
                engine.submit(request)
            engine.run()

        return work

    return prepare


def leaving(num: int) -> Work:
    """All wait, told to a listener; then all are aborted, in any order."""
    engine = Engine(config(1_000), lambda event: None, block_events=False)
    requests = [Request(str(number), tokens) for number, tokens in enumerate(prompts(num))]
    names = Random(num).sample([request.request_id for request in requests], num)

    def work() -> None:
        for request in requests:
            engine.submit(request)
        for name in names:
            engine.abort(name)

    return work


def long_prompt(num_tokens: int) -> Work:
    engine = Engine(config(num_tokens // BLOCK + 2))
    tokens = Random(1).choices(range(32_000), k=num_tokens)

    def work() -> None:
        engine.submit(Request("long", tokens))  # type: ignore[arg-type]
        engine.run()

    return work


def long_answer(num_tokens: int) -> Work:
    engine = Engine(config(num_tokens // BLOCK + 2))
    engine.submit(Request("long", (1,), tuple(Random(1).choices(range(32_000), k=num_tokens - 1))))
    return engine.run


def images(num: int) -> Work:
    """One prompt, an image of twenty tokens in every forty."""
    engine = Engine(config(num * 3))
    items = tuple(MultiModalItem(f"image {number}", 40 * number, 20) for number in range(num))
    request = Request("images", tuple(range(40 * num)), mm=items)

    def work() -> None:
        engine.submit(request)
        engine.run()

    return work


def check(num_blocks: int) -> Work:
    """Half of the pool in use, a quarter cached."""
    engine = Engine(config(num_blocks))
    size = num_blocks // 8
    for number in range(6):
        first = number * size * BLOCK
        engine.start(Request(str(number), tuple(range(first, first + size * BLOCK))))
    for number in range(2):
        engine.free(str(number))
    return engine.check


def explaining(num_alike: int) -> Callable[[int], Work]:
    """All have other tokens, or some of them in common as with a template."""

    def prepare(num: int) -> Work:
        requests = [Request(str(number), tokens) for number, tokens in enumerate(prompts(num, num_alike))]
        log = log_of(requests, 2 * num + 2)
        return lambda: explain(log)

    return prepare


def explaining_salts(num: int) -> Work:
    """All have the same tokens, each under a salt of its own."""
    requests = [Request(str(number), tuple(range(BLOCK + 1)), salt=str(number)) for number in range(num)]
    log = log_of(requests, 2 * num + 2)
    return lambda: explain(log)


def folding(queued: bool) -> Callable[[int], Work]:
    def prepare(num: int) -> Work:
        requests = [Request(str(number), tokens, (1, 2)) for number, tokens in enumerate(prompts(num))]
        log = log_of(requests, 200, queued=queued)
        return lambda: fold_all(initial_frame(log.config), log.events)

    return prepare


def steps(num: int) -> Work:
    requests = [Request(str(number), tokens, (1, 2)) for number, tokens in enumerate(prompts(num))]
    log = log_of(requests, 200)
    return lambda: stage_steps(log, {})


def translating(num_tokens: int) -> Work:
    log = log_of([Request("long", tuple(range(num_tokens)))], num_tokens // BLOCK + 2)
    return lambda: kv_events(log)


PARTS = (
    Part("queue, first come first served", "requests", 500, waiting("fcfs")),
    Part("queue, ten priorities", "requests", 500, waiting("priority")),
    Part("queue, all aborted", "requests", 500, leaving),
    Part("engine, one prompt", "tokens", 20_000, long_prompt),
    Part("engine, one answer", "tokens", 500, long_answer),
    Part("engine, images of one prompt", "images", 200, images),
    Part("engine, self-check", "blocks", 2_000, check),
    Part("explain, other tokens", "prompts", 100, explaining(0)),
    Part("explain, one template", "prompts", 100, explaining(8)),
    Part("explain, a salt each", "prompts", 100, explaining_salts),
    Part("fold, one at a time", "requests", 50, folding(queued=False)),
    Part("fold, all wait first", "requests", 50, folding(queued=True)),
    Part("steps of the stage", "requests", 20, steps),
    Part("KV events of one prompt", "tokens", 20_000, translating),
)


# -- measuring -------------------------------------------------------------------------------------------


def measure(part: Part, *, quick: bool = False, clock: Callable[[], float] = process_time) -> Growth:
    """The best time of each size; ``quick``: of tiny sizes, once."""
    smallest = max(part.smallest // 100, 1) if quick else part.smallest
    sizes = (smallest, smallest * STEP, smallest * STEP * STEP)
    best = [float("inf")] * len(sizes)
    for turn in range(1 if quick else max(TIMES)):
        for place, (size, times) in enumerate(zip(sizes, TIMES, strict=True)):
            if turn < times:
                best[place] = min(best[place], seconds_of(part.prepare(size), clock))
    return Growth(part.name, part.unit, sizes, (best[0], best[1], best[2]))


def seconds_of(work: Work, clock: Callable[[], float]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = clock()
        result = work()
        seconds = clock() - start
        del result  # outside the clock
    finally:
        gc.enable()
    return seconds


def row(growth: Growth) -> str:
    figures = "".join(f"{seconds * 1e3:>10,.1f}" for seconds in growth.seconds)
    over_all, over_last = growth.exponents
    verdict = "" if growth.is_fine else "  GROWS FASTER THAN ITS WORK"
    size = f"{growth.sizes[-1]:,} {growth.unit}"
    return f"{growth.name:32}{size:>20}{figures}{over_all:>9.2f}{over_last:>11.2f}{verdict}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, judge. Returns the exit status: 1 if a part grows faster than its work."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.growth", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--part", default="", metavar="WORD", help="only parts with this word in their names")
    parser.add_argument("--json", metavar="OUT", help="write the figures to this file too")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, no verdict: does it run?")
    options = parser.parse_args(arguments)
    print(f"{'part':32}{'100 n':>20}{'n: ms':>10}{'10 n':>10}{'100 n':>10}{'n..100n':>9}{'10n..100n':>11}")
    rows = []
    for part in PARTS:
        if options.part in part.name:
            rows.append(measure(part, quick=options.quick))
            print(row(rows[-1]), flush=True)
    if options.json:
        figures = [{**asdict(growth), "exponents": growth.exponents} for growth in rows]
        Path(options.json).write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    return 0 if options.quick or all(growth.is_fine for growth in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
