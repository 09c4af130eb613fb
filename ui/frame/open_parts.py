"""Tabs and drawers of which only what stands open is drawn: what nobody sees would cost every answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from ui.frame.session import stands_on_one

Draw = Callable[[], object]


def draw_open_tab(key: str, parts: Mapping[str, tuple[str, Draw]]) -> None:
    """Tabs, the open one drawn. ``parts``: name -> title, and what draws it. Which one is open is kept in the
    session under ``key``, by name, so that it outlives another page and another language."""
    widget = f"{key}_widget"
    names = {title: name for name, (title, _) in parts.items()}

    def changed() -> None:
        if stands_on_one(widget, names):
            st.session_state[key] = names[st.session_state[widget]]

    now = st.session_state.get(key, next(iter(parts)))
    st.session_state[widget] = parts[now][0]
    tabs = st.tabs(list(names), key=widget, on_change=changed)
    for tab, (_, draw) in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def draw_if_open(key: str, title: str, draw: Draw) -> None:
    """A drawer, shut at first. ``key``: of the widget; true in the session while it is open."""
    drawer = st.expander(title, key=key, on_change="rerun")
    if drawer.open:
        with drawer:
            draw()
