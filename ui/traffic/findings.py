"""What broke the prefix: evidence on the left, repairs on the right."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.texts import showable
from core.traffic.analysis import Analysis
from core.traffic.diagnosis.findings import Finding, Offer
from ui.frame.session import lang, plain, say
from ui.traffic.aligned import aligned_html
from ui.traffic.settings import Open
from ui.traffic.words import rate_words
from ui.words.numbers import digits


def findings_view(found: Sequence[Finding], analysis: Analysis, open_it: Open) -> None:
    """One finding open; the others a click away."""
    number = 0
    if len(found) > 1:
        key = "traffic_finding"
        if st.session_state.get(key) not in range(len(found)):
            st.session_state[key] = 0
        names = [_name(one, analysis.lower_bound) for one in found]
        number = st.radio(
            say("traffic.finding.choose"), range(len(found)), format_func=names.__getitem__, key=key
        )
    one = found[number]
    with st.container(border=True):
        evidence, repairs = st.columns([2, 1], gap="large")
        with repairs:
            offer = _repairs(one, analysis, number)
            if st.button(say("traffic.example"), key=f"cause_{one.cause}_{number}"):
                open_it(one.example)
        with evidence:
            _evidence(one, analysis, offer)


def _name(one: Finding, bound: bool) -> str:
    """As one line of a list."""
    rates = _rates(one, one.best, bound)
    place = f" · `{plain(one.path)}`" if one.path else ""
    return f"{say(f'traffic.cause.{one.cause}')}{place} · {rates}"


# -- evidence ----------------------------------------------------------------------------------------------


def _evidence(one: Finding, analysis: Analysis, offer: Offer) -> None:
    st.subheader(say(f"traffic.cause.{one.cause}"), anchor=False)
    st.markdown(_place(one))
    rows = [(showable(analysis.requests[row.request].request_id), row) for row in one.aligned]
    if rows and one.characters is not None:
        captions = [say(f"traffic.finding.{name}") for name in ("equal", "changes", "lost")]
        st.html(aligned_html(rows, captions, say))
    if offer.change is not None:
        st.caption(say("traffic.finding.diff"))
        st.code(showable(offer.change.diff), language="diff", wrap_lines=True)


def _place(one: Finding) -> str:
    parts = [f"`{one.path}`"] if one.path else []
    if one.characters is not None and one.kind is not None:
        first, last = one.characters
        parts.append(
            say("traffic.finding.place", first=first, last=last, kind=say(f"traffic.kind.{one.kind}"))
        )
    return " · ".join([*parts, say("traffic.finding.requests", n=one.num_requests)])


# -- repairs -----------------------------------------------------------------------------------------------


def _repairs(one: Finding, analysis: Analysis, number: int) -> Offer:
    """The one that is chosen; the best at first."""
    place = st.container()
    bound = analysis.lower_bound
    names = [f"{repair_words(offer)} · {rate_words(offer.rate_after, bound, lang())}" for offer in one.offers]
    costs = [say(f"traffic.repair.{offer.repair}.cost") for offer in one.offers]
    key = f"traffic_repair_{number}"
    if st.session_state.get(key) not in range(len(one.offers)):
        st.session_state[key] = 0
    chosen = st.radio(
        say("traffic.finding.repairs"),
        range(len(one.offers)),
        format_func=names.__getitem__,
        captions=costs,
        key=key,
    )
    offer = one.offers[chosen]
    with place:
        st.caption(say("traffic.finding.rates"))
        st.markdown(f"## {_rates(one, offer, bound)}")
        tokens = {"before": digits(one.computed_before), "after": digits(offer.computed_after)}
        st.markdown(say("traffic.finding.tokens", **tokens))
        st.caption(say("traffic.finding.run", n=digits(len(analysis.requests))))
    return offer


def _rates(one: Finding, offer: Offer, bound: bool) -> str:
    before, after = (rate_words(rate, bound, lang()) for rate in (one.rate_before, offer.rate_after))
    return f"{before} → {after}"


def repair_words(offer: Offer) -> str:
    """What to change."""
    return say(f"traffic.repair.{offer.repair}", value=offer.value)
