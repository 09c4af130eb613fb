"""The act as a component of the front page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st
from streamlit.components.v2 import component

from ui.act.payload import act_payload
from ui.frame.kept import Kept
from ui.frame.session import lang_mode
from ui.frame.static_files import loader_js
from ui.stage.payload import to_bytes
from ui.stage.setup import SETUP, preset_ids

_KEY = "act"
# From edge to edge and close under the bar: all of it is to be seen without scrolling.
_STYLE = """<style>
.st-key-act-frame{gap:0;margin-inline:-1.5rem;width:calc(100% + 3rem)!important;max-width:none!important}
.st-key-act-frame .stElementContainer:has(.stHtml){display:none}
@media (min-width:1000px){.st-key-act-frame{margin-top:-1rem}}
</style>"""
TAKEN: Kept[bool] = Kept("act_taken", lambda: False)
"""A run of the path has been chosen in the act; the page leads there."""

_mount = component("broth_act", js=loader_js("act/act.js"))


def show_act(to_stage: Callable[[], None]) -> None:
    """Draw the act. ``to_stage`` leads to the run of the path that was chosen in it, asked at each turn."""
    if TAKEN.get():
        TAKEN.set(False)
        to_stage()
    with st.container(key="act-frame"):
        st.html(_STYLE)
        _mount(key=_KEY, data=to_bytes(act_payload(lang_mode())), on_take_change=_take)


def _take() -> None:
    hear_take(getattr(st.session_state.get(_KEY), "take", None))


def hear_take(told: object) -> None:
    """A run of the path was chosen; who says so is a browser."""
    if isinstance(told, str) and told in preset_ids():
        SETUP.set(replace(SETUP.get().with_scenario(told), mode="guided"))
        TAKEN.set(True)
