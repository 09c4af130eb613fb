"""Your traffic · 你的流量: what a log of requests would gain from the cache, and why each request missed."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.errors import BrothError
from core.traffic.analysis import Analysis
from pages.navigation import page
from ui import session
from ui.controls import link_notice
from ui.session import say
from ui.shell import toolbar
from ui.traffic_compare import compare_view
from ui.traffic_misses import misses_view
from ui.traffic_more import sources_view, sweeps_view
from ui.traffic_open import open_request
from ui.traffic_source import log_summary, progress_in, source_panel
from ui.traffic_state import Log, analysis_of, state
from ui.traffic_view import overview, settings_row, without_identity

VIEWS: dict[str, Any] = {
    "overview": overview,
    "misses": misses_view,
    "sources": sources_view,
    "sweeps": sweeps_view,
    "compare": compare_view,
}


def render() -> None:
    """The log, the settings, one of five views."""
    toolbar()
    link_notice()
    st.header(say("traffic.title"), anchor=False)
    st.markdown(say("traffic.intro"))
    log = source_panel()
    st.caption(say("traffic.privacy"))
    if log is None:
        return
    log_summary(log)
    if not log.trace.has_identity:
        without_identity(log)
        return
    analysis = _analysis(log)
    if analysis is not None:
        _views(log, analysis)


def _analysis(log: Log) -> Analysis | None:
    cost = session.machine().cost()
    now = state()
    fits = cost.blocks_that_fit(now.block_size or log.trace.block_size or 16)
    place = st.empty()
    try:
        settings = settings_row(log, fits)
        return analysis_of(log, settings, progress_in(place, "traffic.rerunning"))
    except BrothError as error:
        session.show_error(error)
        return None
    finally:
        place.empty()


def _views(log: Log, analysis: Analysis) -> None:
    now = state()
    st.session_state.setdefault("traffic_view", now.view)
    words = {one: say(f"traffic.view.{one}") for one in VIEWS}
    chosen = st.segmented_control(
        say("traffic.view"),
        list(VIEWS),
        format_func=words.__getitem__,
        key="traffic_view",
        label_visibility="collapsed",
    )
    now.view = chosen or now.view

    def open_it(number: int) -> None:
        open_request(log, analysis, number, page("execute"))

    try:
        VIEWS[now.view](log, analysis, open_it)
    except BrothError as error:
        session.show_error(error)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
