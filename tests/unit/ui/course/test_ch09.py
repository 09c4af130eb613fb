"""Chapter 9: its numbers, the dated table, and the calculator against the known arithmetic."""

from __future__ import annotations

import tomllib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost import GPUS, MODELS, CostModel
from core.scenario.tokenizer import TeachingTokenizer
from pages.ch09 import VIEWS
from tests.strategies import examples
from tests.unit.ui.course.typed import typed_prompts
from ui.course.ch09_two_caches.billed import asked, billed, rules
from ui.course.ch09_two_caches.counts import computed_in_all, end_s, first_users, lanes, likeness, plane
from ui.course.ch09_two_caches.drawn import (
    MANUAL,
    lane_numbers,
    plane_numbers,
    served_thrice,
    told_of,
    warm_rows,
)
from ui.course.ch09_two_caches.providers import bill
from ui.course.ch09_two_caches.tables import SECONDS, cheaper_from, four_answers, semantic_verdict, surcharges
from ui.course.lessons import part, parts
from ui.course.said import SEEDS
from ui.stage.own import OwnPrompts
from ui.words.i18n import LANGS, Lang, t, table
from ui.words.offers import FILE, WORDS, Offer, offers

A100 = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
OFFERS = {offer.offer_id: offer for offer in offers()}


def test_every_view_of_the_chapter_is_there() -> None:
    assert set(VIEWS) == {"one", "plane", "warm", "four", "sold"}


def test_the_prompt_cache_shortens_the_start_and_kv_every_step_after_it() -> None:
    found = lanes(A100, 512, 128, 12)
    neither, kv, both = (found[name] for name in ("neither", "kv", "both"))
    assert [span.length_s for span in kv[1:]] == [span.length_s for span in both[1:]]
    assert neither[0] == kv[0]
    assert both[0].length_s == A100.prefill_s(128, 512) < kv[0].length_s == A100.prefill_s(640)
    assert neither[-1].length_s == A100.prefill_s(651) > 3 * kv[-1].length_s
    assert end_s(both) < end_s(kv) < end_s(neither)
    numbers = lane_numbers(found)
    assert (numbers["first_kv"], numbers["first_both"]) == ("48.9 ms", "18.2 ms")
    assert told_of(512, 512) == "one_result"
    cold = lanes(A100, 0, 128, 12)
    assert [span.length_s for span in cold["kv"]] == [span.length_s for span in cold["both"]]


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_said_of_the_visitors_prompt_is_what_the_lanes_show(lang: Lang) -> None:
    told = {}
    for total, shared in ((32, 0), (32, 9), (32, 16), (MANUAL + 32, 0), (MANUAL + 32, 640)):
        found, hit = served_thrice(shared, total - shared, 12, A100)
        told[total, shared] = told_of(shared, hit)
        words = {**lane_numbers(found), "shared": shared, "hit": hit, "block": 16}
        assert part("ch09", told[total, shared], lang, **words)
        assert found["neither"][0].length_s == A100.prefill_s(total), "what is shared makes no prompt longer"
    assert list(told.values()) == ["one_none", "one_small", "one_result", "one_none", "one_result"]


def test_each_offer_says_what_happens_below_its_minimum() -> None:
    assert {offer.provider: offer.below for offer in OFFERS.values()} == {
        "Anthropic": "silent", "OpenAI": "unsaid", "DeepSeek": "none", "Google Gemini": "error",
    }  # fmt: skip
    for lang in LANGS:
        for offer in OFFERS.values():
            assert offer.below == "none" or f"course.ch09.below.{offer.below}" in table(lang)
            assert offer.below == "none" or f"sold_below_{offer.below}" in parts("ch09", lang)
        assert "Anthropic" in parts("ch09", lang)["sold_note"]


def test_the_plane_is_the_engines() -> None:
    first, *others = plane(10, cached=True)
    assert first == [("read", 0), ("computed", 640), ("decoded", 383)]
    assert others == [[("read", 512), ("computed", 128), ("decoded", 383)]] * 9
    assert plane(3, cached=False) == [first] * 3


