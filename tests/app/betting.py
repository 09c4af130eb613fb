"""A visitor bets: finds the bet of a place on the page, answers it, and what the link then says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import calm
from ui.course.said import Said, from_query
from ui.words.i18n import Lang


def speak(monkeypatch: pytest.MonkeyPatch, lang: Lang) -> None:
    """Streamlit's test tool asks a widget for its words outside the session that knows the language."""
    monkeypatch.setattr("ui.course.bets.lang", lambda: lang)


def widget_of(at: AppTest, chapter: str, place: str = "a") -> Any:
    """What the bet is answered with; LookupError once it is answered."""
    for kind in (at.select_slider, at.number_input, at.radio):
        for widget in kind:
            if (widget.key or "").startswith(f"bet-{chapter}-{place}-"):
                return widget
    raise LookupError(f"{chapter} has no open bet at {place}")


def is_open(at: AppTest, chapter: str, place: str = "a") -> bool:
    """Whether nobody has answered it yet."""
    try:
        return widget_of(at, chapter, place).value is None
    except LookupError:
        return False


def commit(at: AppTest, chapter: str, answer: float, place: str = "a") -> Said:
    """Answer the bet; what is kept of it, in the session and in the link."""
    widget_of(at, chapter, place).set_value(answer)
    calm(at.run())
    start = f"bet-{chapter}-{place}-"
    button = next(
        one for one in at.button if (one.key or "").startswith(start) and (one.key or "").endswith("-commit")
    )
    button.click()
    calm(at.run())
    kept, lost = from_query({"bets": _one(at.query_params["bets"])})
    assert lost == []
    said: Said = at.session_state["bets"][chapter, place]
    assert kept[chapter, place] == replace(said, grade="placed"), "no link says how good an answer was"
    return said


def _one(value: str | list[str]) -> str:
    return value if isinstance(value, str) else value[0]
