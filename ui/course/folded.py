"""What is folded away under a chapter's path: several things, of which only a chosen one is computed."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.course.page import more
from ui.course.place import opened_at, stands_at


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
