"""What managing the cache costs: hashing, looking up, table bytes. Measured, never estimated.

``python -m ui.course.ch08_costs.overhead > assets/measured/overhead.json`` measures on this machine.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from statistics import median
from time import perf_counter

from core.engine.engine import Engine
from core.engine.hash_chain import HashChain, token_array
from core.types import EngineConfig, Request

FILE = Path(__file__).resolve().parents[3] / "assets" / "measured" / "overhead.json"
TOKENS, BLOCK = 640, 16
_ROUNDS = 200
_MANY = 4096  # blocks, for the bytes of one


@dataclass(frozen=True, slots=True)
class Overhead:
    """Medians in microseconds. ``look_up_us``: a whole look-up, hashing included. ``bytes_a_block``: what
    our engine keeps for one cached block: hash, table entry, ref count, place in the free queue."""

    date: str
    device: str
    tokens: int
    blocks: int
    hash_us: float
    look_up_us: float
    bytes_a_block: float


def measure(*, memory: bool = True) -> Overhead:
    """On this machine, now. ``memory``: also count bytes, which takes longer."""
    prompt = Request("R0", tuple(range(TOKENS)))
    tokens = token_array(prompt.token_ids)
    engine = Engine(EngineConfig(BLOCK, TOKENS // BLOCK + 2))
    engine.submit(prompt)
    engine.run()
    again = Request("R1", prompt.token_ids)
    return Overhead(
        date=datetime.now(UTC).date().isoformat(),
        device=f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        tokens=TOKENS,
        blocks=TOKENS // BLOCK,
        hash_us=_median_us(lambda: HashChain(prompt, "", BLOCK, "xxh3_128").extend(tokens)),
        look_up_us=_median_us(lambda: engine.lookup(again)),
        bytes_a_block=_bytes_a_block() if memory else 0.0,
    )


def _median_us(act: Callable[[], object]) -> float:
    found = []
    for _ in range(_ROUNDS):
        begin = perf_counter()
        act()
        found.append(perf_counter() - begin)
    return round(median(found) * 1e6, 1)


def _bytes_a_block() -> float:
    """A pool full of cached blocks, nobody holding any."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    engine = Engine(EngineConfig(BLOCK, _MANY + 1))
    for number in range(_MANY // 32):
        first = number * 512
        engine.submit(Request(f"R{number}", tuple(range(first, first + 512))))
        engine.run()
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return round(used / len(engine.view.cached_hashes()), 0)


@cache
def measured() -> Overhead:
    """The committed measurement."""
    return Overhead(**json.loads(FILE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(measure()), indent=2) + "\n")
