"""How long 20,000 requests under load take, and how much memory: the bounds that the Monitor page rests on.

    python -m benchmarks.load [--requests N] [--rate R] [--model M] [--gpu G] [--json OUT]

One seeded stream of mixed requests goes through both servers (with and without the cache) in portions of
50, as a page pulls them; after each portion the curves, the density map and the hottest prefixes are
taken. CPU seconds of this process; a portion's figures are its 50th, 95th and 100th percentile.

Bounds, on two shared cores (the program ends with 1 if it misses one): 3 CPU-seconds per 1,000 requests,
250 CPU-ms for 95 % of the portions, 40 CPU-ms to take everything a page draws, 1.5 CPU-seconds to bring any
request to the stage, 200 MB at the most.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from pathlib import Path
from time import process_time
from typing import Any

from core.cost import GPUS, MODELS, CostModel
from core.load import LoadRun, LoadSpec, scenario_around
from core.types import EngineConfig

PORTION = 50
BOUNDS = {
    "cpu_s_per_1000": 3.0,
    "portion_ms_p95": 250.0,
    "drawing_ms_p95": 40.0,
    "stage_s_worst": 1.5,
    "peak_mb": 200.0,
}


def measure(spec: LoadSpec, config: EngineConfig, cost: CostModel) -> dict[str, Any]:
    """Run it all once."""
    run = LoadRun(spec, config, cost)
    portions, drawings = [], []
    start = process_time()
    goes_on = True
    while goes_on:
        begin = process_time()
        goes_on = run.advance(requests=PORTION)
        middle = process_time()
        run.samples(since=max(run.num_bins - 5, 0)), run.slot_map(), run.hottest()
        portions.append(1e3 * (middle - begin))
        drawings.append(1e3 * (process_time() - middle))
    total = process_time() - start
    whole = process_time()
    run.samples()
    whole = 1e3 * (process_time() - whole)
    stages = []
    for number in range(spec.num_requests // 20, spec.num_requests, max(spec.num_requests // 10, 1)):
        begin = process_time()
        scenario_around(run, f"R{number}")
        stages.append(process_time() - begin)
    summary = run.summary()
    return {
        "requests": spec.num_requests,
        "modelled_s": run.now_s,
        "cpu_s": total,
        "cpu_s_per_1000": 1e3 * total / spec.num_requests,
        **_percentiles("portion_ms", portions),
        **_percentiles("drawing_ms", drawings),
        "all_curves_ms": whole,
        "stage_s_worst": max(stages),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "records_mb": run.records.num_bytes / 1e6,
        "marks": len(run.marks),
        "hit_rate": summary.hit_rate.value,
        "ttft_p95_with_s": summary.with_cache.ttft_p95.value,
        "ttft_p95_without_s": summary.without_cache.ttft_p95.value,
    }


def _percentiles(name: str, values: list[float]) -> dict[str, float]:
    values = sorted(values)
    last = len(values) - 1
    return {f"{name}_p{share}": values[round(share / 100 * last)] for share in (50, 95, 100)}


def main() -> int:
    """Print the table; 1 if a bound is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--model", choices=sorted(MODELS), default="Llama-3-8B")
    parser.add_argument("--gpu", choices=sorted(GPUS), default="H100")
    parser.add_argument("--blocks", type=int, default=4097)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    spec = LoadSpec(seed=1, rate=options.rate, num_requests=options.requests)
    cost = CostModel(MODELS[options.model], GPUS[options.gpu])
    found = measure(spec, EngineConfig(num_blocks=options.blocks), cost)
    for name, value in found.items():
        bound = f"   at most {BOUNDS[name]:g}" if name in BOUNDS else ""
        print(f"{name:22} {value:12.4g}{bound}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    missed = [name for name, bound in BOUNDS.items() if found[name] > bound]
    if missed:
        print("missed: " + ", ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
