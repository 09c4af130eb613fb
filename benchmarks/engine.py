"""How fast the engine is, beside the bare hash calls that no engine can do without.

    python -m benchmarks.engine [--trace PATH] [--requests N] [--json OUT] [--quick]

Replays a conversation trace, one request at a time, at 16 and at 512 tokens a block, through a pool of
50,000 blocks. Every row measures the same blocks in the same run; repetitions of the rows take turns, and
each figure is the median of a row's repetitions, in CPU seconds of this process. What a row does not measure
is prepared outside its clock. ``benchmarks/README.md`` says what each row does.

The trace is a file of JSON lines with ``input_length`` and ``hash_ids`` (one per 512 tokens): ``--trace``,
else ``mooncake_conversation.jsonl`` in the folder that the variable BROTH_TRACES names, else in
``../shared/traces``. Without any of them seeded conversations of like lengths and sharing are measured, and
the output says so.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any, cast

import numpy as np
import xxhash

from core.engine.engine import Engine
from core.engine.hash_chain import HashChain, token_array
from core.scenario.workloads import Conversations, Tokens, conversation_requests
from core.types import EngineConfig, Request

TRACE_NAME = "mooncake_conversation.jsonl"
TRACE_BLOCK = 512
POOL_BLOCKS = 50_000
BLOCK_SIZES = (16, 512)
AIMS = {"hash chain": 6, "engine": 40}
"""At 16 tokens a block, in bare calls."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of the table. ``ratio``: to the bare call of the same block size."""

    name: str
    block_size: int
    cpu_s: float
    ns_per_block: float
    ratio: float
    requests_per_s: float
    hit_rate: float | None


# -- prompts -------------------------------------------------------------------------------------------


def find_trace(given: str | None) -> Path | None:
    """The trace to replay, if there is one."""
    if given is not None:
        return Path(given)
    folders = [Path(os.environ["BROTH_TRACES"])] if os.environ.get("BROTH_TRACES") else []
    folders.append(Path(__file__).resolve().parents[2] / "shared" / "traces")
    return next((folder / TRACE_NAME for folder in folders if (folder / TRACE_NAME).is_file()), None)


def trace_prompts(path: Path, num_requests: int | None) -> list[Tokens]:
    """The prompts of a trace: token = id x 512 + place in its block, so equal ids are equal tokens."""
    places = np.arange(TRACE_BLOCK, dtype=np.uint32)
    prompts = []
    with path.open(encoding="utf-8") as lines:
        for line in islice(lines, num_requests):
            entry = json.loads(line)
            ids = np.array(entry["hash_ids"], dtype=np.uint32)
            tokens = (ids[:, None] * np.uint32(TRACE_BLOCK) + places).ravel()
            prompts.append(tokens[: entry["input_length"]].copy())
    return prompts


def made_up_prompts(num_requests: int) -> list[Tokens]:
    """Prompts of about such lengths and sharing, always the same ones."""
    requests = conversation_requests(Conversations(seed=1, num_requests=num_requests))
    return [np.asarray(request.token_ids, dtype=np.uint32) for request in requests]


def as_request(number: int, tokens: Tokens) -> Request:
    return Request(f"R{number}", cast(Any, tokens))


# -- rows: each returns (CPU seconds of its own work, hit rate) ----------------------------------------

Result = tuple[float, float | None]


def bare_calls(prompts: Sequence[Tokens], block_size: int) -> Result:
    seconds, digest = 0.0, xxhash.xxh3_64_intdigest
    for tokens in prompts:
        blocks = _blocks_of_bytes(tokens, block_size)
        start = process_time()
        for block in blocks:
            digest(block)
        seconds += process_time() - start
    return seconds, None


def _blocks_of_bytes(tokens: Tokens, block_size: int) -> list[bytes]:
    data, size = tokens.astype("<u4").tobytes(), 4 * block_size
    return [data[place : place + size] for place in range(0, len(data) - size + 1, size)]


def hash_chains(prompts: Sequence[Tokens], block_size: int) -> Result:
    seconds = 0.0
    for number, tokens in enumerate(prompts):
        request, copied = as_request(number, tokens), token_array(cast(Any, tokens))
        start = process_time()
        HashChain(request, "", block_size, "xxh3_128").extend(copied)
        seconds += process_time() - start
    return seconds, None


def copying(prompts: Sequence[Tokens], block_size: int) -> Result:
    seconds = 0.0
    for tokens in prompts:
        start = process_time()
        token_array(cast(Any, tokens))
        seconds += process_time() - start
    return seconds, None


def sha256_chains(prompts: Sequence[Tokens], block_size: int) -> Result:
    """The chain as vLLM computes it by default: sha256 over a pickle of (parent, tokens, extras)."""
    seconds = 0.0
    for tokens in prompts:
        listed = tokens.tolist()
        start = process_time()
        parent = b"\0" * 32
        for place in range(0, len(listed) - block_size + 1, block_size):
            block = (parent, tuple(listed[place : place + block_size]), None)
            parent = sha256(pickle.dumps(block, protocol=5)).digest()
        seconds += process_time() - start
    return seconds, None


