"""Finish · 收尾: what the run saved, where the rest went, what was believed before, and everything to take home."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import BrothError
from pages.navigation import page
from ui import session
from ui.controls import link_notice, scenario_picker
from ui.export.panel import export_panel
from ui.finish_quiz import quiz_panel, recap_panel
from ui.session import Run, say
from ui.shell import toolbar


def render() -> None:
    """Report first, then bet and quiz, then the recap and the files."""
    toolbar(scenario_picker)
    link_notice()
    run = _run()
    st.divider()
    st.subheader(say("finish.quiz.title"), anchor=False)
    quiz_panel(_guided)
    st.subheader(say("finish.recap.title"), anchor=False)
    recap_panel()
    st.subheader(say("export.title"), anchor=False)
    export_panel(run)


def _run() -> Run | None:
    """The run of the setup, or none with the reason on the page."""
    try:
        return session.current_run()
    except BrothError as error:
        session.show_error(error)
        return None


def _guided() -> None:
    session.change_setup(replace(session.setup(), mode="guided"))
    session.go_to_step(0)
    st.switch_page(page("execute"))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
