"""Every chapter in every language: it renders, and its stage stands on a step that the run has."""

from __future__ import annotations

import pytest

from pages.navigation import CHAPTERS
from tests.app.visit import has_stage, payload, texts, visit
from ui.i18n import MODES, LangMode, languages, t


@pytest.mark.parametrize("lang", MODES)
@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_renders(name: str, lang: LangMode) -> None:
    at = visit(name, lang=lang)
    assert [error.value for error in at.error] == []
    assert all(t(f"course.{name}.title", one) in texts(at) for one in languages(lang))
    if has_stage(at):
        shown = payload(at)
        assert 0 < shown["flags"]["step"] <= len(shown["a"]["events"])


def test_another_situation_opens_on_its_own_step() -> None:
    """The step in the address belongs to the run before."""
    at = visit("ch05", lang="en")
    assert payload(at)["flags"]["go"] is None, "a link's own step is left alone"
    at.button_group(key="ch05-situation").set_value("version")
    at.run()
    shown = payload(at)
    token, step = shown["flags"]["go"]
    assert step == shown["flags"]["step"]
    assert shown["a"]["events"][step - 1]["cap"] == "miss.version"
    at.run()
    assert payload(at)["flags"]["go"] == [token, step], "asked for once"
