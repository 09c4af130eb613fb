"""How a chapter is laid out: a column to read, beside it one picture that stays; what is not on the path is
folded. The rules for it stand in ui/frame/shell.py."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer


def reading(key: str = "a") -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where the text goes, and where the picture: it stays in sight while its text goes by, on a phone above
    it. ``key``: another one for each on a page."""
    with st.container(key=f"reading-{key}"):
        text, beside = st.columns(2, gap="large")
        return text, beside.container(key=f"picture-{key}")


def more(title: str, opened: bool = False, key: str | None = None) -> ExpanderContainer:
    """Folded away: what a reader of the path can do without. With a ``key`` the page hears when it is opened:
    what is drawn only while it is ``.open`` costs nothing before."""
    return st.expander(title, expanded=opened, key=key, on_change="rerun" if key else "ignore")
