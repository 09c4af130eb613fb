"""The chapter on applications: each can be chosen, in both languages, and shows its numbers and its run."""

from __future__ import annotations

import pytest

from tests.app.betting import commit, is_open, speak
from tests.app.visit import choose, has_stage, payload, texts, visit
from ui.course.ch10 import WAYS, applications, outcome
from ui.course.ch10_bet import asked
from ui.course.lessons import part
from ui.course.mine import our_prompt
from ui.words.i18n import LANGS, Lang, t


@pytest.mark.parametrize("lang", LANGS)
def test_each_application_can_be_chosen(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, lang)
    at = visit("ch10", lang=lang)
    commit(at, "ch10", 0)
    for name, app in applications().items():
        choose(at, "ch10-app", name)
        for way in WAYS:
            choose(at, "ch10-way", way)
            rate = t("course.ch10.rate", lang, n=f"{outcome(app, way).percent:.1f}")
            assert [one.value for one in at.metric] == [rate]
            stage = payload(at)
            assert 0 < stage["flags"]["step"] <= len(stage["a"]["events"])


@pytest.mark.parametrize("lang", LANGS)
def test_the_bet_is_on_ones_own_prompt(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, lang)
    at = visit("ch10", lang=lang)
    assert is_open(at, "ch10")
    said = commit(at, "ch10", 0)
    bet = asked(our_prompt(lang), said.seed)
    key, words = bet.told(0)
    assert t(key, lang, **words) in "\n".join(one.value for one in at.markdown)


@pytest.mark.parametrize("lang", LANGS)
def test_no_house_tells_what_hits_before_the_bet(lang: Lang) -> None:
    at = visit("ch10", lang=lang)
    for name, app in applications().items():
        choose(at, "ch10-app", name)
        assert [one.value for one in at.metric] == []
        assert not has_stage(at)
        assert not [one for one in at.button_group if one.key == "ch10-way"]
        assert part("ch10", f"{name}_shared", lang, **app.reported) in texts(at)
        assert part("ch10", f"{name}_breaks", lang, **app.reported) not in texts(at)
        drawn = next(one.proto for one in at.get("plotly_chart"))
        assert "✓" not in drawn.spec, "nor does the picture"


def test_a_link_opens_its_application_and_a_reload_comes_back() -> None:
    at = visit("ch10", lang="en", open="ch10.rag")
    assert at.selectbox(key="ch10-app").value == "rag"
    choose(at, "ch10-app", "judge")
    assert at.query_params["open"] in ("ch10.judge", ["ch10.judge"])


def test_the_other_way_is_another_run() -> None:
    at = visit("ch10", lang="en")
    commit(at, "ch10", 0)
    before = payload(at)["a"]["pieces"]["R1"]
    choose(at, "ch10-way", "broken")
    after = payload(at)["a"]["pieces"]["R1"]
    assert before[0] != after[0]
    assert sum(map(len, before)) == sum(map(len, after)), "the same texts, in another order"
