"""The lecture as a component that is the whole page: no bar above it, no margins."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.components.v2 import component

from ui.frame.static_files import loader_js
from ui.stage.payload import to_bytes
from ui.words.palette import PALETTE

_KEY = "lecture"
# What Streamlit draws around a page is not for a projector; nor is a word that the server is away: the
# lecture goes on without it.
_STYLE = """<style>
.stApp:has(.st-key-lecture-whole) :is(.stAppHeader,.stSidebar,[data-testid=stToolbar]){display:none}
body .stApp:has(.st-key-lecture-whole)::after{display:none!important}
.stApp:has(.st-key-lecture-whole) .stMainBlockContainer{padding:0}
.stApp:has(.st-key-lecture-whole) :is(.stMain,.stAppViewContainer){overflow:hidden}
</style>"""

_mount = component("broth_lecture", js=loader_js("lecture/lecture.js"))


def show_lecture(payload: Mapping[str, object]) -> None:
    """Draw the lecture, or its notes, as ``payload`` says (``ui.lecture.payload.Lecture``). All that a press
    changes stays in the browser: a lecture asks the server for nothing more."""
    with st.container(key="lecture-whole"):
        st.html(_STYLE)
        _mount(key=_KEY, data=to_bytes({**payload, "palette": PALETTE}))
