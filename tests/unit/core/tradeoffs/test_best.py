"""The best setting on made logs whose answer is known, and the front by a second reading."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel
from core.replay.replay import replay
from core.tradeoffs.best import (
    SIZES,
    WORK,
    Bill,
    Charges,
    Choice,
    best_after_costs,
    best_of,
    bill,
    front,
    settings_grid,
)
from core.tradeoffs.tradeoffs import noisy_log, prefix_log
from core.types import EngineConfig, Request

COST = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])


def _log(shared: int, own: int, count: int = 8) -> list[Request]:
    """One shared beginning, then tokens that occur nowhere else."""
    return [
        Request(f"R{k}", (*range(shared), *range(10_000 + k * own, 10_000 + (k + 1) * own)))
        for k in range(count)
    ]


def _bills(log: list[Request], room: int, charges: Charges | None = None) -> list[Bill]:
    return [bill(one, COST, charges or Charges()) for one in settings_grid(log, room)]


def _best(log: list[Request], room: int, charges: Charges | None = None) -> tuple[int, int]:
    best = best_after_costs(_bills(log, room, charges))
    assert best is not None
    return best.choice.block_size, best.choice.admit_after


@pytest.mark.parametrize("whose", list(WORK))
def test_large_blocks_win_where_the_shared_part_is_long_and_aligned(whose: str) -> None:
    assert _best(_log(2048, 64), 8192, Charges(whose)) == (64, 1)  # type: ignore[arg-type]


def test_middle_blocks_win_where_the_highest_rate_is_at_small_ones() -> None:
    """Of 2,100 shared tokens blocks of 4 read 4 more than blocks of 16, for 398 blocks more a request."""
    log = _log(2100, 20)
    highest = best_of(settings_grid(log, 8192))
    assert highest is not None
    assert highest.block_size == 4
    assert _best(log, 8192) == (16, 1)
    assert _best(log, 8192, Charges(waits=0)) == (4, 1)


def test_small_blocks_win_where_the_shared_part_is_short() -> None:
    assert _best(_log(12, 8), 1000) == (4, 1)
    assert _best(_log(12, 8), 1000, Charges(small=0.9)) != (4, 1)


def test_a_threshold_wins_where_noise_evicts_the_popular_and_only_there() -> None:
    assert _best(noisy_log(0.6), 104)[1] == 2
    assert _best(noisy_log(0.0), 104)[1] == 1
    assert _best(noisy_log(0.6), 10_000)[1] == 1  # nothing is evicted


def test_memory_at_a_price_keeps_out_what_nobody_reads() -> None:
    log = noisy_log(0.6)
    times = [float(k) for k in range(len(log))]
    charged = [bill(one, COST, Charges(memory=1.0)) for one in settings_grid(log, 10_000, times)]
    best = best_after_costs(charged)
    assert best is not None
    assert best.choice.admit_after == 2


def test_what_nobody_reads_is_counted_from_storing_to_eviction() -> None:
    """A is read at 1 s and evicted at 5 s; B stands from 2 s to the end at 5 s, and nobody reads it."""
    prompts = [(1, 2, 3, 4, 5), (1, 2, 3, 4, 6), (7, 8, 9, 10, 11), tuple(range(20, 29))]
    log = [Request(f"R{k}", tokens) for k, tokens in enumerate(prompts)]
    choice = settings_grid(log, 16, [0, 1, 2, 5])[0]
    assert (choice.block_size, choice.admit_after) == (4, 1)
    assert choice.hits == (0, 4, 0, 0)
    assert choice.num_evicted == 1
    assert choice.unread_block_s == 3


def test_the_grid_is_what_the_replay_hits() -> None:
    log = prefix_log(6, 60, 8, 60, 1.0)
    for one in settings_grid(log, 500):
        config = EngineConfig(one.block_size, 500 // one.block_size + 1, admit_after=one.admit_after)
        result = replay([replace(request) for request in log], config)
        assert list(one.hits) == result.hit_tokens.tolist()
        assert one.num_evicted == int(result.evicted_blocks.sum())
        assert one.num_blocks == sum(-(-len(request.token_ids) // one.block_size) for request in log)
    assert {one.block_size for one in settings_grid(log, 500)} == set(SIZES)
    assert settings_grid(log, 60) == []
    assert (best_of([]), best_after_costs([]), front([])) == (None, None, [])
    assert best_of([Choice(4, 1, 0.5), Choice(8, 2, 0.5), Choice(8, 1, 0.5)]) == Choice(8, 1, 0.5)


def test_the_front_holds_whom_nobody_beats() -> None:
    dice = np.random.default_rng(3)
    for _ in range(50):
        bills = [
            Bill(Choice(4, 1, float(rate)), 1.0, 0.5, float(cost), 0.0, 0.0)
            for rate, cost in dice.integers(0, 5, (8, 2)) / 10
        ]
        spots = {(one.choice.hit_rate, one.cost_s) for one in bills}
        unbeaten = {
            (rate, cost)
            for rate, cost in spots
            if not any(r >= rate and c <= cost and (r, c) != (rate, cost) for r, c in spots)
        }
        found = front(bills)
        assert {(one.choice.hit_rate, one.cost_s) for one in found} == unbeaten
        assert len(found) == len(unbeaten)


def test_the_lines_go_through_what_was_measured() -> None:
    """benchmarks/README.md: µs a block of 16, ns a token at 512."""
    for whose, (few, many) in {"vllm": ((3.6, 3.7), (30, 39)), "broth": ((1.3, 1.5), (15, 22))}.items():
        charges = Charges(whose)  # type: ignore[arg-type]
        assert few[0] <= charges.work_s(16, 1) * 1e6 <= few[1]
        assert many[0] <= charges.work_s(512, 1) * 1e9 / 512 <= many[1]