@pytest.mark.parametrize("users", [1, 10])
@pytest.mark.parametrize("cached", [False, True])
def test_the_sum_over_all_users_is_what_the_engine_computes(users: int, cached: bool) -> None:
    rows = plane(users, cached)
    ran = sum(tokens for row in rows for kind, tokens in row if kind != "read")
    assert computed_in_all(users, cached) == ran


def test_ten_thousand_users() -> None:
    numbers = plane_numbers(10_000)
    assert (numbers["tokens"], numbers["kept"], numbers["plain"]) == ("1,024", "5,110,512", "10,230,000")
    assert computed_in_all(100, True) - 100 * 383 == 13_312


def test_warming_up_moves_the_work_and_saves_none() -> None:
    assert first_users(5, warm=False) == [0, 512, 512, 512, 512]
    assert first_users(5, warm=True) == [512] * 5
    assert warm_rows() == {"cold": (0, 640, 1152), "warm": (512, 128, 1152)}


@pytest.mark.parametrize("lang", LANGS)
def test_four_caches_told_apart(lang: Lang) -> None:
    ask = {name: t(f"course.ch09.ask.{name}", lang) for name in SECONDS}
    system = t("course.ch09.system", lang) + (" " if lang == "en" else "")
    found = {name: four_answers(system, ask["same"], ask[name], 0.7) for name in SECONDS}
    assert {one["prompt"] for one in found.values()} == {0}, "all are below the minimum"
    assert 0 < found["other"]["prefix"] <= found["other"]["shared"] < found["same"]["prefix"] + 4
    assert [found[name]["semantic"] for name in SECONDS] == [1, 0, 0, 1]
    assert likeness(ask["same"], ask["meaning"]) < likeness(ask["same"], ask["alike"])
    verdicts = [semantic_verdict(name, found[name]["semantic"] == 1) for name in SECONDS]
    assert verdicts == ["right", "no", "no", "wrong"]
    for one in found.values():
        assert one["kv"] == one["total"] + 19 < one["kv_without"]
    long = four_answers(t("course.ch09.system", lang) * 150, ask["same"], ask["other"], 0.7)
    assert 1024 <= long["prompt"] <= long["shared"]
    assert (long["prompt"] - 1024) % 128 == 0


# -- what providers sell -------------------------------------------------------------------------------


def test_the_table_is_dated_sourced_and_bilingual() -> None:
    raw = tomllib.loads(FILE.read_text("utf-8"))
    assert list(OFFERS) == [row["id"] for row in raw["offer"]]
    for offer in OFFERS.values():
        assert date.fromisoformat(offer.read_on) >= date(2026, 11, 29)
        assert offer.sources
        assert all(url.startswith("https://") for url in offer.sources)
        for lang in LANGS:
            assert all(offer.words[lang][name] or name == "note" for name in WORDS)
        assert bool(offer.words["en"]["note"]) == bool(offer.words["zh"]["note"])


@pytest.mark.parametrize(
    ("shared", "cached"), [(1023, 0), (1024, 1024), (1151, 1024), (1152, 1152), (2006, 1920), (2048, 2048)]
)
def test_minimum_and_steps(shared: int, cached: int) -> None:
    """The older rule of one provider, as documented: 2,006 shared tokens read 1,920."""
    assert bill(OFFERS["openai_old"], 1024, shared, 0, 2, 3.0).cached == cached


def relative(offer: Offer, uses: int) -> float:
    """Cost of so many uses of one million tokens, all of them shared, at a price of 1."""
    return bill(offer, 1024, 1_000_000, 0, uses, 1.0).with_cache


def test_prices_and_break_even() -> None:
    five, hour = OFFERS["anthropic_5m"], OFFERS["anthropic_1h"]
    assert [round(relative(five, uses), 9) for uses in (1, 2, 10)] == [1.25, 1.35, 2.15]
    assert [round(relative(hour, uses), 9) for uses in (1, 2, 3)] == [2.0, 2.1, 2.2]
    assert [bill(five, 1024, 1_000_000, 0, uses, 1.0).without for uses in (1, 2, 10)] == [1, 2, 10]
    assert cheaper_from(five, 1024, 2048, 200, 3.0) == 2
    assert cheaper_from(hour, 1024, 2048, 200, 3.0) == 3
    assert cheaper_from(OFFERS["openai_old"], 1024, 2048, 200, 3.0) == 2, "writing is free, one use saves 0"
    assert bill(five, 1024, 2048, 0, 1, 3.0).saved == pytest.approx(-0.25)


