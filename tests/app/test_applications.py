"""The chapter on applications: each can be chosen, in both languages, and shows its numbers and its run."""

from __future__ import annotations

import pytest

from tests.app.visit import calm, choose, payload, visit
from ui.course.ch10 import WAYS, applications, outcome
from ui.words.i18n import LANGS, Lang, t


@pytest.mark.parametrize("lang", LANGS)
def test_each_application_can_be_chosen(lang: Lang) -> None:
    at = visit("ch10", lang=lang)
    for name, app in applications().items():
        at.radio(key="ch10-app").set_value(name)
        calm(at.run())
        rates = [t("course.ch10.rate", lang, n=f"{outcome(app, way).percent:.1f}") for way in WAYS]
        assert [one.value for one in at.metric] == rates
        stage = payload(at)
        assert 0 < stage["flags"]["step"] <= len(stage["a"]["events"])


def test_the_other_way_is_another_run() -> None:
    at = visit("ch10", lang="en")
    before = payload(at)["a"]["pieces"]["R1"]
    choose(at, "ch10-way", "good")
    after = payload(at)["a"]["pieces"]["R1"]
    assert before[0] != after[0]
    assert sum(map(len, before)) == sum(map(len, after)), "the same texts, in another order"
