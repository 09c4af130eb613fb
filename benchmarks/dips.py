"""Ten dips of a load: whom the list behind each one names first, and a count of every block event beside it.

    python -m benchmarks.dips --seed 7 --mix mixed --rate 6 --pool 1024 --requests 1200 [--cap N] [--ttl S]

The lists come from a run as pages have it, without block events; the count from the same run with them.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from core.cost import GPUS, MODELS, CostModel
from core.engine.events import BlockAllocated, BlockEvicted, BlockStored, RequestAdmitted, RequestScheduled
from core.load import MIXES, TICKS_PER_S, LoadRun, LoadSpec, culprits_of, hindsight
from core.types import EngineConfig
from tests.load_tape import Tape, counted, taped

NUM_DIPS = 10


def main() -> None:
    """Print the table."""
    wanted = options()
    run, tape = finished(wanted)[0], finished(wanted, told=True)[1]
    assert tape is not None
    bin_s = run.bins.width_s
    print("| bin | hit rate | evicted | list: first evictor | counted again | worst miss | again | why |")
    print("| --- | ---: | ---: | --- | --- | --- | --- | --- |")
    num_right, slowest = 0, 0.0
    for end in dips(run)[:NUM_DIPS]:
        found = culprits_of(run, end, bin_s)
        began = time.perf_counter()
        told = hindsight(run, found)
        slowest = max(slowest, time.perf_counter() - began)
        pushed, missed = by_events(tape, end - bin_s, end)
        top, miss = found.evictors[:1], found.misses[:1]
        biggest, worst = max(pushed.values(), default=0), max(missed.values(), default=0)
        right = (not top or pushed[top[0].request_id] == top[0].blocks == biggest) and (
            not miss or missed[miss[0].request_id] == miss[0].missed == worst
        )
        num_right += right
        queries, hits = counted(tape, end - bin_s, end)
        cells = [
            f"{end - bin_s:g}–{end:g} s",
            f"{hits / queries:.1%}",
            f"{sum(pushed.values())}",
            ", ".join(f"{one.request_id}: {one.blocks}" for one in top) or "–",
            ", ".join(f"{name}: {n}" for name, n in pushed.items() if n == biggest) or "–",
            ", ".join(f"{one.request_id}: {one.missed}" for one in miss),
            ", ".join(f"{name}: {n}" for name, n in missed.items() if n == worst),
            ", ".join(str(why_of(told.why[one.request_id])) for one in miss),
        ]
        print("| " + " | ".join(cells) + " |")
    print(f"right: {num_right} of {NUM_DIPS}; the longest hindsight took {slowest:.2f} s")


def options() -> argparse.Namespace:
    """What to run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--mix", default="mixed", choices=MIXES)
    parser.add_argument("--rate", type=float, default=6.0)
    parser.add_argument("--pool", type=int, default=1024)
    parser.add_argument("--cap", type=int)
    parser.add_argument("--ttl", type=int)
    parser.add_argument("--requests", type=int, default=1200)
    return parser.parse_args()


def finished(wanted: argparse.Namespace, *, told: bool = False) -> tuple[LoadRun, Tape | None]:
    """The whole run; if ``told``, with everything that its server with the cache told."""
    ttl = None if wanted.ttl is None else wanted.ttl * TICKS_PER_S
    config = EngineConfig(num_blocks=wanted.pool + 1, cache_cap=wanted.cap, ttl=ttl)
    spec = LoadSpec(seed=wanted.seed, mix=MIXES[wanted.mix], rate=wanted.rate, num_requests=wanted.requests)
    spec = spec.fitted_to(config.num_usable * config.block_size)
    run = LoadRun(spec, config, CostModel(MODELS["Llama-3-8B"], GPUS["H100"]))
    tape = taped(run)[0] if told else None
    while run.advance(seconds=10):
        pass
    return run, tape


def dips(run: LoadRun) -> list[float]:
    """Ends of the bins with the lowest hit rates, lowest first, after the first half minute."""
    samples = run.samples()
    rates = zip(samples.end_s, samples.curves["hit_rate"], strict=True)
    warm = [(rate, end) for end, rate in rates if rate is not None and end > 30]
    return [end for _, end in sorted(warm)]


def by_events(tape: Tape, begin_s: float, end_s: float) -> tuple[Counter[str], dict[str, int]]:
    """Blocks pushed out by each request, and tokens that each one missed, in steps that began in the bin.
    Every evicted block belongs to whoever takes it next; under a cap, to whoever stores or grows."""
    pushed, missed = Counter[str](), dict[str, int]()
    for step in tape.steps:
        waiting, last = 0, ""
        for event in step.events if begin_s < step.start_s <= end_s else ():
            if isinstance(event, BlockEvicted) and event.cause == "cap":
                pushed[last] += 1
            elif isinstance(event, BlockEvicted) and event.cause == "reused":
                waiting += 1
            elif isinstance(event, BlockAllocated):
                pushed[event.request_id] += waiting
                waiting = 0
            if isinstance(event, RequestAdmitted) and event.counted:
                missed[event.request_id] = event.num_tokens - event.hit_tokens
            if isinstance(event, BlockAllocated | BlockStored | RequestAdmitted | RequestScheduled):
                last = event.request_id
    return +pushed, missed


def why_of(why: object) -> str:
    """A reason on one line."""
    values = (getattr(why, name) for name in ("kind", "cause", "other", "at_s"))
    known = [value for value in values if value is not None]
    return " ".join(f"{value:.1f} s" if isinstance(value, float) else value for value in known)


if __name__ == "__main__":
    main()
