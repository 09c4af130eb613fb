"""Much cache, little gain: the two loads of the Monitor page in which clients wait for their answers.

    python -m benchmarks.loop [--seconds S] [--seeds N]

The same prompts with the same hit rate, once from few clients with long answers, once from many with short
ones. For each: hit rate, requests per second with and without the cache, the cycle of one client, and the
ceiling that no cache can exceed. Hits are counted, times are modelled (Llama-3-8B on an H100).
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from core.load import LoadRun, Loop
from ui.machine.machine import Machine
from ui.monitor.setup import LESSONS, LoadSetup

SECONDS = {"little": 300.0, "much": 30.0}
"""Modelled seconds after which the hit rate no longer changes much."""


def measured(setup: LoadSetup, seconds: float) -> tuple[float, Loop]:
    """Hit rate and cycle after so many modelled seconds."""
    run = LoadRun(setup.spec(), setup.config(), Machine().cost())
    run.advance(seconds=seconds)
    hit_rate, loop = run.summary().hit_rate.value, run.loop()
    assert hit_rate is not None
    assert loop is not None
    return hit_rate, loop


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, help="of the load; else 300 and 30")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    for name, setup in LESSONS.items():
        for seed in range(setup.seed, setup.seed + options.seeds):
            hit_rate, loop = measured(replace(setup, seed=seed), options.seconds or SECONDS[name])
            print(
                f"\n{name}, seed {seed}: {setup.clients} clients, hit rate {100 * hit_rate:.1f} %, "
                f"{loop.without_cache.per_s:.2f} -> {loop.with_cache.per_s:.2f} requests/s, "
                f"x {loop.gain:.3f} (no cache exceeds x {loop.ceiling:.3f})"
            )
            heads = ("think", "queue", "prefill", "decode", "cycle")
            print(f"{'':8} " + " ".join(f"{head:>8}" for head in heads) + f" {'in flight':>10}")
            for words, cycle in (("with", loop.with_cache), ("without", loop.without_cache)):
                parts = (cycle.think_s, cycle.queue_s, cycle.prefill_s, cycle.decode_s, cycle.total_s)
                print(f"{words:8} " + " ".join(f"{part:8.4f}" for part in parts) + f" {cycle.inside:10.2f}")


if __name__ == "__main__":
    main()
