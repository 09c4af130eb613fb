"""Chapter 6's numbers: counted, modelled, measured, and what its sentences claim."""

from __future__ import annotations

import pytest

from core.cost import Prices
from core.replay.replay import replay
from core.scenario.scenario import run
from core.types import EngineConfig, Request
from ui.course.ch06_saving.counts import (
    BLOCK_SIZE,
    OWNER_MINUTES,
    bill,
    count_users,
    first_above,
    ratios,
    under_load,
)
from ui.course.ch06_saving.rulers import (
    MANY,
    TOTAL,
    Ruler,
    bill_ruler,
    fixed_ms,
    queue_ruler,
    time_ruler,
    token_ruler,
)
from ui.course.measured import DECODERS, LARGER, kept, many_users, pairs, sweep, where
from ui.course.strips import Stretch, strips
from ui.machine.machine import Machine
from ui.stage.payload import stage_log
from ui.stage.setup import Setup, load_setup
from ui.stage.show_me import find_step, op_is
from ui.words.i18n import LANGS, Lang
from ui.words.numbers import change

COST = Machine().cost()


def test_640_tokens_become_128() -> None:
    one = COST.compare(640, 512)
    assert one.num_tokens - one.hit_tokens == 128
    assert one.linear_ratio == 5.0
    assert one.ratio == pytest.approx(2.69, abs=0.005), "time saves less than counting promises"


def test_a_hundred_users_in_tokens() -> None:
    users = count_users(100, 512, 128, COST)
    assert (users.plain, users.cached) == (64_000, 13_312)
    assert (users.plain_prefix, users.cached_prefix, users.own) == (51_200, 512, 12_800)
    assert users.cached_prefix + 100 * 128 == users.cached, "the sentence in one unit"
    assert round(users.token_ratio, 2) == 4.81
    assert users.hit_rate == pytest.approx(0.792)
    assert users.time_ratio == pytest.approx(2.64, abs=0.005)


@pytest.mark.parametrize(
    ("users", "shared", "own"), [(100, 512, 128), (7, 100, 30), (3, 0, 5), (1, 64, 1), (5, 33, 1)]
)
def test_users_are_counted_as_the_engine_does(users: int, shared: int, own: int) -> None:
    log = [
        Request(f"R{k}", (*range(shared), *range(10_000 + k * own, 10_000 + (k + 1) * own)))
        for k in range(users)
    ]
    ran = replay(log, EngineConfig(BLOCK_SIZE, 2000))
    counted = count_users(users, shared, own, COST)
    assert counted.cached == int(ran.num_tokens.sum() - ran.hit_tokens.sum())
    assert counted.hit_rate == pytest.approx(ran.hit_rate)


def test_long_prefixes() -> None:
    claim, model = ratios((512, 8192), 128, COST)
    assert claim == [5.0, 65.0]
    assert model == pytest.approx([2.69, 26.28], abs=0.005)
    above = first_above(10, 128, COST)
    assert above == 2800
    assert COST.compare(above + 128, above).ratio >= 10 > COST.compare(above - 16 + 128, above - 16).ratio
    assert first_above(10, 128, COST, most=1024) is None


@pytest.mark.parametrize("decoder", DECODERS.values())
def test_measured_beside_the_claim(decoder: str) -> None:
    points = sweep(decoder)
    assert [point.hit_tokens for point in points] == [0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 608]
    assert {point.total for point in points} == {640}
    at_512 = next(point for point in points if point.hit_tokens == 512)
    assert 3 < at_512.ratio < 5, "less than counting promises"
    assert all(point.low <= point.ratio <= point.high for point in points)
    assert 0.65 < at_512.saved < 0.8, "less than the hit rate"
    [long] = pairs(decoder, "long")
    assert (long.total, long.hit_tokens) == (8320, 8192)
    assert 25 < long.ratio < 65
    users = many_users(decoder)
    assert (users.users, users.shared, users.own) == (100, 512, 128)
    assert 2.5 < users.ratio < 4.81
    assert users.ratio == pytest.approx(users.without_ms / users.with_ms, rel=0.05), "two digits, of the runs"


@pytest.mark.parametrize("decoder", DECODERS.values())
def test_the_claim_of_30_to_50_percent(decoder: str) -> None:
    greeting, *longer = pairs(decoder, "saving")
    assert (greeting.total, greeting.hit_tokens) == (64, 16), "22 tokens fill one block of 16"
    assert greeting.saved < 0.3, "about its hit fraction at most"
    assert [point.fraction for point in longer] == [0.3, 0.4, 0.5, 0.6]
    saved = [point.saved for point in longer]
    assert saved[0] < 0.33 < 0.45 < saved[-1]


def test_each_measurement_names_its_machine_and_day() -> None:
    for name in (*DECODERS.values(), LARGER):
        facts = where(kept(name)["pair"])
        assert facts["device"]
        assert str(facts["date"]).count("-") == 2
        assert facts["threads"] == 1
    assert where(kept(LARGER)["pair"])["millions"] == "134"
    assert [point.fraction for point in sweep(LARGER)] == [point.fraction for point in sweep("numpy-S")]
    [large] = pairs(LARGER, "pair")
    assert 3.5 < large.ratio < 5


