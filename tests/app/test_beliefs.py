"""Misconceptions on their page: each of the twenty is judged first, then shown, in both languages."""

from __future__ import annotations

import pytest

from core.misconceptions import BELIEFS
from pages.ch11 import told
from tests.app.betting import commit, is_open, speak
from tests.app.visit import choose, has_stage, payload, texts, visit
from ui.course.ch11_beliefs.claims import PLACES, claim
from ui.course.ch11_beliefs.own import asked
from ui.course.ch11_beliefs.stands import STANDS
from ui.course.lessons import parts
from ui.course.mine import our_prompt
from ui.words.i18n import LANGS, Lang, fill, t, table


@pytest.mark.parametrize("lang", LANGS)
def test_each_belief_is_judged_and_then_shown(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ch11.say", lambda key, **args: fill(table(lang)[key], args))
    at = visit("ch11", lang=lang)
    for number, name in enumerate(BELIEFS):
        choose(at, "ch11-belief", name)
        assert is_open(at, "ch11", PLACES[name])
        assert not has_stage(at), "nothing shows the answer before somebody has judged"
        assert t(f"course.ch11.{name}", lang) not in texts(at), "nor does the belief's name"
        said = commit(at, "ch11", number % 2, PLACES[name])
        one = claim(name, said.seed)
        graded = "right" if one.holds == (number % 2 == 0) else "wrong"
        assert t(f"course.bet.{graded}", lang) in texts(at)
        for word, value in (("believed", one.shown.believed), ("true", one.shown.true)):
            assert told(word, value, one.shown.unit) in texts(at)
        assert has_stage(at) == (one.shown.scenario is not None or STANDS[name].preset is not None)
        if has_stage(at):
            stage = payload(at)
            assert 0 < stage["flags"]["step"] <= len(stage["a"]["events"])
    assert t("course.ch11.tried", lang, n=20, total=20, right=0).split("20")[0] in texts(at)


@pytest.mark.parametrize("lang", LANGS)
def test_the_last_bet_is_on_ones_own_prompt(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, lang)
    at = visit("ch11", lang=lang)
    said = commit(at, "ch11", 0)
    bet = asked(our_prompt(lang), said.seed)
    key, words = bet.told(0)
    assert t(key, lang, **words) in "\n".join(one.value for one in at.markdown)


def test_turning_a_knob_changes_numbers_and_stage() -> None:
    at = visit("ch11", lang="en")
    commit(at, "ch11", 0, PLACES["clock"])
    choose(at, "ch11-clock-place", "front")
    assert "What happens: **113 tokens computed**" in texts(at)
    choose(at, "ch11-clock-place", "end")
    assert "What happens: **17 tokens computed**" in texts(at)
    pieces = payload(at)["a"]["pieces"]["R1"]
    assert pieces[0] == " system·0"


def test_a_link_opens_its_belief_and_the_next_one_follows() -> None:
    at = visit("ch11", lang="en", open="ch11.hash")
    assert at.selectbox(key="ch11-belief").value == "hash"
    commit(at, "ch11", 1, PLACES["hash"])
    assert parts("ch11", "en")["hash_think"] in texts(at)
    next(button for button in at.button if button.key == "ch11-next").click()
    at.run()
    assert at.selectbox(key="ch11-belief").value == "tenants"
    assert at.query_params["open"] in ("ch11.tenants", ["ch11.tenants"])
