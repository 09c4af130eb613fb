"""Misconceptions on their page: each of the twenty can be chosen and shows its numbers, in both languages."""

from __future__ import annotations

import pytest

from core.misconceptions import BELIEFS
from pages.ch11 import amount
from tests.app.visit import calm, choose, has_stage, payload, visit
from ui.course.ch11_beliefs.stands import STANDS
from ui.words.i18n import LANGS, Lang, fill, table


@pytest.mark.parametrize("lang", LANGS)
def test_each_belief_can_be_chosen(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ch11.say", lambda key, **args: fill(table(lang)[key], args))
    at = visit("ch11", lang=lang)
    for name, belief in BELIEFS.items():
        at.radio(key="ch11-belief").set_value(name)
        calm(at.run())
        shown = belief.opened()
        assert [one.value for one in at.metric] == [
            amount(shown.believed, shown.unit),
            amount(shown.true, shown.unit),
        ]
        assert has_stage(at) == (shown.scenario is not None or STANDS[name].preset is not None)
        if has_stage(at):
            stage = payload(at)
            assert 0 < stage["flags"]["step"] <= len(stage["a"]["events"])


def test_turning_a_knob_changes_numbers_and_stage() -> None:
    at = visit("ch11", lang="en")
    assert [one.value for one in at.metric] == ["17 tokens computed", "113 tokens computed"]
    choose(at, "ch11-clock-place", "end")
    assert at.metric[1].value == "17 tokens computed"
    pieces = payload(at)["a"]["pieces"]["R1"]
    assert pieces[0] == " system·0"
