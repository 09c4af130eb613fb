"""What a chapter folds away, each part a place of the page: a link can open the chapter with it unfolded."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ui.course.place import opened_at
from ui.frame.open_parts import draw_if_open
from ui.frame.session import say


def folded(chapter: str, name: str, draw: Callable[[], object]) -> None:
    """A part that is drawn only while it is open; shut at first, unless the link leads to it."""
    key = f"{chapter}-more-{name}"
    if opened_at(chapter, [name]):
        st.session_state.setdefault(key, True)
    draw_if_open(key, say(f"course.{chapter}.more.{name}"), draw)
