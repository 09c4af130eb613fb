"""How fast a whole log is answered: file to capacity curve, fast replay against the engine, memory.

    python -m benchmarks.traces [--trace PATH] [--json OUT]

CPU seconds, not wall time; each part runs in a process of its own, so start-up and memory are its own too.
Without a trace file a seeded log of chats is measured instead, and the table says so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import platform
import subprocess
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.chat_log import BLOCK_SIZE, chat_log
from core.engine.engine import Engine
from core.replay.block_chain import ID_BYTES, BlockChain, chain_of_request
from core.replay.curve import capacity_curve, measure, spread
from core.replay.hit_definitions import hit_rates
from core.replay.prefix_tree import PrefixTree, PrefixTreeBuilder, build_tree
from core.replay.runs import replay_runs
from core.traces.door.read import read_trace
from core.types import EngineConfig, Request

ROOT = Path(__file__).resolve().parent.parent
TRACE = (
    Path(os.environ.get("BROTH_TRACES") or ROOT.parent / "shared" / "traces") / "mooncake_conversation.jsonl"
)
SMALL_BLOCK = 16
POOL_SHARE = 0.3
"""The pool of the replays, as a share of the log's different full blocks."""
GENERATED = 12_000
LONG_LOG = 100_000
Result = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, in which unit, and the aim it has to meet."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        if math.isnan(self.value):
            return "not measured here"
        return "ok" if self.value <= self.limit else "MISSED"


def bar(label: str) -> Callable[[int, int | None], None]:
    """A progress bar on the terminal's error channel; nothing where there is no terminal."""

    def tell(done: int, total: int | None) -> None:
        share = done / total if total else 0.0
        filled = "#" * int(30 * share)
        print(f"\r{label:<24} [{filled:<30}] {share:4.0%}", end="", file=sys.stderr, flush=True)

    return tell if sys.stderr.isatty() else lambda done, total: None


def end_bar() -> None:
    if sys.stderr.isatty():
        print("\r" + " " * 64 + "\r", end="", file=sys.stderr, flush=True)


# -- the parts, each run in its own process -----------------------------------------------------------------


def log_of(trace: Path | None) -> tuple[Iterable[Any], int]:
    """The prompts and their block size: the file's, or seeded ones."""
    if trace is None:
        return chat_log(GENERATED), BLOCK_SIZE
    read = read_trace(trace)
    return read.with_identity(), read.block_size or SMALL_BLOCK


def part_curve(trace: Path | None) -> Result:
    """From the file's ids to the full curve and the table of hit rates; then, apart, replays."""
    prompts, block_size = log_of(trace)
    after_reading = process_time()
    tree = build_tree(prompts, block_size)
    after_tree = process_time()
    curve = capacity_curve(tree)
    after_curve = process_time()
    rates = {rate.name: rate.rate for rate in hit_rates(tree)}
    points = spread(curve, 20)
    table = {capacity: curve.rate_at(capacity) for capacity in points}
    total = process_time()  # counts from the start of the process, imports included
    usable = pool_of(tree)
    replay = replay_runs(tree, usable)
    after_replay = process_time()
    deviation = measure(tree, curve, points)
    return {
        "requests": tree.num_requests,
        "tokens": sum(tree.num_tokens),
        "different_blocks": tree.num_distinct,
        "runs": len(tree.length) - 1,
        "block_size": block_size,
        "cpu_total_s": total,
        "cpu_tree_s": after_tree - after_reading,
        "cpu_curve_s": after_curve - after_tree,
        "cpu_replay_s": after_replay - total,
        "replay_slots": usable,
        "replay_hit_rate": replay.hit_rate,
        "rates": rates,
        "curve": table,
        "curve_exact": curve.exact,
        "curve_repeats": curve.num_repeats,
        "requests_where_the_curve_differs": sum(deviation.num_different),
    }


def pool_of(tree: PrefixTree) -> int:
    return max(int(POOL_SHARE * tree.num_distinct), tree.largest)


def requests_from(trace: Path | None) -> Iterator[Request]:
    """Every prompt as tokens: token = id * block size + place in the block, where the log has ids."""
    prompts, block_size = log_of(trace)
    places = np.arange(block_size, dtype=np.uint32)
    for number, prompt in enumerate(prompts):
        ids = block_ids(prompt)
        if ids is None:
            yield replace(prompt.request(), request_id=f"r{number}", outputs=())
        else:
            tokens = (ids.astype(np.uint32)[:, None] * np.uint32(block_size) + places).reshape(-1)
            yield Request(f"r{number}", array("I", tokens[: prompt.num_tokens].tobytes()))


