"""The chapters on costs and on two caches: every situation, in every language."""

from __future__ import annotations

import pytest

from pages.ch08 import SITUATIONS
from pages.ch09 import VIEWS
from tests.app.visit import calm, choose, has_stage, payload, press, texts, visit
from ui.course.ch09_two_caches.providers import offers
from ui.course.lessons import parts
from ui.words.i18n import MODES, LangMode, t


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("name", SITUATIONS)
def test_each_cost_is_shown(name: str, lang: LangMode) -> None:
    at = choose(visit("ch08", lang=lang), "ch08-situation", name)
    assert [error.value for error in at.error] == []
    first = "en" if lang == "en" else "zh"
    assert parts("ch08", first)[name] in texts(at)
    if has_stage(at):
        shown = payload(at)
        assert 0 < shown["flags"]["step"] <= len(shown["a"]["events"])


def test_new_weights_untold_open_on_the_wrong_hit() -> None:
    at = choose(visit("ch08", lang="en"), "ch08-situation", "version")
    told = payload(at)
    assert told["a"]["events"][told["flags"]["step"] - 1]["cap"] == "miss.version"
    at.radio(key="ch08-told").set_value("no")
    calm(at.run())
    untold = payload(at)
    event = untold["a"]["events"][untold["flags"]["step"] - 1]
    assert (event["op"], event["rid"]) == ("touch", "R2")
    assert t("course.ch08.verdict.wrong", "en") in texts(at)


def test_every_pot_every_answer_and_every_time_to_live_has_its_step() -> None:
    at = visit("ch08", lang="en")
    for pots in (1, 3, 4, 8):
        shown = payload(choose(at, "ch08-pots", pots))
        op = shown["a"]["events"][shown["flags"]["step"] - 1]["op"]
        assert op == ("evict" if pots < 4 else "touch")
    at = choose(at, "ch08-situation", "decode")
    for answer in (4, 20, 36):
        assert has_stage(choose(at, "ch08-answer", answer))
    at = choose(at, "ch08-situation", "ttl")
    for ttl in (4, 14, 20):
        assert has_stage(choose(at, "ch08-ttl", ttl))


def test_the_cards_go_wrong_one_by_one_and_not_when_atomic() -> None:
    at = choose(visit("ch08", lang="en"), "ch08-situation", "cards")
    assert "A stale pointer" in texts(at)
    at.radio(key="ch08-atomic").set_value("yes")
    calm(at.run())
    assert "stale" not in texts(at)
    assert "In 0 of 200 orders" in texts(at)


def test_hashing_is_measured_here_on_demand() -> None:
    at = choose(visit("ch08", lang="en"), "ch08-situation", "overhead")
    press(at, "ch08-measure")
    assert at.session_state["ch08_overhead"].look_up_us > 0


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("name", VIEWS)
def test_each_view_of_two_caches_is_shown(name: str, lang: LangMode) -> None:
    at = choose(visit("ch09", lang=lang), "ch09-view", name)
    assert [error.value for error in at.error] == []
    assert parts("ch09", "en" if lang == "en" else "zh")[name] in texts(at)


def test_the_warm_up_button_changes_what_the_first_user_waits() -> None:
    at = choose(visit("ch09", lang="en"), "ch09-view", "warm")
    assert "Press the button" in texts(at)
    press(at, "ch09-warm-button")
    assert "Now the first user waits **18.2 ms** too, instead of 48.9 ms" in texts(at)
    press(at, "ch09-warm-button")
    assert "Press the button" in texts(at)


def test_another_question_is_answered_wrongly_by_the_semantic_cache_only() -> None:
    at = choose(visit("ch09", lang="en"), "ch09-view", "four")
    assert "gives the old answer, and it is wrong" in texts(at)
    choose(at, "ch09-threshold", 0.9)
    assert "it is wrong" not in texts(at)
    choose(at, "ch09-second", "same")
    assert "gives the old answer, nothing is computed" in texts(at)


def test_the_calculator_says_when_nothing_is_cached_and_when_it_costs_more() -> None:
    at = choose(visit("ch09", lang="en"), "ch09-view", "sold")
    assert "Cheaper from use **2** on" in texts(at)
    choose(at, "ch09-uses", 1)
    assert "dearer" in texts(at)
    choose(at, "ch09-prefix", 500)
    assert "**nothing is cached**" in texts(at)
    for offer in offers():
        choose(at, "ch09-offer", offer.offer_id)
