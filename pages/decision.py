"""Decision · 决策: how much memory and how many GPUs a load takes to hold a service level."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import BrothError
from pages.navigation import page
from ui.decision.asked import Asked
from ui.decision.controls import level_row, setup_popover
from ui.decision.job import JOB, TICK_S, SheetJob, job_for
from ui.decision.said import about
from ui.decision.setup import CHOICE, sheet_spec
from ui.decision.setup import to_query as choice_query
from ui.decision.view import formula_popover, show_finding, show_sheet, style, take_along
from ui.frame.session import lang, say, show_error
from ui.frame.shell import toolbar
from ui.machine.machine import MACHINE
from ui.machine.machine import to_query as machine_query
from ui.monitor.deeds import WANTED
from ui.monitor.setup import to_query as load_query


def render() -> None:
    """The load that the monitor runs, on more or less memory and GPUs. Computed while the page is open."""
    load = WANTED.get()
    try:
        job = job_for(sheet_spec(load, MACHINE.get(), CHOICE.get()), MACHINE.get().is_listed)
    except BrothError as error:
        toolbar(partial(setup_popover, load))
        show_error(error)
        return
    toolbar(partial(setup_popover, load), partial(_take, job))
    style()
    asked = _asked(job)
    with st.container(key="decision-top"):
        left, right = st.columns([1.5, 1], vertical_alignment="bottom", gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="center", key="decision-about"):
            st.caption(about(asked), width="content")
            st.page_link(page("monitor"), label=say("decision.to_monitor"), width="content")
        finding = st.empty()
    with right:
        level_row()
    with st.container(key="decision-body"):
        st.fragment(_body, run_every=None if job.done else TICK_S)(finding, job.done)
    formula_popover(asked)


def _asked(job: SheetJob) -> Asked:
    return Asked(job.sheet, CHOICE.get(), WANTED.get(), MACHINE.get(), lang(), job.left_s)


def _body(finding: DeltaGenerator, was_done: bool) -> None:
    """What is known, then some more runs: what they give is drawn at the next tick. While there is something
    to compute, only this part of the page runs. ``finding``: where that stands; ``was_done``: as the rest of
    the page was drawn."""
    job = JOB.get()
    assert job is not None, "the page has made it"
    if job.done and not was_done:
        st.rerun()
    asked = _asked(job)
    with finding.container():
        show_finding(asked)
    show_sheet(asked)
    if not job.done:
        try:
            job.tick(asked.choice.level_s, asked.choice.gpus)
        except BrothError as error:
            show_error(error)


def _take(job: SheetJob) -> None:
    """What can be carried away. A download is made at the click, of what is known by then."""
    asked = _asked(job)
    if job.spec.sizes:
        take_along(lambda: replace(asked, sheet=job.sheet), _link())


def _link() -> str:
    """The address that gives this sheet again, without what it does not depend on."""
    parts = urlsplit(st.context.url or "")
    query = load_query(WANTED.get()) | machine_query(MACHINE.get()) | choice_query(CHOICE.get())
    path = parts.path.rpartition("/")[0] + "/decision"
    return urlunsplit((parts.scheme, parts.netloc, path, urlencode(query | {"lang": lang()}), ""))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
