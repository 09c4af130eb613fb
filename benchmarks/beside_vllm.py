"""The engine beside vLLM's own cache manager, in every setting that people use.

    python -m benchmarks.beside_vllm [--trace PATH] [--rounds N] [--requests N] [--json OUT] [--quick]

One process, the same prompts, request by request: vLLM's KVCacheManager, our engine with the tokens as a list
(as vLLM gets them) and our engine with a numpy array take turns, and who begins changes with each request.
The pool has 50,000 blocks of 16 or 512 tokens; a request is done at once (serial) or keeps its blocks until
32 younger ones have come. Nobody listens, or KV events are taken after each request, or all events are told
(ours only; vLLM has no more than KV events, and is measured with them). Prompts are plain, under an adapter,
or have an image in every 2,048 tokens.

The clock (CPU seconds of this process) covers what a server pays for a request: making it from its tokens,
hashing, look-up, eviction, allocation, storing, taking events, release. It does not cover making the prompts
nor freeing them: lists of tokens are kept by this program until nobody uses them, so that it pays for their
end, and not whoever lets go last. Events are dropped outside the clock too. Python's garbage collector is on,
as in servers, but what was there before a run is frozen.

At the end of each run the hits of every request and the free queue, block by block, must be equal on all
sides.

Prompts come from a trace as in ``benchmarks.engine``; without one they are seeded conversations of like
lengths and sharing, and the output says so. vLLM must be installed beside numpy and xxhash (any build of it,
the CPU one is enough). Without it only our side runs, beside bare hash calls. ``benchmarks/README.md`` shows
a table.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engine import POOL_BLOCKS, bare_calls, find_trace, made_up_prompts, trace_prompts
from benchmarks.race import ADAPTER, Kind, OurSide, Prompt, Side, Telling, prompt_of, race
from core.engine.hash_chain import HashChain, token_array
from core.scenario.workloads import Tokens
from core.types import MultiModalItem, Request

BLOCK_SIZES = (16, 512)
NUM_REQUESTS = {16: 400, 512: 3_000}
"""Enough to fill the pool and to evict from it, by block size."""
TELLINGS: tuple[Telling, ...] = ("silent", "KV events", "all events")
KINDS: tuple[Kind, ...] = ("plain", "adapter", "images")
IN_FLIGHT = (0, 32)
FORMS = ("list", "numpy")
NUM_BLOCKS = POOL_BLOCKS + 1  # with the null block


@dataclass(frozen=True, slots=True)
class Setting:
    """What all sides of a run have in common. ``in_flight`` 0: serial."""

    block_size: int
    telling: Telling
    kind: Kind
    in_flight: int


@dataclass(frozen=True, slots=True)
class Run:
    """CPU seconds by side: "list" and "numpy" are ours, the other is the reference."""

    setting: Setting
    seconds: dict[str, float]
    num_blocks: int  # full ones in all prompts

    def ratio(self, form: str) -> float:
        """How many times our seconds go into vLLM's, or a bare call's into ours."""
        ours = self.seconds[form]
        return self.seconds["vllm"] / ours if "vllm" in self.seconds else ours / self.seconds["bare"]


def vllm_side() -> Callable[..., Any] | None:
    """The other side's class, if vLLM is installed. (Importing it takes seconds.)"""
    return import_module("benchmarks.vllm_manager").VllmSide if find_spec("vllm") else None


def settings() -> Iterator[Setting]:
    for values in product(BLOCK_SIZES, TELLINGS, KINDS, IN_FLIGHT):
        yield Setting(*values)


