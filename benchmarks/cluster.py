"""How much of a trace's reuse each routing policy keeps, and how much of that arrives as time.

    python -m benchmarks.cluster [--trace PATH] [--requests N] [--replicas 1,2,4,8] [--routers A,B] [--pace
    own|card]
                                 [--gpu G] [--model M] [--output N] [--json OUT]

One table: available, captured, delivered (``core/cluster/rates.py``), for every policy and number of cards,
with the CPU seconds of each run. Mooncake's conversation trace where it is found (``benchmarks.engine``
says where), else seeded conversations of ours of like lengths and sharing, and the first line says which.
Cards only prefill (``--output 1``), as in Mooncake's own clusters; blocks are the trace's, 512 tokens.
``--pace``: the trace's own times, or so many times as fast as there are cards, so that each card has as
much to do. What routers count in blocks of 16 tokens they still do."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.engine import TRACE_BLOCK, find_trace
from core.cluster.jobs import Job, Recorded, recorded_jobs
from core.cluster.rates import Rates
from core.cluster.records import Floats
from core.cluster.router import Router
from core.cluster.routers.aibrix import AIBrixPrefix
from core.cluster.routers.catalogue import CHARS_PER_TOKEN, ROUTERS, plain_ttft
from core.cluster.routers.llm_d import Approximate
from core.cluster.routers.production_stack import CHUNK_CHARS, PrefixAware
from core.cluster.run import ClusterRun
from core.cost import GPUS, MODELS, CostModel
from core.errors import BrothError
from core.scenario.workloads import Conversations, conversation_requests
from core.types import EngineConfig

ENGINE_BLOCK = 16
"""Tokens of a block as vLLM reports them; the trace's are 32 times as long."""


@dataclass(frozen=True, slots=True)
class Line:
    """One run."""

    router: str
    replicas: int
    cpu_s: float
    busy: float
    rates: Rates


def trace_jobs(path: Path, most: int | None, output: int) -> list[Job]:
    """The requests of a trace in Mooncake's form."""
    with path.open(encoding="utf-8") as lines:
        entries = [json.loads(line) for line in islice(lines, most)]
    rows = [
        Recorded(one["timestamp"] / 1000, one["input_length"], one["output_length"], one["hash_ids"])
        for one in entries
    ]
    return recorded_jobs(spread(sorted(rows, key=lambda row: row.at_s)), TRACE_BLOCK, most_output=output)


def spread(rows: Sequence[Recorded]) -> list[Recorded]:
    """The trace's clock ticks every three seconds: who came in one tick is spread evenly until the next."""
    moments = sorted({row.at_s for row in rows})
    until = dict(pairwise([*moments, moments[-1] + 3.0]))
    counts, placed = Counter(row.at_s for row in rows), Counter[float]()
    found = []
    for row in rows:
        share = placed[row.at_s] / counts[row.at_s]
        placed[row.at_s] += 1
        found.append(replace(row, at_s=row.at_s + share * (until[row.at_s] - row.at_s)))
    return found


def made_up_jobs(num_requests: int, output: int) -> list[Job]:
    """Conversations of ours, 3.3 a second, as chains of blocks. Always the same ones."""
    dice = np.random.default_rng(7)
    at_s, ids, rows = 0.0, dict[tuple[int, bytes], int](), []
    for request in conversation_requests(Conversations(seed=1, num_requests=num_requests)):
        tokens = np.asarray(request.token_ids, np.uint32)
        at_s += float(dice.exponential(0.3))
        chain, parent = [], -1
        for place in range(0, len(tokens), TRACE_BLOCK):
            parent = ids.setdefault((parent, tokens[place : place + TRACE_BLOCK].tobytes()), len(ids))
            chain.append(parent)
        rows.append(Recorded(at_s, len(tokens), 350, chain))
    return recorded_jobs(rows, TRACE_BLOCK, most_output=output)


def at_pace(jobs: Sequence[Job], factor: float) -> list[Job]:
    """The same requests, so many times as fast."""
    return [replace(job, arrival=replace(job.arrival, at_s=job.arrival.at_s / factor)) for job in jobs]


