"""Chapter 8: what each situation counts."""

from __future__ import annotations

import pytest

from core.cost import GPUS, MODELS, CostModel
from core.engine.events import BlockEvicted
from core.scenario.scenario import run
from core.tradeoffs.tradeoffs import best_of
from pages.ch08 import SITUATIONS
from ui.course.ch08_costs.charts import IN_SLOTS, ORDERS, hot_curves, load_grid, overhead_numbers, stale_seeds
from ui.course.ch08_costs.counts import (
    OWNER_SLOTS,
    changed_word,
    counted,
    long_answer,
    new_weights,
    owner_beside_lru,
    pot_curve,
)
from ui.course.ch08_costs.on_stage import ANSWERS, decode_curve, evicted_by_stranger, weight_verdicts
from ui.course.ch08_costs.overhead import measure, measured
from ui.stage.setup import Setup, load_setup
from ui.words.i18n import LANGS, Lang


def test_three_pots_are_one_too_few_for_four_recipes() -> None:
    for limit in ("slots", "cap"):
        curve = pot_curve(limit)
        assert [one.hit_tokens for one in curve] == [0, 0, 0, 80, 80, 80, 80, 80], limit
        assert {one.tokens for one in curve} == {144}
        assert curve[2].evicted == 21
        assert curve[3].evicted == 0


def test_both_meanings_of_a_time_to_live() -> None:
    def hits(ttl: int, kind: str) -> tuple[int, ...]:
        return counted(run(load_setup(Setup("P10", {"ttl": ttl, "ttl_kind": kind}), "en"))).hits

    assert [hits(14, kind) for kind in ("idle", "absolute")] == [(0, 12, 12), (0, 12, 0)]
    assert [hits(10, kind) for kind in ("idle", "absolute")] == [(0, 12, 0), (0, 12, 0)]
    assert [hits(8, kind) for kind in ("idle", "absolute")] == [(0, 12, 0), (0, 0, 0)]


def test_the_owners_rule_wins_when_room_is_short_and_loses_when_it_is_not() -> None:
    found = {slots: [one.hit_tokens for one in owner_beside_lru(slots)] for slots in OWNER_SLOTS}
    assert found == {4: [32, 16], 5: [40, 32], 6: [40, 56], 8: [40, 56]}


@pytest.mark.parametrize(("place", "hit"), [(300, 288), (1, 0), (16, 0), (17, 16), (512, 496)])
def test_a_changed_word_costs_the_blocks_from_it_on(place: int, hit: int) -> None:
    assert [visit.hit for visit in changed_word(place)] == [0, hit, 512, 512]
    assert {visit.tokens for visit in changed_word(place)} == {640}


@pytest.mark.parametrize("lang", LANGS)
def test_new_weights(lang: Lang) -> None:
    told, untold = (counted(run(new_weights(lang, one))).hits for one in (True, False))
    assert told == (0, 12, 0, 12, 12), "the old weights' blocks are still there"
    assert untold == (0, 12, 12, 12, 12)
    assert weight_verdicts(told, True) == ["new", "right", "new", "right", "right"]
    assert weight_verdicts(untold, False) == ["new", "right", "wrong", "wrong", "right"]
    assert not any(isinstance(event, BlockEvicted) for event in run(new_weights(lang, True)).events)


@pytest.mark.parametrize("lang", LANGS)
def test_a_long_answer_takes_the_prefix_from_its_tail(lang: Lang) -> None:
    found = {answer: counted(run(long_answer(lang, answer))).hits[2] for answer in ANSWERS}
    assert found == decode_curve(ANSWERS)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert {answer: found[answer] for answer in (24, 28, 32, 36)} == {24: 12, 28: 8, 32: 4, 36: 0}
    evicted = [evicted_by_stranger(run(long_answer(lang, answer))) for answer in (4, 24, 28, 32, 36)]
    assert evicted == [0, 1, 2, 3, 4]


def test_a_threshold_protects_and_costs() -> None:
    curves = {number: dict(points) for number, points in hot_curves().items()}
    assert curves[1][0.0] > curves[2][0.0] > curves[3][0.0], "without one-off guests it only costs"
    assert [round(curves[number][0.6], 4) for number in (1, 2, 3)] == [0.3454, 0.8687, 0.8268]


def test_management_is_small_beside_prefill() -> None:
    one = measured()
    assert (one.tokens, one.blocks) == (640, 40)
    assert 0 < one.hash_us < one.look_up_us < 1000
    assert one.bytes_a_block < 1000
    numbers = overhead_numbers(one, one, CostModel(MODELS["Llama-2-7B"], GPUS["H100"]), "Llama-2-7B")
    assert numbers["kv"] == "8"
    assert float(numbers["times"].replace(",", "")) > 100
    now = measure(memory=False)
    assert 0 < now.hash_us < now.look_up_us


def test_two_cards() -> None:
    assert (IN_SLOTS, ORDERS) == (("beef", "pork"), (("beef", "pork"), ("fish",)))
    assert len(stale_seeds(atomic=False)) == 62
    assert stale_seeds(atomic=True) == []


def test_the_best_setting_depends_on_the_room() -> None:
    short, ample = (best_of(load_grid("rag", room)) for room in (2000, 8000))
    assert short is not None
    assert ample is not None
    assert (short.block_size, short.admit_after, round(short.hit_rate, 3)) == (4, 2, 0.371)
    assert (ample.block_size, ample.admit_after, round(ample.hit_rate, 3)) == (4, 1, 0.496)
    assert best_of(load_grid("agent", 2000)) is None


def test_every_situation_of_the_chapter_is_there() -> None:
    wanted = {"pots", "hot", "ttl", "owner", "word", "version", "decode", "overhead", "cards", "best"}
    assert set(SITUATIONS) == wanted
