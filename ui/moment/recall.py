"""After a reload: the request that a link says stands on the stage, made again, or why that cannot be."""

from __future__ import annotations

import streamlit as st

from core.errors import BrothError
from ui.frame.session import say, show_error
from ui.moment.link import MomentLink, show_moment
from ui.moment.shown import ShownMoment, shown_moment
from ui.monitor.repeat import repeat_to, this_load
from ui.monitor.run import LoadSession


def recall(link: MomentLink) -> ShownMoment | None:
    """The moment, once the run has been repeated up to it; None: not yet, or never, and the page says so."""
    if link.request_id is None:
        st.info(say("traffic.gone"))
        return None
    try:
        load = this_load()
        with st.spinner(say("monitor.opening", name=link.request_id)):
            if not repeat_to(load, link.stood_s):
                st.info(say("monitor.repeat.far", name=link.request_id, seconds=round(load.run.now_s)))
                st.button(say("monitor.repeat.on"), key="moment_repeat")
                return None
            return _moment(load, link, link.request_id)
    except BrothError as error:
        show_error(error)
        return None


def _moment(load: LoadSession, link: MomentLink, request_id: str) -> ShownMoment:
    with load.lock:
        title, cut = (say(f"monitor.{one}", name=request_id) for one in ("moment", "cut"))
        moment = shown_moment(load.run, request_id, link.at_s, title, cut)
    load.picked = (request_id, link.at_s)
    show_moment(moment, link)
    return moment