def run(setting: Setting, prompts: Sequence[Tokens], most: int | None) -> Run:
    """One setting, all sides, the first ``most`` prompts."""
    size, their_side = setting.block_size, vllm_side()
    dressed = [prompt_of(tokens, setting.kind) for tokens in prompts[: most or NUM_REQUESTS[size]]]
    sides: dict[str, Side] = {form: OurSide(NUM_BLOCKS, size, setting.telling) for form in FORMS}
    if their_side:
        sides["vllm"] = their_side(NUM_BLOCKS, size, kv_events=setting.telling != "silent")
    seconds = race(sides, dressed, setting.in_flight)
    if not their_side:
        seconds["bare"], _ = bare_calls([prompt.tokens for prompt in dressed], size)
    return Run(setting, seconds, sum(len(prompt.tokens) // size for prompt in dressed))


def measure(prompts: Sequence[Tokens], most: int | None, rounds: int) -> list[Run]:
    """Rounds of all settings, so that a busy time hits every setting alike."""
    runs = []
    for turn, setting in product(range(rounds), list(settings())):
        print(f"round {turn + 1} of {rounds}: {setting}", file=sys.stderr, flush=True)
        runs.append(run(setting, prompts, most))
    return runs


def table(runs: Sequence[Run]) -> str:
    """Markdown: what is told and asked, by block size, requests in flight and form of the tokens."""
    ratios: dict[tuple[Setting, str], list[float]] = {}
    for done, form in product(runs, FORMS):
        ratios.setdefault((done.setting, form), []).append(done.ratio(form))
    columns = list(product(BLOCK_SIZES, IN_FLIGHT, FORMS))
    heads = [f"{size} {f'{held} in flight' if held else 'serial'} {form}" for size, held, form in columns]
    lines = ["| | " + " | ".join(heads) + " |", "| --- |" + " ---: |" * len(heads)]
    for telling, kind in product(TELLINGS, KINDS):
        cells = [spread(ratios[Setting(size, telling, kind, held), form]) for size, held, form in columns]
        lines.append(f"| {telling}, {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def spread(values: Sequence[float]) -> str:
    """The least and the most of several rounds."""
    least, most = f"{min(values):.1f}", f"{max(values):.1f}"
    return least if least == most else f"{least}–{most}"


# -- hashing alone -----------------------------------------------------------------------------------------

HASHED_BLOCKS, IMAGE_SIZE = 1_000, 160


def hashing(repetitions: int) -> dict[str, dict[str, list[float]]]:
    """Nanoseconds a block of 16, by kind and side: 16,000 tokens, plain, under an adapter, or all images."""
    tokens = np.arange(16 * HASHED_BLOCKS, dtype=np.uint32)
    starts = range(0, len(tokens), IMAGE_SIZE)
    images = tuple(MultiModalItem(f"image {start}", start, IMAGE_SIZE) for start in starts)
    kinds = {
        "plain": Prompt(tokens),
        "adapter": Prompt(tokens, True),
        "100 images": Prompt(tokens, False, images),
        "adapter and 100 images": Prompt(tokens, True, images),
    }
    their_side = vllm_side()
    theirs = their_side(NUM_BLOCKS, 16, kv_events=False) if their_side else None
    found: dict[str, dict[str, list[float]]] = {}
    for _, (kind, prompt) in product(range(repetitions), kinds.items()):
        seconds = {"ours": seconds_to_hash(prompt)}
        if theirs:
            seconds["vllm"] = theirs.seconds_to_hash(prompt, tokens.tolist())
        for side, spent in seconds.items():
            found.setdefault(kind, {}).setdefault(side, []).append(spent / HASHED_BLOCKS * 1e9)
    return found


def seconds_to_hash(prompt: Prompt) -> float:
    adapter = ADAPTER if prompt.has_adapter else None
    request, copied = Request("R", (0,), lora=adapter, mm=prompt.images), token_array(prompt.tokens)  # type: ignore[arg-type]
    start = time.process_time()
    HashChain(request, "", 16, "xxh3_128").extend(copied)
    return time.process_time() - start


def hash_table(found: dict[str, dict[str, list[float]]]) -> str:
    sides = list(next(iter(found.values())))
    lines = ["| hashing, ns a block of 16 | " + " | ".join(sides) + " |", "| --- |" + " ---: |" * len(sides)]
    for kind, by_side in found.items():
        cells = [f"{min(values):,.0f}–{sorted(values)[len(values) // 2]:,.0f}" for values in by_side.values()]
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


# -- the program -------------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.beside_vllm", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--trace", metavar="PATH", help="JSON lines with input_length and hash_ids")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of all settings (3)")
    parser.add_argument("--requests", type=int, metavar="N", help="a run (400 at block 16, 3,000 at 512)")
    parser.add_argument("--json", metavar="OUT", help="write the figures to this file too")
    parser.add_argument("--quick", action="store_true", help="20 requests, one round: does it run?")
    options = parser.parse_args(arguments)
    most, rounds = (20, 1) if options.quick else (options.requests, options.rounds)
    path, longest = find_trace(options.trace), most or max(NUM_REQUESTS.values())
    prompts = made_up_prompts(longest) if path is None else trace_prompts(path, longest)
    source = (
        "MADE-UP conversations, no trace found (core/scenario/workloads.py)" if path is None else path.name
    )
    other = f"vLLM {import_module('benchmarks.vllm_manager').VERSION}" if vllm_side() else None
    facts = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{time.strftime('%Y-%m-%d')}; {source}; pool of {POOL_BLOCKS:,} blocks; {facts}")
    if other:
        print(f"How many times faster than {other} (least and most of {rounds} rounds):")
    else:
        print("vLLM is NOT INSTALLED here. Our time as a multiple of one bare hash call a block:")
    runs = measure(prompts, most, rounds)
    print(table(runs))
    found = hashing(1 if options.quick else 15)
    print("\nThe best and the median of 15:" if not options.quick else "")
    print(hash_table(found))
    if options.json:
        report = {
            "source": source,
            "beside": other,
            "machine": facts,
            "runs": [asdict(done) for done in runs],
        }
        Path(options.json).write_text(json.dumps({**report, "hashing": found}, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
