"""Real prefill · 真算: a Transformer over the engine's block tables, a real clock, and the logits."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.backends.experiments.report import Report
from ui.course.place import opened_at, stands_at
from ui.frame.session import say, say_each, say_under
from ui.frame.shell import toolbar
from ui.prefill.about import certainty, origin
from ui.prefill.chat import chat_panel
from ui.prefill.clock import pair_view, sweep_view
from ui.prefill.engines import engines_lacking, engines_view
from ui.prefill.guess import ask, is_open, tell_guess
from ui.prefill.hardware import hardware_panel
from ui.prefill.opening import opening, refused
from ui.prefill.panels import adding, choice_row, job_panel, measure_row, memory_words
from ui.prefill.prefix import prefix_view
from ui.prefill.serving import decode_view, saving_view, users_view
from ui.prefill.state import collect, follow, report_of, state
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

SECTIONS = (*VIEWS, *PANELS)
PAGE, _SECTION = "prefill", "prefill_section"


def render() -> None:
    """One experiment at a time: what was measured, and a button to measure it here."""
    toolbar()
    collect()
    _head()
    name = _section()
    if name in PANELS:
        st.markdown(say_under(f"prefill.{name}.intro"))
        memory_words()
        job_panel()
        PANELS[name]()
    else:
        _experiment(name)
    follow()


def _head() -> None:
    """Title, what computes, and two drawers: in one row, so that the chart stands above the fold."""
    with st.container(key="prefill-head"):
        title, choice, drawers = st.columns([2, 6, 3], vertical_alignment="bottom")
        with title:
            st.header(say_each("prefill.title"), anchor=False, help=say_under("prefill.intro"))
        with choice:
            choice_row()
        with drawers, st.container(horizontal=True, horizontal_alignment="right"):
            adding()
            opening(VIEWS, _SECTION)
    refused()


def _experiment(name: str) -> None:
    """What was measured, and the button beside the sentence that says what is at stake."""
    report, whence = report_of(name)
    words, button = st.columns([3, 2], vertical_alignment="center")
    with words:
        st.markdown(say_under(f"prefill.{name}.intro"))
    with button:
        measure_row(name, whence)
    memory_words()
    job_panel()
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


def _section() -> str:
    """The one that the link names, and after a reload again."""
    now = state()
    first = opened_at(PAGE, SECTIONS)
    st.session_state.setdefault(_SECTION, first or now.section)
    if first != now.section and st.session_state[_SECTION] == now.section and first is not None:
        st.session_state[_SECTION] = first  # the address was changed in the middle of a visit
    words = {name: say_each(f"prefill.{name}.title") for name in SECTIONS}
    chosen = st.pills(
        say("prefill.title"),
        SECTIONS,
        format_func=words.__getitem__,
        label_visibility="collapsed",
        required=True,
        key=_SECTION,
    )
    now.section = chosen or now.section
    if now.section != (first or SECTIONS[0]):
        stands_at(PAGE, now.section)
    return now.section


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