def engine(prompts: Sequence[Tokens], block_size: int) -> Result:
    """Submit and run, nobody listening. A step takes a whole prompt."""
    config = EngineConfig(
        block_size=block_size, num_blocks=POOL_BLOCKS + 1, max_num_batched_tokens=max(map(len, prompts))
    )
    seconds, cache = 0.0, Engine(config, None, block_events=False)
    for number, tokens in enumerate(prompts):
        request = as_request(number, tokens)
        start = process_time()
        cache.submit(request)
        cache.run()
        seconds += process_time() - start
    counted = cache.view.statistics
    assert counted.num_requests == len(prompts)
    return seconds, counted.hit_rate


BARE = "bare xxh3_64"
ROWS: dict[str, Callable[[Sequence[Tokens], int], Result]] = {
    BARE: bare_calls,
    "hash chain": hash_chains,
    "engine": engine,
    "of it: copying tokens": copying,
    "sha256(pickle) chain": sha256_chains,
}


# -- measuring -----------------------------------------------------------------------------------------


def measure(prompts: Sequence[Tokens], repetitions: int) -> list[Row]:
    """All rows at all block sizes; repetitions take turns, so that a busy moment hits every row alike."""
    seconds: dict[tuple[str, int], list[float]] = {}
    rates: dict[tuple[str, int], float | None] = {}
    jobs = [(name, size) for _ in range(repetitions) for size in BLOCK_SIZES for name in ROWS]
    for done, (name, size) in enumerate(jobs):
        show_progress(done, len(jobs), f"{name}, {size} tokens a block")
        spent, rates[name, size] = ROWS[name](prompts, size)
        seconds.setdefault((name, size), []).append(spent)
    show_progress(len(jobs), len(jobs), "done")
    medians = {key: statistics.median(times) for key, times in seconds.items()}
    return [_row(key, medians, rates[key], prompts) for key in sorted(medians, key=lambda key: key[1])]


def _row(
    key: tuple[str, int],
    medians: dict[tuple[str, int], float],
    hit_rate: float | None,
    prompts: Sequence[Tokens],
) -> Row:
    name, size = key
    num_blocks = sum(len(tokens) // size for tokens in prompts)
    cpu_s = medians[key]
    return Row(
        name,
        size,
        cpu_s,
        cpu_s / num_blocks * 1e9,
        cpu_s / medians[BARE, size],
        len(prompts) / cpu_s,
        hit_rate,
    )


def show_progress(done: int, total: int, what: str) -> None:
    width = 24
    bar = "#" * (width * done // total)
    end = "\n" if done == total or not sys.stderr.isatty() else ""
    start = "\r" if sys.stderr.isatty() else ""
    print(f"{start}[{bar:<{width}}] {done}/{total} {what:<44}", end=end, file=sys.stderr, flush=True)


def table(rows: Sequence[Row]) -> str:
    lines = [
        f"{'':24}{'block':>6}{'CPU s':>9}{'ns/block':>11}{'x bare':>9}{'requests/s':>12}{'hit rate':>10}"
    ]
    for row in rows:
        rate = "" if row.hit_rate is None else f"{row.hit_rate:.3%}"
        lines.append(
            f"{row.name:24}{row.block_size:>6}{row.cpu_s:>9.3f}{row.ns_per_block:>11.1f}"
            f"{row.ratio:>9.2f}{row.requests_per_s:>12,.0f}{rate:>10}"
        )
    for row in rows:
        if row.block_size == BLOCK_SIZES[0] and row.name in AIMS:
            met = "met" if row.ratio <= AIMS[row.name] else "MISSED"
            lines.append(f"aim for the {row.name}: at most {AIMS[row.name]} bare calls a block: {met}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.engine", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--trace", metavar="PATH", help="JSON lines with input_length and hash_ids")
    parser.add_argument("--requests", type=int, metavar="N", help="only the first N requests (1500; 0: all)")
    parser.add_argument("--json", metavar="OUT", help="write the figures to this file too")
    parser.add_argument("--quick", action="store_true", help="200 requests, one repetition: does it run?")
    options = parser.parse_args(arguments)
    wanted = options.requests if options.requests is not None else (200 if options.quick else 1500)
    path = find_trace(options.trace)
    if path is not None and not path.is_file():
        print(
            f"There is no trace {path}. Give another --trace, or none for made-up prompts.", file=sys.stderr
        )
        return 2
    prompts = made_up_prompts(wanted or 1500) if path is None else trace_prompts(path, wanted or None)
    source = (
        "MADE-UP conversations (core/scenario/workloads.py), no trace found" if path is None else path.name
    )
    num_tokens = sum(map(len, prompts))
    print(f"{source}: {len(prompts):,} requests, {num_tokens:,} tokens; pool of {POOL_BLOCKS:,} blocks")
    rows = measure(prompts, 1 if options.quick else 5)
    print(table(rows))
    if options.json:
        report = {
            "source": source,
            "requests": len(prompts),
            "tokens": num_tokens,
            "pool_blocks": POOL_BLOCKS,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "numpy": np.__version__,
            "xxhash": xxhash.VERSION,
            "rows": [asdict(row) for row in rows],
        }
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
