"""The numbers behind the trade-off charts: formulas against the engine, and what the texts claim."""

from __future__ import annotations

import math

import pytest

from core.cost import GPUS, MODELS, CostModel
from core.engine.engine import Engine
from core.replay.replay import replay
from core.tradeoffs.best import Charges
from core.tradeoffs.tradeoffs import (
    conversation,
    costs_of_room,
    held_against_pauses,
    lost_to_threshold,
    noisy_log,
    prefix_log,
    prefixes_against_room,
    saving,
    size_costs,
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


def test_nobody_asks_for_what_is_one_s_own() -> None:
    """Of what one conversation holds the shared part is at most its 64 blocks; the rest grows on."""
    every, once = (dict(points) for points in held_against_pauses((60.0, 6000.0), 60.0))
    assert every[60.0] - once[60.0] == pytest.approx(64 * (1 - math.exp(-1)), rel=0.06)
    assert every[6000.0] - once[6000.0] == pytest.approx(64, rel=0.01)
    assert once[60.0] == pytest.approx(16 * 60 / 60, rel=0.1)  # 16 blocks a visit, a visit a minute


def test_the_block_size_has_two_costs() -> None:
    sizes = size_costs((1, 16, 256), 2048, 128, COST, Charges())
    assert [one.num_blocks for one in sizes] == [2176, 136, 9]
    assert sizes[0].again_s == 0 < sizes[1].again_s < sizes[2].again_s
    assert sizes[0].work_s > sizes[1].work_s > sizes[2].work_s > 0


def test_what_room_costs_is_what_more_room_would_have_hit() -> None:
    few, many = costs_of_room((4, 40), 110)
    assert few.again_tokens == 0 < many.again_tokens
    ample = dict(prefixes_against_room((40,), 4000))[40]
    small = dict(prefixes_against_room((40,), 110))[40]
    assert many.again_tokens == pytest.approx((ample - small) * 152)


@pytest.mark.parametrize("admit_after", [1, 2, 3])
def test_every_token_that_comes_again_hits_or_has_a_reason(admit_after: int) -> None:
    """Hits, not stored yet, evicted, seen for the first time, and the last token of 21: together all."""
    for noise, lost in zip((0.0, 0.6), lost_to_threshold((0.0, 0.6), admit_after), strict=True):
        hits = dict(threshold_against_noise((noise,), admit_after))[noise]
        count = sum(one.token_ids[0] < 10_000 for one in noisy_log(noise))
        first = 4 * 20 / (21 * count)
        assert hits + lost.not_stored + lost.evicted + first + 1 / 21 == pytest.approx(1)
        assert (lost.not_stored > 0) == (admit_after > 1)