def test_a_queue_is_where_throughput_grows() -> None:
    calm, busy = under_load(2, COST), under_load(20, COST)
    for ran in (calm, busy):
        assert ran.hit_rate.value == pytest.approx(0.82, abs=0.005)
        assert (ran.with_cache.ttft_p50.value or 0) < (ran.without_cache.ttft_p50.value or 0)
    gains = [
        (ran.with_cache.throughput.value or 0) / (ran.without_cache.throughput.value or 1)
        for ran in (calm, busy)
    ]
    assert gains == pytest.approx([1.0, 1.26], abs=0.01)
    rush = under_load(80, COST)
    assert (rush.with_cache.throughput.value or 0) / (rush.without_cache.throughput.value or 1) > 2
    assert rush.without_cache.busy.value == pytest.approx(rush.at_s, rel=0.1), "it was not idle"


@pytest.mark.parametrize("lang", LANGS)
def test_the_stage_opens_on_the_second_plan(lang: Lang) -> None:
    scenario = load_setup(Setup("L640s"), lang)
    shown = stage_log(scenario, run(scenario), "L640s")
    step = shown["events"][find_step(shown, op_is("plan", "R1")) - 1]
    assert (step["rid"], step["args"]["hit"]) == ("R1", 16)


def test_the_owner() -> None:
    before, after = OWNER_MINUTES
    assert change(1 - after / before) == "−60.0"


def test_the_bill_of_a_hundred_thousand_requests() -> None:
    day = bill(100_000, 512, 128, COST, Prices())
    assert day.provider_plain == pytest.approx(64.0)
    assert day.provider_cached == pytest.approx(17.92, abs=0.005), "hit tokens are paid for, too"
    assert (day.gpu_plain, day.gpu_cached) == pytest.approx((2.72, 1.01), abs=0.005)
    hit_rate = 99_999 * 512 / 64_000_000
    for saved in (1 - day.provider_cached / day.provider_plain, 1 - day.gpu_cached / day.gpu_plain):
        assert saved < hit_rate, "neither equals the hit rate"


def test_strips_show_every_token_once() -> None:
    rows = {
        "a": [Stretch("x", 512, False), Stretch("y", 128, False)],
        "b": [Stretch("x", 512, True), Stretch("y", 128, False)],
    }
    bars = strips(rows, "tokens", ("reused", "computed")).to_dict()["data"]
    assert [list(bar["x"]) for bar in bars] == [[512], [512, 128, 128]]
    assert [list(bar["base"]) for bar in bars] == [[0], [0, 512, 512]]


def saved(ruler: Ruler) -> float:
    return round(100 * ruler.saved, 1)


def test_one_saving_on_four_rulers() -> None:
    busy = queue_ruler(512, COST, under_load(20, COST))
    found = (token_ruler(512), time_ruler(512, COST), busy, bill_ruler(512, Prices()))
    assert [saved(one) for one in found] == [80.0, 62.8, 94.7, 72.0], "all different, all right"
    assert (found[3].full, found[3].left) == pytest.approx((64.0, 17.92))
    assert found[1].without["rest"] == found[1].cached["rest"] == pytest.approx(fixed_ms(COST))
    assert fixed_ms(COST) == pytest.approx(10.2, abs=0.05)


@pytest.mark.parametrize("hit", range(16, TOTAL, 16))
def test_rows_of_a_ruler_add_up(hit: int) -> None:
    one = COST.compare(TOTAL, hit)
    tokens, time, bill = token_ruler(hit), time_ruler(hit, COST), bill_ruler(hit, Prices())
    assert tokens.saved == pytest.approx(hit / TOTAL), "the one ruler that equals the hit rate"
    assert (time.full, time.left) == pytest.approx((1e3 * one.full_s, 1e3 * one.hit_s))
    assert bill.full == pytest.approx(TOTAL * MANY / 1e6)
    assert 0 < time.saved < tokens.saved
    assert bill.saved == pytest.approx(0.9 * tokens.saved)


def test_where_nobody_waits_the_queue_is_no_ruler_of_its_own() -> None:
    calm, busy = (queue_ruler(512, COST, under_load(rate, COST)) for rate in (1, 20))
    assert abs(calm.saved - time_ruler(512, COST).saved) < 0.05
    assert busy.saved > calm.saved + 0.2
    assert busy.without["waiting"] > 10 * busy.without["computed"]


def test_prices_that_make_no_difference() -> None:
    free = bill_ruler(512, Prices(per_million_tokens=0, per_million_cached=0))
    assert (free.full, free.saved) == (0, 0)
    dear = bill_ruler(512, Prices(per_million_tokens=1, per_million_cached=2))
    assert dear.saved < 0
