"""The act as a component of the front page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from ui.act.payload import act_payload
from ui.frame.session import lang_mode
from ui.frame.static_files import loader_js
from ui.stage.payload import to_bytes
from ui.stage.setup import SETUP, preset_ids

_KEY = "act"
_TAKEN = "act_taken"
# From edge to edge, and under the bar as high as the screen allows: all of it is to be seen without scrolling.
_STYLE = """<style>
.st-key-act-frame{gap:0;margin-inline:-1.5rem;width:calc(100% + 3rem)!important;max-width:none!important}
.st-key-act-frame .stElementContainer:has(.stHtml){display:none}
@media (min-width:1000px){.st-key-act-frame{margin-top:-1rem}}
</style>"""
_mount = component("broth_act", js=loader_js("act/act.js"))


def show_act(to_stage: Callable[[], None]) -> None:
    """Draw the act. ``to_stage`` leads to the run of the path that was chosen in it, asked at each turn."""
    if st.session_state.pop(_TAKEN, False):
        to_stage()
    with st.container(key="act-frame"):
        st.html(_STYLE)
        _mount(key=_KEY, data=to_bytes(act_payload(lang_mode())), on_take_change=_take)


def _take() -> None:
    """What was chosen comes from a browser."""
    told: Any = getattr(st.session_state.get(_KEY), "take", None)
    if told in preset_ids():
        SETUP.set(replace(SETUP.get().with_scenario(told), mode="guided"))
        st.session_state[_TAKEN] = True
