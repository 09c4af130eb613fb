"""What is folded away under a chapter's path: several things, of which only what is open is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.course.page import more
from ui.course.place import opened_at, stands_at
from ui.frame.open_parts import draw_if_open


def pick_folded(
    chapter: str, title: str, label: str, names: Mapping[str, str], key: str
) -> tuple[DeltaGenerator, str] | None:
    """Where to draw, and what; None while nothing is chosen. A link that names one of them opens it."""
    opened = opened_at(chapter, names)
    folded = more(title, opened is not None)
    with folded:
        chosen: str | None = st.selectbox(
            label,
            list(names),
            None if opened is None else list(names).index(opened),
            format_func=names.__getitem__,
            key=key,
            placeholder=label,
            label_visibility="collapsed",
        )
    if chosen is None:
        return None
    stands_at(chapter, chosen)
    return folded, chosen


def draw_folded(chapter: str, parts: Mapping[str, tuple[str, Callable[[], object]]]) -> None:
    """Drawers, each drawn while it stands open. ``parts``: name -> title, and what draws it. A link that
    names one of them opens it, and a reload comes back to one that is open."""
    opened = opened_at(chapter, parts)
    keys = {name: f"{chapter}-more-{name}" for name in parts}
    if opened is not None:
        st.session_state.setdefault(keys[opened], True)
    for name, (title, draw) in parts.items():
        draw_if_open(keys[name], title, draw)
    now = [name for name, key in keys.items() if st.session_state.get(key)]
    if now and opened not in now:
        stands_at(chapter, now[-1])
