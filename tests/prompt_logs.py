"""Logs of prompts for the tests of replays and curves: drawn and real, and what the engine says of them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, Event, RequestAdmitted
from core.replay.block_chain import BlockChain, chain_of_ids
from core.types import EngineConfig, Request

Tokens = tuple[int, ...]
TRACES = Path(os.environ.get("BROTH_TRACES") or Path(__file__).resolve().parents[2] / "shared" / "traces")
MOONCAKE_BLOCK = 512


@dataclass(frozen=True)
class Served:
    """What happened to one request: hit tokens, blocks evicted, admitted."""

    hit: int
    evicted: int
    admitted: bool


@st.composite
def prompts(draw: st.DrawFn, block_size: int, ends: str = "any", max_size: int = 30) -> list[Tokens]:
    """A log with much in common. ``ends``: "tail" (no prompt ends at a block's end), "mixed" (some do, but
    none of those comes again whole) or "any"."""
    few = st.integers(0, 2)
    log: list[Tokens] = []
    for _ in range(draw(st.integers(1, max_size))):
        base = log[draw(st.integers(0, len(log) - 1))] if log and draw(st.integers(0, 3)) else ()
        kept = len(base) if draw(st.booleans()) else draw(st.integers(0, len(base)))
        added = draw(st.lists(few, max_size=2 * block_size + 1))
        prompt = (*base[:kept], *added) or (0,)
        if draw(st.booleans()):
            prompt = prompt[: max(len(prompt) // block_size, 1) * block_size]
        log.append(_with_end(prompt, log, block_size, ends))
    return log


def _with_end(prompt: Tokens, log: list[Tokens], block_size: int, ends: str) -> Tokens:
    aligned = len(prompt) % block_size == 0
    known = any(earlier[: len(prompt)] == prompt for earlier in log)
    if aligned and (ends == "tail" or (ends == "mixed" and known)):
        # One token more makes a tail; a block of one token has none, so there a new token must do.
        return (*prompt, 7) if block_size > 1 else (*prompt, 100 + len(log))
    return prompt


def requests_of(log: list[Tokens]) -> list[Request]:
    return [Request(f"r{number}", tokens) for number, tokens in enumerate(log)]


def serve_one_by_one(requests: list[Request], config: EngineConfig) -> list[Served]:
    """The engine's word: every request submitted and run to its end before the next."""
    evicted: list[Event] = []
    hits: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, BlockEvicted):
            evicted.append(event)
        elif isinstance(event, RequestAdmitted):
            hits.append(event.hit_tokens)

    engine = Engine(config, note)
    found = []
    for request in requests:
        evicted.clear()
        hits.clear()
        if -(-len(request.token_ids) // config.block_size) > config.num_usable:
            found.append(Served(0, 0, False))
            continue
        engine.submit(request)
        engine.run()
        found.append(Served(hits[0], len(evicted), True))
    engine.check()
    return found


def real_rows(name: str) -> list[dict[str, object]]:
    """A trace that others have published; it never travels with the project."""
    path = TRACES / name
    if not path.exists():
        pytest.skip(f"{name} is not in {TRACES}; set BROTH_TRACES to the folder that holds it")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def real_chains(name: str) -> list[BlockChain]:
    """A Mooncake trace as chains of 512-token blocks."""
    return [
        chain_of_ids(
            row["hash_ids"],  # type: ignore[arg-type]
            row["input_length"],  # type: ignore[arg-type]
            MOONCAKE_BLOCK,
            arrival_s=row["timestamp"] / 1000,  # type: ignore[operator]
        )
        for row in real_rows(name)
    ]
