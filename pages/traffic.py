"""Your traffic · 你的流量: what a log of requests would gain from the cache, and why each request missed."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.errors import BrothError
from core.traffic.analysis import Analysis, analyse
from core.traffic.settings import Settings
from pages.held import held_words
from pages.navigation import page
from ui.frame.session import lang_mode, say, say_each, show_error
from ui.frame.shell import toolbar
from ui.machine.machine import MACHINE
from ui.traffic.basis import basis_line, bound_line, log_summary, notes_panel, sample_line
from ui.traffic.compare import compare_view
from ui.traffic.events import events_view
from ui.traffic.groups import sources_view
from ui.traffic.misses import all_misses, misses_view
from ui.traffic.open import open_request
from ui.traffic.panels import Panels
from ui.traffic.settings import settings_row
from ui.traffic.source import privacy, source_panel
from ui.traffic.state import Log, analysis_key, choose, chosen
from ui.traffic.sweeps import sweeps_view
from ui.traffic.view import overview, without_identity
from ui.traffic.work import work
from ui.usage.beside import reported_first, reported_sources_view
from ui.usage.view import has_usage, usage_view
from ui.words.i18n import languages, t

VIEWS: dict[str, Any] = {
    "overview": overview,
    "misses": misses_view,
    "sources": sources_view,
    "sweeps": sweeps_view,
    "compare": compare_view,
    "usage": usage_view,
}


def render() -> None:
    """The log, the settings, one of its views."""
    toolbar()
    log = _head()
    if log is None:
        return
    if log.trace.events is not None:
        events_view(log, log.trace.events, page("execute"))
        return
    if not log.trace.has_identity:
        if has_usage(log.trace):
            usage_view(log)
            reported_sources_view(log)
        else:
            without_identity(log)
        return
    try:
        analysis = _analysis(log)
        if analysis is not None:
            _views(log, analysis)
    except BrothError as error:
        show_error(error)


def _head() -> Log | None:
    """A title, a row of controls, a line of what was read: the finding shall stand on the first screen."""
    with st.container(key="traffic-head", gap="small"):
        st.header(say_each("traffic.title"), anchor=False)
        intro = st.container()
        row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="traffic-row")
        panels = Panels(row)
        log = source_panel(panels)
        if log is not None:
            notes_panel(panels, log)
        held = panels.add("held", say("held.title"))
        if "other" not in panels.standing:
            held.caption(privacy())
        held_words(held)
        panels.draw()
        if log is None or log.key[0] == "sample":
            for one in languages(lang_mode()):
                intro.markdown(t("traffic.intro", one))
        if log is not None:
            log_summary(log)
    return log


def _analysis(log: Log) -> Analysis | None:
    size = chosen().a.block_size or log.trace.block_size or 16
    settings = settings_row(log, MACHINE.get().cost().blocks_that_fit(size))
    return analysis_under(log, settings)


def analysis_under(log: Log, settings: Settings) -> Analysis | None:
    """The log under these settings; None if a person stopped the work."""
    return work(analysis_key(log, settings), lambda tell: analyse(log.trace, settings, tell))


def _views(log: Log, analysis: Analysis) -> None:
    views = [one for one in VIEWS if one != "usage" or has_usage(log.trace)]
    if st.session_state.setdefault("traffic_view", chosen().view) not in views:
        st.session_state["traffic_view"] = views[0]
    words = {one: say(f"traffic.view.{one}") for one in views}
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="traffic-views"):
        found = st.segmented_control(
            say("traffic.view"),
            views,
            format_func=words.__getitem__,
            key="traffic_view",
            label_visibility="collapsed",
            wrap=True,
        )
        choose(view=found or (chosen().view if chosen().view in views else views[0]))
        basis_line(log, analysis.settings)
    bound_line(log, analysis.settings)

    def open_it(number: int, settings: Settings | None = None, of_log: Log | None = None) -> None:
        shown_log = of_log or log
        shown = analysis if settings is None else analysis_under(shown_log, settings)
        if shown is not None and all_misses(shown_log, shown) is not None:
            open_request(shown_log, shown, number, page("execute"))

    if chosen().view == "overview":
        reported_first(log)
    VIEWS[chosen().view](log, analysis, open_it)
    if chosen().view == "overview":
        reported_sources_view(log)
    sample_line(log, analysis)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