def block_ids(prompt: Any) -> np.ndarray | None:
    """One id per block, the last one included; None for a prompt given as tokens."""
    if isinstance(prompt, BlockChain):
        return np.frombuffer(prompt.full + prompt.tail, f"<i{ID_BYTES}")
    if prompt.block_ids is None:
        return None
    ids = np.asarray(prompt.block_ids, np.int64)
    return ids if prompt.tail_id is None else np.append(ids, prompt.tail_id)


def part_fast(trace: Path | None) -> Result:
    """Block 16 from tokens: hash, fold into runs, replay. Making the tokens is not counted."""
    builder, spent, tell = PrefixTreeBuilder(SMALL_BLOCK), 0.0, bar("fast replay, block 16")
    for done, request in enumerate(requests_from(trace)):
        before = process_time()
        builder.add(chain_of_request(request, SMALL_BLOCK))
        spent += process_time() - before
        tell(done, GENERATED)
    before = process_time()
    tree = builder.finish()
    del builder
    built = process_time()
    usable = pool_of(tree)
    replay = replay_runs(tree, usable)
    replayed = process_time()
    curve = capacity_curve(tree)
    return {
        "cpu_s": spent + replayed - before,
        "cpu_replay_s": replayed - built,
        "cpu_curve_s": process_time() - replayed,
        "slots": usable,
        "hit_rate": replay.hit_rate,
        "infinite_hit_rate": float(curve.rates[-1]),
        "different_blocks": tree.num_distinct,
        "digest": digest(replay.hit_tokens),
        "peak_mb": peak_mb(),
    }


def part_engine(trace: Path | None, slots: int) -> Result:
    """The same on the engine, one request at a time, no events."""
    engine = Engine(EngineConfig(SMALL_BLOCK, slots + 1))
    hits, spent, tell = [], 0.0, bar("engine, block 16")
    for done, request in enumerate(requests_from(trace)):
        before = process_time()
        outcome = engine.start(request)
        if outcome.ok:
            engine.free(request.request_id)
        spent += process_time() - before
        hits.append(outcome.hit)
        tell(done, GENERATED)
    return {"cpu_s": spent, "digest": digest(np.array(hits, np.int64)), "peak_mb": peak_mb()}


def part_long(_: Path | None) -> Result:
    """100,000 requests: the whole way, and the longest stretch without a word to the progress bar."""
    chains = chat_log(LONG_LOG)
    begin = last = process_time()
    longest, calls, show = 0.0, 0, bar("100,000 requests")

    def tell(done: int, total: int | None) -> None:
        nonlocal last, longest, calls
        now = process_time()
        longest, last, calls = max(longest, now - last), now, calls + 1
        show(done, total)

    tree = build_tree(chains, BLOCK_SIZE, progress=tell)
    tell(0, 1)
    curve = capacity_curve(tree, tell)
    tell(0, 1)
    replay = replay_runs(tree, pool_of(tree), tell)
    tell(0, 1)
    return {
        "cpu_s": last - begin,
        "longest_silence_s": longest,
        "progress_calls": calls,
        "hit_rate": replay.hit_rate,
        "infinite_hit_rate": float(curve.rates[-1]),
        "peak_mb": peak_mb(),
    }


def digest(hits: np.ndarray) -> str:
    return hashlib.sha256(hits.astype("<i8").tobytes()).hexdigest()[:16]


def peak_mb() -> float:
    """The most memory this process held; unknown (nan) on Windows."""
    if sys.platform == "win32":
        return math.nan
    import resource

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


# -- putting them together ----------------------------------------------------------------------------------


def run_part(name: str, trace: Path | None, *more: str) -> Result:
    """One part in a fresh process; its bar goes to our terminal, its result comes back as JSON."""
    options = ["--trace", str(trace)] if trace else ["--generated"]
    command = [sys.executable, "-m", "benchmarks.traces", "--part", name, *options, *more]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    end_bar()
    result: Result = json.loads(done.stdout)
    return result


