"""The first view of a log: what it gains at which size, six ways to say so, what it saves, what it holds."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.traffic.analysis import Analysis, held, savings
from core.traffic.bounds import Bound, verdict_bound
from core.traffic.groups import Group, whole
from ui.frame.formulas import formulas_panel
from ui.frame.session import lang, lang_mode, say, say_each
from ui.machine.machine import MACHINE
from ui.machine.panel import machine_panel
from ui.traffic.best_finding import best_finding, finding_line
from ui.traffic.counters import counters_view
from ui.traffic.curve import curve_view
from ui.traffic.rules import rule_title
from ui.traffic.settings import Open
from ui.traffic.spread import enough_metric, spread_line
from ui.traffic.state import Log
from ui.traffic.verdict import rule_now, verdict_help, verdict_panel
from ui.traffic.words import best_title, bounded, rate_words, verdict_words
from ui.words.formula_words import OF_A_LOG
from ui.words.i18n import languages
from ui.words.numbers import digits, money, percent, seconds
from ui.words.tables import no_formula

HOLD_S = 10.0
_IN_VAIN = ("never", "little")
"""Verdicts that do not hold once something is repaired."""


def overview(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Numbers, the curve, definitions, savings, held blocks."""
    total = whole(analysis, rule_now())
    verdict, finding = _headline(log, analysis, total)
    curve_view(log, analysis, open_it)
    left, right = st.columns(2, gap="large")
    with left:
        _definitions(analysis)
    with right:
        _savings(analysis)
        verdict_panel(analysis, total)
        _held(analysis)
    counters_view(log)
    with finding:  # last: the search may take a while, and nothing waits for it
        found = best_finding(log, analysis)
        if found is not None:
            finding_line(found, analysis)
    if found is not None and total.verdict() in _IN_VAIN:
        _verdict(verdict, say("traffic.verdict.repaired"))


def _headline(log: Log, analysis: Analysis, total: Group) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Returns where the verdict stands, and the place below it for what was found."""
    bound, ttl_s = analysis.lower_bound, analysis.settings.ttl_s
    saved = savings(analysis, MACHINE.get().cost(), MACHINE.get().prices)
    cells = st.columns(5)
    shown = rate_words(analysis.hit_rate, bound, lang())
    cells[0].metric(say_each("traffic.rate"), shown, help=say("traffic.rate.help"))
    best = rate_words(analysis.best_rate, bound, lang())
    cells[1].metric(
        " · ".join(best_title(ttl_s, one) for one in languages(lang_mode())),
        best,
        help=say("traffic.best.help"),
    )
    with cells[2]:
        enough_metric(log, analysis)
    value = bounded(seconds(saved.gpu_seconds.value or 0.0), _lower(analysis), lang())
    cells[3].metric(say_each("traffic.saved"), value, help=say("traffic.saved.help"))
    verdict = cells[4].container(key="traffic-verdict").empty()
    told = total.verdict()
    _verdict(verdict, verdict_words(told, verdict_bound(told, rule_now()) if bound else None, lang()))
    finding = st.container()
    spread_line(analysis, total)
    if analysis.result.num_refused:
        st.warning(say("traffic.refused", n=analysis.result.num_refused, first=analysis.curve.first))
    if analysis.result.way == "engine":
        reasons = ", ".join(say(f"replay.reason.{reason}") for reason in analysis.result.reasons)
        st.caption(say("replay.engine", reasons=reasons))
    return verdict, finding


def _verdict(place: DeltaGenerator, words: str) -> None:
    """By whose rule stands below it: the same log can be worth it here and too short there."""
    rule = rule_now()
    place.metric(
        say_each("traffic.verdict"),
        words,
        rule_title(rule.rule_id, lang()),
        delta_color="off",
        delta_arrow="off",
        help=verdict_help(rule),
    )


def _lower(analysis: Analysis) -> Bound | None:
    """What is known of its hits and savings."""
    return "lower" if analysis.lower_bound else None


def _definitions(analysis: Analysis) -> None:
    st.subheader(say_each("traffic.definitions"), anchor=False)
    rows = []
    for one in analysis.definitions:
        number = digits(one.hits) if one.name == "mean_of_ratios" else f"{int(one.hits):,}"
        arithmetic = f"{bounded(number, _lower(analysis), lang())} / {one.total:,}"
        rate = rate_words(one.rate, analysis.lower_bound, lang(), 3)
        rows.append({"name": say(f"traffic.definition.{one.name}"), "how": arithmetic, "rate": rate})
    columns = {name: say(f"traffic.column.{name}") for name in ("name", "how", "rate")}
    st.dataframe(rows, hide_index=True, column_config=columns, key="traffic_definitions")
    st.caption(say("traffic.definitions.help"))


def _savings(analysis: Analysis) -> None:
    st.subheader(f"{say_each('traffic.savings')} · {say('basis.modelled')}", anchor=False)
    machine = machine_panel()
    saved = savings(analysis, machine.cost(), machine.prices)
    hours, tokens = saved.money_by_hour, saved.money_by_token
    told = {
        "seconds": seconds(saved.gpu_seconds.value or 0.0),
        "share": percent(saved.share),
        "linear": percent(saved.linear_share),
        "hours": money(hours.value or 0.0, hours.unit),
        "tokens": money(tokens.value or 0.0, tokens.unit),
    }
    told = {name: bounded(shown, _lower(analysis), lang()) for name, shown in told.items()}
    st.markdown(no_formula(say("traffic.savings.words", **told)))
    formulas_panel(OF_A_LOG)


def _held(analysis: Analysis) -> None:
    st.subheader(say_each("traffic.held"), anchor=False)
    timed = analysis.tree.arrivals_s is not None
    peak = held(analysis, HOLD_S if timed else None)
    shared = bounded(digits(peak.shared), "upper" if analysis.lower_bound else None, lang())
    words = {"shared": shared, "unshared": digits(peak.unshared), "seconds": f"{HOLD_S:g}"}
    st.markdown(say("traffic.held.timed" if timed else "traffic.held.all", **words))


def without_identity(log: Log) -> None:
    """A log of lengths, of usage or of counters: what it says, and that no hit rate follows from it."""
    if not log.trace.counters or log.trace.requests:
        st.info(say("traffic.no_rate"))
    lengths = [request.num_tokens for request in log.trace.requests]
    if lengths:
        middle = sorted(lengths)[len(lengths) // 2]
        words = {"n": len(lengths), "mean": digits(sum(lengths) / len(lengths)), "median": digits(middle)}
        st.markdown(say("traffic.lengths", **words))
    counters_view(log)
