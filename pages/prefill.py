"""Real prefill · 真算: a Transformer over the engine's block tables, a real clock, and the logits."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.backends.experiments.report import Report
from ui.course.place import opened_at
from ui.frame.session import say
from ui.frame.shell import toolbar
from ui.prefill.about import certainty, origin
from ui.prefill.chat import chat_panel
from ui.prefill.clock import pair_view, sweep_view
from ui.prefill.engines import engines_lacking, engines_view
from ui.prefill.hardware import hardware_panel
from ui.prefill.panels import choice_row, job_panel, measure_row
from ui.prefill.prefix import prefix_view
from ui.prefill.serving import decode_view, saving_view, users_view
from ui.prefill.state import collect, report_of, state
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


def render() -> None:
    """One experiment at a time: what was measured, and a button to measure it here."""
    toolbar()
    collect()
    st.header(say("prefill.title"), anchor=False)
    st.markdown(say("prefill.intro"))
    choice_row()
    name = _section()
    st.markdown(say(f"prefill.{name}.intro"))
    if name in PANELS:
        job_panel()
        PANELS[name]()
        return
    report, own = report_of(name)
    measure_row(name, own)
    job_panel()
    if report is not None:
        origin(report, own)
        VIEWS[name](report)
        certainty(report)
    if name == "breaks":
        astray_panel()
    if name == "engines":
        engines_lacking()


def _section() -> str:
    now = state()
    st.session_state.setdefault("prefill_section", opened_at("prefill", SECTIONS) or now.section)
    words = {name: say(f"prefill.{name}.title") for name in SECTIONS}
    chosen = st.pills(
        say("prefill.title"),
        SECTIONS,
        format_func=words.__getitem__,
        label_visibility="collapsed",
        required=True,
        key="prefill_section",
    )
    now.section = chosen or now.section
    return now.section


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