def test_below_the_minimum_one_pays_as_without() -> None:
    one = bill(OFFERS["anthropic_5m"], 4096, 2006, 200, 10, 3.0)
    assert (one.cached, one.with_cache) == (0, one.without)
    assert one.without == pytest.approx(10 * 2206 * 3 / 1e6)
    assert cheaper_from(OFFERS["anthropic_5m"], 4096, 2006, 200, 3.0) is None


def test_storage_is_paid_where_it_is_asked_for() -> None:
    kept = bill(OFFERS["gemini_explicit"], 2048, 1_000_000, 0, 2, 1.0, storage=1.0)
    assert kept.with_cache == pytest.approx(1.1 + 1.0)
    assert cheaper_from(OFFERS["gemini_explicit"], 2048, 1_000_000, 0, 1.0, 1.0) == 3
    assert bill(OFFERS["gemini_implicit"], 2048, 1_000_000, 0, 2, 1.0, storage=1.0).with_cache == 1.1


# -- the bet -----------------------------------------------------------------------------------------------


def test_what_is_said_of_some_is_not_said_of_all() -> None:
    assert surcharges() == {"offers": 7, "dearer": 3}
    assert all(offer.prices.read < 1 for offer in OFFERS.values()), "reading costs less at all of them"
    begun = [one.offer_id for one in OFFERS.values() if "first answer has begun" in one.words["en"]["timing"]]
    assert begun == ["anthropic_5m"], "and its other row says: as above"


def test_a_rule_that_comes_to_no_number_is_not_bet_on() -> None:
    assert {offer.offer_id for offer in rules()} == {
        "anthropic_5m", "anthropic_1h", "openai_old", "openai_new", "gemini_explicit",
    }  # fmt: skip
    assert all(f"course.ch09.bet.ask.{offer.offer_id}" in table(lang) for offer in rules() for lang in LANGS)
    assert all(offer.step == 1 or offer.step == 128 for offer in rules()), "128 stands in a sentence"


@given(typed_prompts(), st.integers(0, SEEDS - 1))
@examples(80)
def test_any_prompt_has_its_price(prompt: OwnPrompts, seed: int) -> None:
    one, bet = billed(prompt, seed), asked(prompt, seed)
    cut = TeachingTokenizer()
    system, question = (len(cut.encode(text)) for text in (prompt.system, prompt.messages[1]))
    assert one.tokens == one.manual + system + question
    assert one.minimum in one.offer.minimums
    assert one.manual <= one.shared <= one.tokens
    if one.offer.counts == "marked":
        assert one.shared == one.manual + system
        assert one.read == (one.shared if one.shared >= one.minimum else 0)
    else:
        assert one.read <= one.shared < one.tokens, "the last token is computed"
        assert one.read == 0 or (one.read >= one.minimum and (one.read - one.minimum) % one.offer.step == 0)
        assert one.read + one.offer.step > one.shared or one.shared < one.minimum
    assert bet.truth == one.read
    assert bet.low <= bet.truth <= bet.high
    for answer in {0, one.read, one.tokens}:
        key, words = bet.told(answer)
        assert all(t(key, lang, **words) for lang in LANGS)
    assert all(t(bet.ask, lang, **bet.args) for lang in LANGS)
    assert len({asked(prompt, other).mark for other in range(8)}) > 1


def test_bets_fall_on_both_sides_of_a_minimum() -> None:
    prompt = OwnPrompts("You are a waiter.", (" Is it hot?", " Is it new?", ""))
    found = [billed(prompt, seed) for seed in range(100)]
    assert 20 < sum(one.read == 0 for one in found) < 80
    assert all(one.tokens >= one.minimum for one in found), (
        "the lengths in the question do not say the answer"
    )
    below = {one.offer.below for one in found if one.read == 0}
    assert below == {"silent", "error", "unsaid"}, "each provider has a rule of its own"
    assert asked(prompt, 0).grade(asked(prompt, 0).truth) == "right"
