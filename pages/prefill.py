"""Real prefill · 真算: a Transformer over the engine's block tables, a real clock, and the logits."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.backends.experiments.report import Report
from ui.course.place import opened_at, stands_at
from ui.frame.session import say_each, say_under
from ui.frame.shell import toolbar
from ui.prefill.about import certainty, origin, tell_other
from ui.prefill.chat import chat_panel
from ui.prefill.clock import pair_view, sweep_view
from ui.prefill.engines import engines_lacking, engines_view
from ui.prefill.guess import ask, is_open, tell_guess
from ui.prefill.hardware import hardware_panel
from ui.prefill.opening import opening, refused
from ui.prefill.panels import adding, choice_row, ended_panel, job_panel, measure_row, memory_words
from ui.prefill.prefix import prefix_view
from ui.prefill.sections import SECTION, SECTIONS, choose_section
from ui.prefill.serving import decode_view, saving_view, users_view
from ui.prefill.state import collect, follow, report_of
from ui.prefill.wrong import astray_panel, breaks_view, documents_view

VIEWS: dict[str, Callable[[Report], None]] = {
    "pair": pair_view,
    "sweep": sweep_view,
    "users": users_view,
    "long": pair_view,
    "decode": decode_view,
    "saving": saving_view,
    "prefix": prefix_view,
    "breaks": breaks_view,
    "documents": documents_view,
    "engines": engines_view,
}
"""Sections that show one report: what came with the lab, or what was measured here."""

PANELS: dict[str, Callable[[], None]] = {
    "chat": chat_panel,
    "hardware": hardware_panel,
}
"""Sections that draw themselves."""


def render() -> None:
    """One experiment at a time: what was measured, and a button to measure it here."""
    toolbar()
    collect()
    _head()
    first = opened_at("prefill", SECTIONS)
    name = choose_section(first)
    if name != (first or SECTIONS[0]):
        stands_at("prefill", name)
    if name in PANELS:
        st.markdown(say_under(f"prefill.{name}.intro"))
        memory_words()
        job_panel(name)
        PANELS[name]()
    else:
        _experiment(name)
    follow()


def _head() -> None:
    """Title, what computes, and two drawers: in one row, so that the chart stands above the fold."""
    with st.container(key="prefill-head"):
        title, choice, drawers = st.columns([4, 13, 6], vertical_alignment="center")
        with title:
            st.header(say_each("prefill.title"), anchor=False, help=say_under("prefill.intro"))
        with choice:
            choice_row()
        with drawers, st.container(horizontal=True, horizontal_alignment="right"):
            adding()
            opening(VIEWS, SECTION)
    refused()


def _experiment(name: str) -> None:
    """What was measured, and the button beside the sentence that says what is at stake."""
    report, whence = report_of(name)
    words, button = st.columns([3, 2], vertical_alignment="center")
    with words:
        st.markdown(say_under(f"prefill.{name}.intro"))
    with button:
        measure_row(name, whence)
    ended_panel(name)
    if report is not None:
        tell_other(report, whence)
    if report is not None and not whence and is_open(name):
        ask(name)
        return
    if report is not None:
        tell_guess(name, report)
        origin(report, whence)
        VIEWS[name](report)
        certainty(report)
    if name == "breaks":
        astray_panel()
    if name == "engines":
        engines_lacking()


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