def figures(parts: dict[str, Result]) -> list[Figure]:
    curve, fast, engine, long = (parts[name] for name in ("curve", "fast", "engine", "long"))
    return [
        Figure("file to curve and table, start-up included", curve["cpu_total_s"], "CPU s", 2.0),
        Figure("  the tree of runs", curve["cpu_tree_s"], "CPU s"),
        Figure("  the curve alone", curve["cpu_curve_s"], "CPU s", 0.5),
        Figure("one replay", curve["cpu_replay_s"], "CPU s", 0.5),
        Figure("block 16 from tokens: engine", engine["cpu_s"], "CPU s"),
        Figure("block 16 from tokens: fast replay", fast["cpu_s"], "CPU s"),
        Figure("  its share of the engine's time", fast["cpu_s"] / engine["cpu_s"], "", 0.25),
        Figure("  memory, all of the process", fast["peak_mb"], "MB", 500),
        Figure("  the curve at block 16", fast["cpu_curve_s"], "CPU s"),
        Figure("100,000 requests: tree, curve, replay", long["cpu_s"], "CPU s"),
        Figure("  longest silence of the progress bar", long["longest_silence_s"], "CPU s", 0.5),
    ]


def report(parts: dict[str, Result], trace: Path | None) -> list[str]:
    curve, fast, engine = parts["curve"], parts["fast"], parts["engine"]
    source = trace.name if trace else "a seeded log of chats (no trace file here)"
    lines = [
        f"{source}: {curve['requests']:,} requests, {curve['tokens'] / 1e6:.1f} M tokens, "
        f"{curve['different_blocks']:,} different blocks of {curve['block_size']} in {curve['runs']:,} runs",
        "",
    ]
    rows = figures(parts)
    for row in rows:
        aim = f"<= {row.limit:g}" if row.limit is not None else ""
        lines.append(f"{row.name:<46} {row.value:10.3f} {row.unit:<6} {aim:>8}  {row.verdict}")
    lines += ["", "slots     hit rate"]
    lines += [f"{int(slots):>8}  {100 * rate:7.3f} %" for slots, rate in curve["curve"].items()]
    lines += ["", "infinite cache, by definition"]
    lines += [f"{name:<16} {100 * (rate or 0):7.3f} %" for name, rate in curve["rates"].items()]
    same = fast["digest"] == engine["digest"]
    lines += [
        "",
        f"hits of every request, fast replay and engine at {fast['slots']:,} slots of 16: "
        + ("the same" if same else "DIFFERENT"),
        "the curve equals the exact replay on every request, at all capacities above"
        if curve["requests_where_the_curve_differs"] == 0
        else f"the curve differs from the exact replay {curve['requests_where_the_curve_differs']} times "
        f"({curve['curve_repeats']} aligned prompts repeat)",
    ]
    missed = [row for row in rows if row.verdict == "MISSED"]
    lines += [
        f"missed: {row.name.strip()} takes {row.value:.3f} {row.unit}, the aim is {row.limit:g}. CPU time "
        "grows when other work shares the caches; run again on a quiet machine before believing it."
        for row in missed
    ]
    return lines


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.traces", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--trace", type=Path, help="a request log that names its blocks")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--generated", action="store_true", help="measure the seeded log of chats")
    parser.add_argument("--part", choices=("curve", "fast", "engine", "long"), help=argparse.SUPPRESS)
    parser.add_argument("--slots", type=int, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    chosen = parse(arguments)
    trace = None if chosen.generated else chosen.trace or (TRACE if TRACE.exists() else None)
    if chosen.part:
        parts = {"curve": part_curve, "fast": part_fast, "long": part_long}
        result = part_engine(trace, chosen.slots) if chosen.part == "engine" else parts[chosen.part](trace)
        print(json.dumps(result))
        return 0
    results = {name: run_part(name, trace) for name in ("curve", "fast", "long")}
    results["engine"] = run_part("engine", trace, "--slots", str(results["fast"]["slots"]))
    print("\n".join(report(results, trace)))
    if chosen.json:
        machine = {"python": platform.python_version(), "numpy": np.__version__, "cpus": os.cpu_count()}
        figures_out = [asdict(figure) | {"verdict": figure.verdict} for figure in figures(results)]
        data = {"machine": machine, "figures": figures_out, "parts": results}
        chosen.json.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
