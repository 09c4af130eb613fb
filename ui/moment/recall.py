"""After a reload: the request that a link says stands on the stage, made again, or why that cannot be."""

from __future__ import annotations

import streamlit as st

from core.errors import BrothError
from ui.frame.session import say, show_error
from ui.machine.machine import MACHINE
from ui.moment.link import MomentLink, show_moment
from ui.moment.shown import ShownMoment, shown_moment
from ui.monitor.deeds import PLAN, WANTED
from ui.monitor.run import LOAD, LoadSession, follow

SLICE_S = 0.5
"""Real seconds of computing between two looks of the progress bar."""

NUM_SLICES = 90
"""Then a person decides whether it shall go on: a load of 20,000 requests takes a minute."""


def recall(link: MomentLink) -> ShownMoment | None:
    """The moment, once the run has been repeated up to it; None: not yet, or never, and the page says so."""
    if link.request_id is None:
        st.info(say("traffic.gone"))
        return None
    try:
        load = _load()
        with st.spinner(say("monitor.opening", name=link.request_id)):
            if not _repeat(load, link):
                st.info(say("monitor.repeat.far", name=link.request_id, seconds=round(load.run.now_s)))
                st.button(say("monitor.repeat.on"), key="moment_repeat")
                return None
            return _moment(load, link, link.request_id)
    except BrothError as error:
        show_error(error)
        return None


def _load() -> LoadSession:
    """This visitor's load; from the link, if the monitor has not been opened yet.

    Raises:
        BrothError: the link's setup cannot run.
    """
    load = LOAD.get()
    if load is None:
        load = follow(PLAN.get(), MACHINE.get())
        load.playing = False
        LOAD.set(load)
    return load


def _repeat(load: LoadSession, link: MomentLink) -> bool:
    """Whether the run stands where it stood. Each slice keeps what it has reached, even if one leaves."""
    place = st.empty()
    for _ in range(NUM_SLICES):
        if load.repeat(link.stood_s, SLICE_S):
            WANTED.set(load.setup)
            load.shown = load.setup
            place.empty()
            return True
        place.progress(min(load.run.now_s / link.stood_s, 1.0))
    place.empty()
    return False


def _moment(load: LoadSession, link: MomentLink, request_id: str) -> ShownMoment:
    with load.lock:
        title, cut = (say(f"monitor.{one}", name=request_id) for one in ("moment", "cut"))
        moment = shown_moment(load.run, request_id, link.at_s, title, cut)
    load.picked = (request_id, link.at_s)
    show_moment(moment, link)
    return moment
