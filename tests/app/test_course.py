"""Every chapter in every language: it renders, and its stage stands on a step that the run has."""

from __future__ import annotations

import pytest

from pages.navigation import CHAPTERS
from tests.app.visit import calm, has_stage, payload, press, texts, visit
from ui.words.i18n import MODES, LangMode, languages, t


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


def test_the_small_cache_is_stepped_through() -> None:
    at = visit("ch13", lang="en")
    opened = at.slider(key="ch13-place").value
    assert t("course.ch13.line.look_up.6", "en") in texts(at)
    press(at, "ch13-forth")
    assert at.slider(key="ch13-place").value == opened + 1
    press(at, "ch13-request")
    assert t("course.ch13.now", "en", n=3, total=4, tokens="5 6 7 8 300 301") in texts(at)
    at.text_area[0].set_value("1 2 3\n1 2 4")
    calm(at.run())
    assert t("course.ch13.now", "en", n=2, total=2, tokens="1 2 4") in texts(at), "a new run opens at its hit"
    at.text_area[0].set_value("print(1)")
    calm(at.run())
    assert len(at.warning) == 1


@pytest.mark.parametrize(("line", "key"), [(5, "true"), (0, "false")])
def test_a_fault_is_told_once_a_line_is_picked(line: int, key: str) -> None:
    at = visit("ch13", lang="en")
    assert t("course.ch13.bug.phantom.answer", "en") not in texts(at)
    at.radio(key="ch13-bug-phantom").set_value(line)
    calm(at.run())
    assert t("course.ch13.bug.phantom.answer", "en") not in texts(at), "choosing is not yet saying"
    press(at, "ch13-bug-phantom-commit")
    assert at.radio(key="ch13-bug-phantom").disabled
    assert t(f"course.ch13.bug.{key}", "en") in texts(at)
    assert t("course.ch13.bug.phantom.result", "en", got=4, true=0) in texts(at)
