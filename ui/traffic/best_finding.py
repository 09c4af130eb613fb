"""The dearest cause as one sentence under the headline, so that a low rate is no dead end."""

from __future__ import annotations

import streamlit as st

from core.traffic.analysis import Analysis, misses_of
from core.traffic.diagnosis.findings import Finding
from core.traffic.diagnosis.ranking import find_causes
from ui.frame.session import lang, say
from ui.traffic.findings import path_code
from ui.traffic.state import MANY, Log, choose, state
from ui.traffic.words import rate_words
from ui.traffic.work import work


def best_finding(log: Log, analysis: Analysis) -> Finding | None:
    """Where the diagnosis runs by itself: the cause whose repair leaves the fewest tokens to compute."""
    under = (log.key, analysis.settings)
    keys = ("misses", *under), ("causes", *under)
    if len(analysis.requests) > MANY or not state().stopped.isdisjoint(keys):
        return None
    misses = work(keys[0], lambda tell: misses_of(analysis, tell), "traffic.looking")
    if misses is None:
        return None
    found = work(keys[1], lambda tell: find_causes(analysis, misses, log.options.tokenizer, tell))
    return found[0] if found else None


def finding_line(one: Finding, analysis: Analysis) -> None:
    """What it is, where, what the rate is without it, and the way to all of them."""
    bound = analysis.lower_bound
    told = {
        "cause": say(f"traffic.cause.{one.cause}"),
        "before": rate_words(one.rate_before, bound, lang()),
        "after": rate_words(one.offers[one.advised].rate_after, bound, lang()),
    }
    if one.path:
        words = say("traffic.finding.first.at", path=path_code(one.path), **told)
    else:
        words = say("traffic.finding.first", **told)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="traffic-finding"):
        st.markdown(words, width="content")
        st.button(say("traffic.finding.look"), key="traffic_finding_look", on_click=_look)


def _look() -> None:
    st.session_state["traffic_view"] = "misses"
    choose(view="misses")
