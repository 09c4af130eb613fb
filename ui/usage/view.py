"""What happened to my cache: the finding in a sentence, the turns of a session, the bill."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from core.traces.model import Trace
from core.traffic.usage.summary import usage_summary
from ui.frame.kept import Kept
from ui.frame.session import lang, lang_mode, plain, say
from ui.frame.static_files import loader_js
from ui.stage.payload import to_bytes
from ui.traffic.state import Log, choose, chosen, remember
from ui.usage.billed import engine_words
from ui.usage.payload import usage_payload
from ui.usage.prices import Priced, priced, with_prices
from ui.usage.reported import (
    rate_sentences,
    rate_text,
    reading_chip,
    reading_name,
    reading_words,
    unsaid,
)
from ui.usage.rules import prices_panel
from ui.usage.setup import USAGE
from ui.usage.told import (
    Json,
    cost_sentence,
    gathered,
    headline,
    pause_text,
    percent_text,
    resets_sentence,
    session_name,
)
from ui.words.i18n import run_on
from ui.words.numbers import Count
from ui.words.tables import no_formula

_KEY = "usage"
_OF_LOG: Kept[object] = Kept("usage_of_log", lambda: None)
"""Of which log the chosen session is."""

_mount = component("broth_usage", js=loader_js("usage/usage.js"))


def has_usage(trace: Trace) -> bool:
    """Whether the log reports tokens of a cache; counters of a whole engine are not meant."""
    return any(request.usage is not None for request in trace.requests)


def usage_view(log: Log, *_: object) -> None:
    """The whole view; it needs nothing of what the other views need."""
    setup = USAGE.get()
    found = setup.changed(priced(log.trace, setup.rule))
    usage = remember(("usage", log.key, found), lambda: _summary(log.trace, found, bool(setup.edits)))
    if usage is None:
        st.subheader(say("usage.headline.unknown"), anchor=False)
        _rate(log, None)
        return
    _finding(usage, unsaid(log.trace))
    _rate(log, usage)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = _session(log, usage)
        _about(log, usage["sessions"][place])
        prices_panel(found)
    data = usage_payload(usage, place, log.trace.name, reading_chip(log.trace, lang()), lang_mode())
    _mount(key=_KEY, data=to_bytes(data))
    if not log.trace.has_identity:
        st.caption(say("usage.no_identity"))


def _summary(trace: Trace, found: Priced, edited: bool) -> Json | None:
    usage = usage_summary(trace, found)
    return None if usage is None else gathered(with_prices(usage, found, edited))


def _finding(usage: Json, num_unsaid: int) -> None:
    st.subheader(headline(usage, num_unsaid, lang()), anchor=False)
    told = [resets_sentence(usage, num_unsaid, lang()), cost_sentence(usage, lang())]
    st.markdown(no_formula(run_on(told, lang())))


def _rate(log: Log, usage: Json | None) -> None:
    """The reported rate with its bounds or readings, and our engine's beside it."""
    totals = log.trace.reported()
    row = log.trace.ambiguous()
    number, words = st.columns([1, 3], vertical_alignment="center")
    number.metric(
        f"{say('traffic.rate')} · {say('basis.reported')}",
        rate_text(totals, lang()),
        help=say("usage.rate.help"),
    )
    with words:
        st.markdown(run_on(rate_sentences(totals, lang()), lang()))
        if usage is not None and usage["engine"] is not None:
            st.markdown(engine_words(usage["engine"], lang()))
        if row is not None:
            _readings(log)


def _readings(log: Log) -> None:
    """Both readings with their rates; one click takes the other."""
    row, totals = log.trace.ambiguous(), log.trace.reported()
    if row is None:
        return
    both = {name: reading_words(row, name, lang()) for name in ("usual", "other")}
    st.markdown(say("usage.readings.why", n=totals.num_ambiguous, **both))
    rates = {name: percent_text(rate or 0.0, lang(), 2) for name, rate in totals.readings.items()}
    st.session_state["usage_reading_choice"] = chosen().wanted.usage_reading

    def take() -> None:
        name = st.session_state["usage_reading_choice"]
        if name in both:
            choose(wanted=replace(chosen().wanted, usage_reading=name))

    st.segmented_control(
        say("usage.readings"),
        list(both),
        format_func=lambda name: say(
            f"usage.reading.{name}", rate=rates.get(name, "–"), how=reading_name(row, name, lang())
        ),
        key="usage_reading_choice",
        on_change=take,
    )


def _session(log: Log, usage: Json) -> int:
    """Which session is drawn: the chosen one, else the one whose resets cost most."""
    sessions = usage["sessions"]
    if _OF_LOG.get() not in (None, log.key):
        USAGE.set(replace(USAGE.get(), session=None))
        st.session_state.pop("usage_session", None)
    _OF_LOG.set(log.key)
    if len(sessions) == 1:
        return 0
    usual = max(range(len(sessions)), key=lambda place: (_lost(sessions[place]), -place))
    wanted = USAGE.get().session
    st.session_state.setdefault("usage_session", wanted if wanted is not None else usual)
    if st.session_state["usage_session"] not in range(len(sessions)):
        st.session_state["usage_session"] = usual
    words = [session_name(one, lang()) for one in sessions]
    place = st.selectbox(
        say("usage.session"), range(len(sessions)), format_func=words.__getitem__, key="usage_session"
    )
    USAGE.set(replace(USAGE.get(), session=None if place == usual else place))
    return place


def _lost(session: Json) -> float:
    return float(sum(turn["reset"]["extra_tokens"] for turn in session["turns"] if turn["reset"]))


def _about(log: Log, session: Json) -> None:
    """What is drawn, and how it was read where it can be read in two ways."""
    minutes, reading = session["minutes"], reading_chip(log.trace, lang())
    name, turns = plain(session["name"] or log.trace.name), Count(len(session["turns"]))
    unsaid = session["unknown"]
    words: dict[str, Any] = {"name": name, "turns": turns, "all": Count(len(session["turns"]) + unsaid)}
    parts = [say("usage.about.part" if unsaid else "usage.about.whole", **words)]
    if minutes is not None:
        parts.append(pause_text(60 * minutes, lang()))
    st.caption(" · ".join([*parts, say("usage.about.basis"), *([reading] if reading else [])]))
