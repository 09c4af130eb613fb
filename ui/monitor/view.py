"""The monitor as a component of a page."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.components.v2 import component

from ui.frame.static_files import loader_js
from ui.monitor.payload import Payload
from ui.stage.payload import to_bytes

_KEY = "monitor"
# Paused, charts take the strips' place; until they are drawn, the strips stay.
# Streamlit pales what a rerun may replace; a picture that is replaced every second would flicker.
_STYLE = """<style>
.st-key-monitor-frame [data-stale="true"]{opacity:1!important;transition:none!important}
.st-key-load-body{position:relative}
.st-key-load-body,.st-key-load-strips{gap:0}
.st-key-load-warm,.st-key-load-charts{position:absolute;visibility:hidden;height:0;overflow:hidden;left:0;top:0}
.st-key-load-warm{width:300px}
.st-key-load-charts{width:calc((100% - 1rem)*.75)}
.st-key-load-body:has(.st-key-load-charts .main-svg){
display:grid;grid-template-columns:1fr 3fr;column-gap:1rem;--monitor-columns:1fr;--monitor-main:none}
.st-key-load-charts:has(.main-svg){position:static;visibility:visible;height:auto;width:100%}
@media (max-width:900px){
.st-key-load-charts{width:100%}
.st-key-load-body:has(.st-key-load-charts .main-svg){grid-template-columns:1fr}
}
</style>"""
_mount = component("broth_monitor", js=loader_js("monitor/monitor.js"))


def show_monitor(payload: Payload, hear: Callable[[object], None]) -> None:
    """Draw the load. ``hear`` is told that a person pauses it or lets it go on, and that the browser lacks
    bins that were sent before."""

    def told() -> None:
        hear(getattr(st.session_state.get(_KEY), "told", None))

    with st.container(key="monitor-frame"):
        st.html(_STYLE)
        _mount(key=_KEY, data=to_bytes(payload), on_told_change=told)
