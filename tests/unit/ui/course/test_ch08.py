"""Chapter 8: what each situation counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost import GPUS, MODELS, CostModel
from core.engine.events import BlockEvicted
from core.scenario.scenario import run
from core.scenario.tokenizer import TeachingTokenizer
from core.tradeoffs.best import best_of
from pages.ch08 import SITUATIONS
from tests.strategies import examples
from tests.unit.ui.course.typed import typed_prompts
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
from ui.course.ch08_costs.path import (
    ENOUGH,
    LONG_SLOTS,
    SLOTS,
    asked,
    both_sides,
    left_of_long,
    room_words,
    rooms,
)
from ui.course.ch08_costs.rival import rival
from ui.course.lessons import part
from ui.course.said import SEEDS
from ui.stage.own import OwnPrompts
from ui.stage.setup import Setup, load_setup
from ui.words.i18n import LANGS, Lang, t


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


# -- the path ----------------------------------------------------------------------------------------------


def test_one_slot_decides_and_it_is_the_one_for_the_orders_own_words() -> None:
    found = rooms()
    assert [found[slots].requests for slots in SLOTS] == [0, 0, 0, 20, 20, 20, 20]
    assert {one.orders for one in found.values()} == {24}
    assert (found[ENOUGH].hits, found[ENOUGH].tokens) == (80, 144)
    for slots, one in found.items():
        assert one.holds.count("own") == 1, "the order that is served has its words in one slot"
        assert len([held for held in one.holds if held not in ("own", "")]) == min(slots - 1, 4)
    four, five = (found[slots].holds for slots in (4, 5))
    assert "beef" not in four, "and beef is what comes next"
    assert "beef" in five


def test_the_four_recipes_are_those_of_the_stage() -> None:
    """The same numbers as the preset's, whose words are real."""
    for slots in SLOTS:
        ran = counted(run(load_setup(Setup("P9", {"num_slots": slots}), "en")))
        one = rooms()[slots]
        assert (one.hits, one.tokens, one.evicted) == (ran.hit_tokens, ran.tokens, ran.evicted)
        assert one.requests == sum(hit > 0 for hit in ran.hits)


@pytest.mark.parametrize("lang", LANGS)
def test_the_lesson_tells_of_each_room(lang: Lang) -> None:
    for slots, one in rooms().items():
        name, words = room_words(one)
        assert name == ("room_short" if slots < ENOUGH else "room_enough")
        assert "#" not in part("ch08", name, lang, **words), "a number of slots is no slot"
    assert "83" in part("ch08", "room_enough", lang, **room_words(rooms()[ENOUGH])[1])


def test_a_stranger_takes_the_prompt_from_its_end() -> None:
    found = [left_of_long(needs) for needs in range(1, LONG_SLOTS + 1)]
    assert [one.hit for one in found] == [32, 28, 24, 20, 16, 12, 8, 4, 0]
    assert [one.lost for one in found] == list(range(9))
    assert {one.alone for one in found} == {32}


@given(typed_prompts(), st.integers(0, SEEDS - 1))
@examples(80)
def test_who_goes_can_be_asked_of_any_prompt(prompt: OwnPrompts, seed: int) -> None:
    """The truth by counting blocks: what the stranger needs beyond slots without a tag goes, from the end."""
    ids = TeachingTokenizer().encode(prompt.system + prompt.messages[0])
    one, bet = rival(ids, seed), asked(ids, seed)
    full = len(ids) // 4
    assert 0 < one.needs <= one.slots
    assert one.empty == one.slots - full
    assert one.hit == 4 * min((len(ids) - 1) // 4, full - one.lost)
    assert one.alone == (len(ids) - 1) // 4 * 4
    assert full == 0 or 0 < one.lost <= max(1 if len(ids) % 4 else 2, full - 1)
    assert one.hit < one.alone or one.alone == 0, "the stranger changes something"
    assert bet.truth in bet.answers()
    for answer in {0, one.hit, one.alone, len(ids)}:
        key, words = bet.told(answer)
        assert all(t(key, lang, **words) and "#" not in t(key, lang, **words) for lang in LANGS)
    assert all(t(bet.ask, lang, **bet.args) for lang in LANGS)
    if full > 2:
        assert len({asked(ids, other).mark for other in range(12)}) > 1


def test_a_bet_on_who_goes_first_names_the_belief_behind_it() -> None:
    bet = next(asked(range(33), seed) for seed in range(50) if asked(range(33), seed).truth > 0)
    assert bet.told(0)[0].endswith("oldest")
    assert bet.told(32)[0].endswith("nothing")
    assert bet.told(bet.truth)[0].endswith("told"), "a slot of 33 tokens is always without a tag"
    assert asked(range(3), 1).told(0)[0].endswith("small")
    assert asked(range(4), 1).told(0)[0].endswith("last"), "the last token is a reason only where it decides"


def test_a_cliff_is_one_once_both_sides_were_seen() -> None:
    assert [both_sides(tried) for tried in ((), (6,), (2, 4), (4, 5))] == [False, False, False, True]
