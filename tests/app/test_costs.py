"""The chapters on costs and on two caches: the path, its bet, every folded situation, in every language."""

from __future__ import annotations

import pytest

from core.scenario.tokenizer import TeachingTokenizer
from pages.ch08 import SITUATIONS
from pages.ch09 import VIEWS
from tests.app.betting import commit, is_open, speak
from tests.app.visit import calm, choose, has_stage, payload, press, texts, visit
from ui.course.ch08_costs.path import asked as asked_room
from ui.course.ch09_two_caches.billed import asked as asked_bill
from ui.course.lessons import part, parts
from ui.course.mine import my_tokens, our_prompt
from ui.words.i18n import LANGS, MODES, Lang, LangMode, t
from ui.words.offers import offers


@pytest.mark.parametrize("lang", LANGS)
def test_the_path_on_costs_turns_shows_and_bets(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, lang)
    at = visit("ch08", lang=lang)
    assert not has_stage(at), "what is folded away is not computed"
    cliff = part("ch08", "room_cliff", lang, below=4, enough=5)
    assert not any(one in texts(at) for one in ("83", cliff, part("ch08", "who_limit", lang)))
    choose(at, "ch08-path-slots", 6)
    assert "83" in texts(at)
    assert cliff not in texts(at), "one side alone shows no edge"
    choose(at, "ch08-path-slots", 4)
    assert part("ch08", "room_short", lang, slots=4, evicted=21, kept=3) in texts(at)
    assert cliff in texts(at)
    choose(at, "ch08-needs", 9)
    assert part("ch08", "who_result", lang, needs=9, lost=8, hit=0, tokens=33) in texts(at)
    assert is_open(at, "ch08")
    ours = our_prompt(lang)
    ids = TeachingTokenizer().encode(ours.system + ours.messages[0])
    said = commit(at, "ch08", 0)
    bet = asked_room(ids, said.seed)
    key, words = bet.told(0)
    assert t(key, lang, **words) in "\n".join(one.value for one in at.markdown)
    assert not is_open(at, "ch08")


@pytest.mark.parametrize("lang", LANGS)
def test_the_path_on_two_caches_turns_shows_and_bets(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, lang)
    at = visit("ch09", lang=lang)
    tokens = len(my_tokens(lang)[1])
    assert t("course.ch09.picture", lang, n=tokens) in texts(at), "the visitor's prompt comes first"
    assert not any(one in texts(at) for one in parts("ch09", lang)["one_little"].split("\n"))
    choose(at, "ch09-path", "manual")
    before = texts(at)
    choose(at, f"ch09-path-shared-manual-{tokens}", 640)
    assert t("course.ch09.picture", lang, n=f"{tokens + 1024:,}") in texts(at)
    assert texts(at) != before
    assert is_open(at, "ch09")
    said = commit(at, "ch09", 0)
    bet = asked_bill(our_prompt(lang), said.seed)
    key, words = bet.told(0)
    assert t(key, lang, **words) in "\n".join(one.value for one in at.markdown)


@pytest.mark.parametrize(
    ("page", "place", "key"), [("ch08", "cards", "ch08-situation"), ("ch09", "sold", "ch09-view")]
)
def test_a_link_opens_what_is_folded_and_a_reload_comes_back(page: str, place: str, key: str) -> None:
    opened = visit(page, lang="en", open=f"{page}.{place}")
    assert parts(page, "en")[place].split("\n")[0] in texts(opened)
    chosen = choose(visit(page, lang="en"), key, place)
    assert chosen.query_params["open"] in (f"{page}.{place}", [f"{page}.{place}"])


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
    choose(at, "ch08-situation", "pots")
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
    shown = "one_more" if name == "one" else name
    assert parts("ch09", "en" if lang == "en" else "zh")[shown] in texts(at)


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
