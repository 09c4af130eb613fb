"""One pool and a divided one, beside the load run of the monitor; the owner's rule by a plain reading."""

from __future__ import annotations

import pytest

from core.cost import GPUS, MODELS, CostModel
from core.errors import ConfigError
from core.load import LoadRun
from core.load.spec import MIXES, LoadSpec
from core.tradeoffs.pots import BLOCK, DAY_TICKS, LOOKS_A_DAY, POT_TOKENS, Rule, cook, order_book
from core.tradeoffs.serving import House, Served, serve

COST = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])


def _spec(rate: float, seed: int = 7) -> LoadSpec:
    return LoadSpec(seed=seed, mix=MIXES["chat"], rate=rate, num_requests=120, output_tokens=64, think_s=4.0)


def test_one_pool_serves_as_the_monitor_does() -> None:
    house = House(1000)
    served = serve(_spec(10), house, COST)
    run = LoadRun(_spec(10), house.config(), COST)
    while run.advance(requests=50):
        pass
    summary = run.summary()
    assert served.hit_rate == summary.hit_rate.value
    assert served.ttft_p95_s == pytest.approx(summary.with_cache.ttft_p95.value)
    assert served.computed_tokens == summary.with_cache.computed_tokens
    assert served.in_use + served.idle_cached + served.unused == pytest.approx(1000)


@pytest.mark.parametrize("seed", [1, 7])
def test_a_cap_lets_nobody_in_and_a_wall_keeps_people_out(seed: int) -> None:
    def with_(cap: int | None, apart: bool = False) -> Served:
        return serve(_spec(16, seed), House(1000, cap, apart), COST)

    free, capped, apart = with_(None), with_(500), with_(500, apart=True)
    assert free.hit_rate > capped.hit_rate
    assert capped.unused > free.unused + 100
    assert capped.ttft_p95_s >= free.ttft_p95_s
    assert apart.most_running < capped.most_running
    assert apart.ttft_p95_s > 2 * capped.ttft_p95_s


def test_blocks_go_to_whoever_runs_as_load_rises() -> None:
    calm, busy = (serve(_spec(rate), House(1000), COST) for rate in (2, 16))
    assert busy.in_use > 3 * calm.in_use
    assert busy.idle_cached < calm.idle_cached
    assert busy.hit_rate < calm.hit_rate


def test_a_house_without_room_says_so() -> None:
    with pytest.raises(ConfigError, match="there is room for"):
        serve(_spec(4), House(1000, 990, apart=True), COST)
    with pytest.raises(ConfigError, match="The cap is None"):
        House(1000, apart=True).config()


@pytest.mark.parametrize("ttl_days", [1, 3])
def test_poured_out_after_days_without_an_order(ttl_days: int) -> None:
    """A plain reading: a recipe hits if its last order is at most so long ago; what stands warm at a look is
    every recipe ordered since, and of every order since one block of its own."""
    book, ttl = order_book(12, 1.2, 0.3), ttl_days * DAY_TICKS
    kitchen = cook(book, Rule(ttl_days=ttl_days), 20_000)
    last: dict[int, int] = {}
    hits = 0
    for order in book:
        hits += POT_TOKENS if order.recipe >= 0 and order.at - last.get(order.recipe, -ttl - 1) <= ttl else 0
        last[order.recipe] = order.at
    assert kitchen.hit_tokens == hits
    warm = looks = 0
    for look in range(DAY_TICKS // LOOKS_A_DAY, book[-1].at + 1, DAY_TICKS // LOOKS_A_DAY):
        fresh = [order for order in book if order.at < look <= order.at + ttl]
        pots = len({order.recipe for order in fresh} - {-1}) + sum(order.recipe < 0 for order in fresh)
        warm, looks = warm + pots * POT_TOKENS // BLOCK + len(fresh), looks + 1
    assert kitchen.mean_pots == pytest.approx(warm / looks / (POT_TOKENS // BLOCK))


def test_the_owner_s_rule_pays_against_guests_who_never_come_again() -> None:
    slots = 12 * POT_TOKENS // BLOCK
    noisy, regular = order_book(12, 1.2, 0.6), order_book(12, 0.0, 0.0)
    owner, lru = Rule(3, 2, 3, 3), Rule(3)
    assert cook(noisy, owner, slots).hit_rate > 1.5 * cook(noisy, lru, slots).hit_rate
    assert cook(noisy, owner, slots).poured < cook(noisy, lru, slots).poured / 2
    assert abs(cook(regular, owner, slots).hit_rate - cook(regular, lru, slots).hit_rate) < 0.05
    assert cook(noisy, lru, slots).mean_pots <= 3
