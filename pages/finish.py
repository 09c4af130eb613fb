"""Finish · 收尾: what the run saved, where the rest went, what was believed, and files to take home."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.errors import BrothError
from pages.navigation import page
from ui.export.panel import export_panel
from ui.finish.compare import compare_panel, evictions_panel, waterfall_panel
from ui.finish.far import FAR, goal_s
from ui.finish.lines import lines
from ui.finish.load import load_panel
from ui.finish.quiz import quiz_panel, recap_panel
from ui.finish.report import headline_panel, owner_panel, savings_panel
from ui.frame.session import say, show_error
from ui.frame.shell import toolbar
from ui.moment.link import drop_moment
from ui.stage.controls import scenario_picker
from ui.stage.run import Run, current_run, go_to_step
from ui.stage.setup import SETUP


def render() -> None:
    """The load's report, if one ran, then the lesson's, then what was predicted, the recap, the files."""
    toolbar(scenario_picker)
    goal = goal_s()
    FAR.set(goal)
    load_place = st.container(key="finish-load")
    run = _run()
    if run is not None:
        if goal is not None:
            st.divider()
            st.subheader(say("finish.lesson.title"), anchor=False)
            st.caption(say("finish.lesson.not_load"))
        _report(run)
    _section("finish.quiz.title", lambda: quiz_panel(_to_guided))
    _section("finish.recap.title", recap_panel)
    _section("export.title", lambda: export_panel(run))
    if goal is not None:  # last: a load that must be made again takes its time, and the rest can be read
        with load_place:
            load_panel(goal, _to_decision)


def _run() -> Run | None:
    """The run of the setup, or none with the reason on the page."""
    try:
        return current_run()
    except BrothError as error:
        show_error(error)
        return None


def _report(run: Run) -> None:
    found, failed = lines(run)
    report = found[1].report
    headline_panel(report, run[0].config.num_usable)
    owner_panel(report)
    _section("finish.savings.title", lambda: savings_panel(report))
    _section("finish.compare.title", lambda: compare_panel(found, failed))
    _section("finish.share.title", lambda: waterfall_panel(report))
    _section("finish.evictions.title", lambda: evictions_panel(report, run[2]["events"], _to_step))


def _section(title: str, draw: Callable[[], None]) -> None:
    st.subheader(say(title), anchor=False)
    draw()


def _to_step(step: int) -> None:
    drop_moment()
    go_to_step(step)
    st.switch_page(page("execute"))


def _to_decision() -> None:
    st.switch_page(page("decision"))


def _to_guided() -> None:
    SETUP.set(replace(SETUP.get(), mode="guided"))
    _to_step(0)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
