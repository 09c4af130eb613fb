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
