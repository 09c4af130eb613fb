"""Memory against the time to live: the engine's cached blocks, looked at every millisecond."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from core.engine.engine import Engine
from core.replay.prefix_tree import build_tree
from core.replay.ttl_curve import held_curve
from core.types import EngineConfig, Request


@dataclass
class _Row:
    tokens: tuple[int, ...]
    arrival_s: float
    block_ids: None = None
    block_size: None = None
    tail_id: None = None
    scope: str = ""

    @property
    def num_tokens(self) -> int:
        return len(self.tokens)

    def request(self) -> Request:
        return Request(f"R{self.arrival_s}", self.tokens)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ttl", [0, 3, 12, 500])
def test_blocks_held_are_those_the_engine_holds(seed: int, ttl: int) -> None:
    dice = np.random.default_rng(seed)
    times = np.cumsum(dice.integers(1, 15, 25))
    rows = [
        _Row(tuple(map(int, dice.integers(0, 2, int(dice.integers(1, 14))))), int(at) / 1000) for at in times
    ]
    engine = Engine(EngineConfig(2, 400, ttl=ttl), block_events=False, own_clock=False)
    held, due = 0, dict(zip(map(int, times), rows, strict=True))
    for now in range(int(times[-1])):
        if now > engine.view.clock:
            engine.wait(now - engine.view.clock)
        if now in due:
            engine.submit(due[now].request())
            engine.run()
        held += len(set(engine.view.cached_hashes()))
    curve = held_curve(build_tree(rows, 2))
    # What is used at tick t is there at t, t + 1, ... t + ttl: one look more than ticks.
    assert curve.block_s((ttl + 1) / 1000) * 1000 == pytest.approx(held)
    assert curve.mean_blocks(1.0) == pytest.approx(curve.block_s(1.0) / (float(times[-1] - times[0]) / 1000))