def router_of(name: str, cost: CostModel, pool_tokens: int) -> Router:
    """As the product is, on an engine with blocks of 16 tokens."""
    if name == "llm_d_approximate":
        return Approximate(0, block_tokens=ENGINE_BLOCK, num_entries=pool_tokens // ENGINE_BLOCK)
    if name == "aibrix":  # its blocks of 4 bytes as long as the trace's: 2,048 bytes
        return AIBrixPrefix(0, coarser=TRACE_BLOCK)
    if name == "production_stack":
        return PrefixAware(
            0, chars_per_unit=CHARS_PER_TOKEN, coarser=TRACE_BLOCK * CHARS_PER_TOKEN // CHUNK_CHARS
        )
    return ROUTERS[name](0, cost)


def measure(
    name: str, jobs: list[Job], replicas: int, config: EngineConfig, cost: CostModel, plain_s: Floats
) -> Line:
    """Run it once."""
    start = process_time()
    router = router_of(name, cost, config.num_usable * config.block_size)
    run = ClusterRun(jobs, config, cost, router, replicas).finish()
    cpu_s = process_time() - start
    end_s = float(np.nanmax(run.rows.finished_s))
    rates = run.rates(plain_s)
    busy = sum(worker.busy_s for worker in rates.workers) / (replicas * end_s)
    return Line(name, replicas, cpu_s, busy, rates)


def row(line: Line) -> str:
    """One line of the table."""
    rates = line.rates
    shares = "".join(f"{_percent(one):>10}" for one in (rates.available, rates.captured, rates.delivered))
    wrong = _percent(rates.believed_wrong)
    times = f"{rates.ttft_p50_s or 0:>8.2f}{rates.ttft_p95_s or 0:>9.2f}"
    return (
        f"{line.replicas:>2}  {line.router:<19}{shares}{times}{rates.balance or 0:>8.2f}"
        f"{line.busy:>7.0%}{wrong:>8}{line.cpu_s:>7.1f}"
    )


def _seconds(ttft_s: Floats) -> str:
    p50, p95 = np.quantile(ttft_s, [0.5, 0.95]).tolist()
    return f"{p50:>8.2f}{p95:>9.2f}"


def _percent(share: float | None) -> str:
    if share is None:
        return "-"
    return f"{share:.1%}" if share > LEAST_TOLD else f"<{LEAST_TOLD:.0%}"


LEAST_TOLD = -10
"""Below that a share only says that a queue grew without end."""

HEAD = "N   router              available  captured delivered     p50      p95 balance   busy   wrong  CPU s"


def main(arguments: Sequence[str] | None = None) -> int:
    """The table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trace")
    parser.add_argument("--requests", type=int)
    parser.add_argument("--replicas", default="1,2,4,8")
    parser.add_argument("--routers", default=",".join(ROUTERS))
    parser.add_argument("--pace", choices=("own", "card"), default="own")
    parser.add_argument("--gpu", default="H100", choices=sorted(GPUS))
    parser.add_argument("--model", default="Llama-3-8B", choices=sorted(MODELS))
    parser.add_argument("--output", type=int, default=1)
    parser.add_argument("--json")
    given = parser.parse_args(arguments)
    unknown = set(given.routers.split(",")) - set(ROUTERS)
    if unknown:
        parser.error(f"no router {', '.join(sorted(unknown))}; there are {', '.join(ROUTERS)}")
    path = find_trace(given.trace)
    try:
        jobs = (
            made_up_jobs(given.requests or 2000, given.output)
            if path is None
            else trace_jobs(path, given.requests, given.output)
        )
    except (OSError, BrothError) as error:
        print(error, file=sys.stderr)
        return 2
    cost = CostModel(MODELS[given.model], GPUS[given.gpu])
    config = EngineConfig(block_size=TRACE_BLOCK, num_blocks=cost.blocks_that_fit(TRACE_BLOCK) + 1)
    source = path.name if path is not None else "MADE-UP conversations: no trace was found"
    print(
        f"{source}, {len(jobs):,} requests, {given.model} on {given.gpu}, pools of "
        f"{config.num_usable * TRACE_BLOCK:,} tokens, pace {given.pace}; TTFT in modelled seconds"
    )
    print(HEAD, flush=True)
    lines = []
    for replicas in map(int, given.replicas.split(",")):
        own = at_pace(jobs, replicas) if given.pace == "card" else jobs
        plain_s = plain_ttft(own, config, cost, replicas)
        print(f"{replicas:>2}  no cache, least load{'':>29}{_seconds(plain_s)}", flush=True)
        for name in given.routers.split(","):
            lines.append(measure(name, own, replicas, config, cost, plain_s))
            print(row(lines[-1]), flush=True)
    if given.json:
        report = {
            "source": source,
            "requests": len(jobs),
            "pace": given.pace,
            "rows": list(map(asdict, lines)),
        }
        Path(given.json).write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
