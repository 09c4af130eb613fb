"""What broke the prefix: evidence on the left, repairs on the right."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.texts import showable
from core.traffic.analysis import Analysis
from core.traffic.bounds import Bound
from core.traffic.diagnosis.account import Account
from core.traffic.diagnosis.findings import Finding, Offer
from ui.frame.session import lang, plain, say
from ui.traffic.aligned import aligned_html
from ui.traffic.message_bar import bar_html, bar_words
from ui.traffic.settings import Open
from ui.traffic.words import HEADINGS, bounded, kind_words, rate_words
from ui.words.numbers import Count, digits

STYLE = """<style>@media (max-width:640px){
.st-key-traffic-card [data-testid=stHorizontalBlock]:has(>[data-testid=stColumn]){flex-wrap:wrap-reverse}}
</style>"""
"""A phone shows the rates and the repairs above the evidence."""


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
    st.html(STYLE)
    with st.container(border=True, key="traffic-card"):
        evidence, repairs = st.columns([2, 1], gap="large")
        with repairs:
            offer = _repairs(one, analysis, number)
            if st.button(say("traffic.example"), key=f"cause_{one.cause}_{number}"):
                open_it(one.example)
        with evidence:
            _evidence(one, analysis, offer)


def _name(one: Finding, bound: bool) -> str:
    """As one line of a list."""
    rates = _rates(one, one.offers[one.advised], bound)
    place = f" · {path_code(one.path)}" if one.path else ""
    return f"{say(f'traffic.cause.{one.cause}')}{place} · {rates}"


def path_code(path: str) -> str:
    """A path as code: nothing in it is escaped there, and it may not end the code."""
    shown = showable(path).replace("`", "'")
    return f"`{shown}`"


# -- evidence ----------------------------------------------------------------------------------------------


def _evidence(one: Finding, analysis: Analysis, offer: Offer) -> None:
    st.subheader(say(f"traffic.cause.{one.cause}"), anchor=False)
    st.markdown(_place(one))
    rows = [(showable(analysis.requests[row.request].request_id), row) for row in one.aligned]
    if len({row.span for _, row in rows}) > 1:
        captions = [say(f"traffic.finding.{name}") for name in ("equal", "changes", "lost")]
        st.html(aligned_html(rows, captions, say))
    if one.bar is not None and one.bar.lost:
        st.caption(plain(bar_words(one.bar, one.path, say)))
        st.html(bar_html(one.bar, one.path, say))
    if offer.change is not None:
        st.caption(say("traffic.finding.diff"))
        st.code(showable(offer.change.diff), language="diff", wrap_lines=True)


def _place(one: Finding) -> str:
    parts = [path_code(one.path)] if one.path else []
    if one.characters is not None and one.kind is not None:
        first, last = one.characters
        parts.append(say("traffic.finding.place", first=first, last=last, kind=kind_words(one.kinds, say)))
    return " · ".join([*parts, say("traffic.finding.requests", n=one.num_requests)])


# -- repairs -----------------------------------------------------------------------------------------------


def _repairs(one: Finding, analysis: Analysis, number: int) -> Offer:
    """The one that is chosen; at first the best, or one hardly worse that keeps the meaning."""
    place = st.container()
    bound = analysis.lower_bound
    names = [f"{repair_words(offer)} · {rate_words(offer.rate_after, bound, lang())}" for offer in one.offers]
    costs = [cost_words(offer) for offer in one.offers]
    key = f"traffic_repair_{one.cause}_{number}_{len(one.offers)}"
    if st.session_state.get(key) not in range(len(one.offers)):
        st.session_state[key] = one.advised
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
        most: Bound | None = "upper" if bound else None
        tokens = {
            "before": bounded(digits(one.computed_before), most, lang()),
            "after": bounded(digits(offer.computed_after), most, lang()),
        }
        st.markdown(say("traffic.finding.tokens", **tokens))
        st.caption(say("traffic.finding.run", n=digits(len(analysis.requests))))
    return offer


def _rates(one: Finding, offer: Offer, bound: bool) -> str:
    before, after = (rate_words(rate, bound, lang()) for rate in (one.rate_before, offer.rate_after))
    return f"{before} → {after}"


def repair_words(offer: Offer) -> str:
    """What to change, and what with it."""
    first = say(f"traffic.repair.{offer.repair}", value=offer.value)
    if offer.also is None:
        return first
    second = say(f"traffic.repair.{offer.also.repair}", value=offer.also.value)
    return say("traffic.finding.both", first=first, second=second, path=plain(offer.also.path))


def cost_words(offer: Offer) -> str:
    """What it costs in meaning."""
    repairs = [offer.repair, *([] if offer.also is None else [offer.also.repair])]
    return "; ".join(dict.fromkeys(say(f"traffic.repair.{one}.cost") for one in repairs))


# -- all requests ------------------------------------------------------------------------------------------


def summary_line(account: Account, analysis: Analysis) -> None:
    """The hit rate now, and the most that is possible."""
    now = rate_words(analysis.hit_rate or 0.0, analysis.lower_bound, lang())
    if account.possible_rate is not None:
        most = rate_words(account.possible_rate, False, lang())
        st.markdown(say("traffic.account.rates", now=now, most=most), help=say("traffic.account.rates.help"))


def account_line(account: Account, found: Sequence[Finding]) -> None:
    """Every request under one heading, below what was found."""
    parts = [
        say("traffic.account.cause", n=Count(count), cause=say(f"traffic.cause.{one.cause}"))
        for one, count in zip(found, account.of_causes, strict=True)
        if count
    ]
    for name in HEADINGS:
        if count := getattr(account, name):
            parts.append(say(f"traffic.account.{name}", n=Count(count)))
    st.markdown(" · ".join([say("traffic.account", n=Count(account.num_requests)), *parts]))
