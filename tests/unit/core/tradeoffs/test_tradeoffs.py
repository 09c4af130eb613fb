"""The numbers behind the trade-off charts: formulas against the engine, and what the texts claim."""

from __future__ import annotations

import math

import pytest

from core.cost import GPUS, MODELS, CostModel
from core.engine.engine import Engine
from core.replay.replay import replay
from core.tradeoffs.tradeoffs import (
    Choice,
    best_of,
    conversation,
    noisy_log,
    prefix_log,
    prefixes_against_room,
    saving,
    settings_grid,
    threshold_against_noise,
    ttl_against_pauses,
)
from core.types import EngineConfig, Request

COST = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])


@pytest.mark.parametrize(("shared", "private"), [(0, 5), (15, 1), (16, 1), (16, 0), (100, 40), (128, 128)])
def test_saving_is_what_the_engine_hits(shared: int, private: int) -> None:
    if shared + private == 0:
        return
    warm = Request("A", tuple(range(shared)) or (1,))
    mine = Request("B", (*range(shared), *range(1000, 1000 + private)))
    result = replay([warm, mine], EngineConfig(16, 100))
    assert saving(shared, private, 16, COST).hit_tokens == result.hit_tokens[1]


def test_saving_in_numbers() -> None:
    one = saving(2048, 128, 16, COST)
    assert one.token_share == pytest.approx(2048 / 2176)
    assert 0.8 < one.time_share < one.token_share
    short = saving(64, 512, 16, COST)
    assert short.token_share == pytest.approx(64 / 576)
    assert saving(4096, 128, 256, COST).hit_tokens == 4096
    assert saving(100, 0, 16, COST).hit_tokens == 96


def test_a_conversation_is_what_the_engine_computes() -> None:
    turns = conversation(6, system=50, question=10, answer=30, block_size=16)
    engine = Engine(EngineConfig(16, 200))
    prompt = list(range(60))
    fresh = iter(range(10_000, 20_000))
    for turn in turns:
        before = engine.lookup(Request("look", tuple(prompt))).hit
        assert (turn.prompt, turn.computed) == (len(prompt), len(prompt) - before)
        answer = [next(fresh) for _ in range(30)]
        engine.submit(Request(f"R{turn.prompt}", tuple(prompt), tuple(answer)))
        engine.run()
        prompt += [*answer, *(next(fresh) for _ in range(10))]


def test_a_conversation_in_numbers() -> None:
    turns = conversation(20, 500, 50, 300, 16)
    assert turns[-1].sum_prompt == 20 * 550 + 350 * 190 == 77_500
    assert turns[-1].sum_computed < 8_000
    assert all(turn.computed <= 50 + 300 + 16 for turn in turns[1:])  # a straight line


def test_prefixes_fit_until_they_do_not() -> None:
    """110 slots hold 12 prefixes of 8 blocks beside a prompt; far beyond, almost nothing is found again."""
    even = dict(prefixes_against_room((1, 8, 40), 110))
    popular = dict(prefixes_against_room((1, 8, 40), 110, zipf=1.2))
    assert even[1.0] == pytest.approx(299 / 300 * 128 / 152)
    assert even[8.0] > 0.75 > 0.3 > even[40.0]
    assert popular[40.0] > even[40.0] + 0.2
    log = prefix_log(8, 128, 24, 300, 0.0)
    assert replay(log, EngineConfig(16, 111, queue_rule="vllm")).hit_rate == pytest.approx(even[8.0])


def test_a_threshold_costs_without_noise_and_pays_with_much() -> None:
    first, second = (dict(threshold_against_noise((0.0, 0.8), k)) for k in (1, 2))
    assert first[0.0] > second[0.0]
    assert first[0.8] < second[0.8]


def test_noise_is_noise() -> None:
    log = noisy_log(0.5)
    once = [one for one in log if one.token_ids[0] >= 10_000]
    assert len({one.token_ids for one in once}) == len(once)
    assert 0.4 < len(once) / len(log) < 0.6
    assert all(one.token_ids[0] < 10_000 for one in noisy_log(0.0))


def test_three_pauses_catch_95_percent() -> None:
    ttls = (6.0, 60.0, 180.0, 600.0)
    ran, formula = ttl_against_pauses(ttls, 60.0)
    assert dict(formula)[180.0] == pytest.approx(1 - math.exp(-3))
    for (_, one), (_, other) in zip(ran, formula, strict=True):
        assert one == pytest.approx(other, abs=0.06)
    assert [rate for _, rate in ran] == sorted(rate for _, rate in ran)


def test_the_best_setting_is_the_best_of_all() -> None:
    log = prefix_log(4, 60, 8, 40, 0.0)
    choices = settings_grid(log, 500)
    assert {(one.block_size, one.admit_after) for one in choices} == {
        (size, k) for size in (4, 8, 16, 32, 64) for k in (1, 2)
    }
    best = best_of(choices)
    assert best is not None
    assert best.hit_rate == max(one.hit_rate for one in choices)
    assert (best.block_size, best.admit_after) == (4, 1)
    assert settings_grid(log, 60) == []
    assert best_of([]) is None
    assert best_of([Choice(4, 1, 0.5), Choice(8, 2, 0.5), Choice(8, 1, 0.5)]) == Choice(8, 1, 0.5)
