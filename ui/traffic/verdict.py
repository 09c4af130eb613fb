"""By whose rule the verdict judges, and which requests are too short for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from core.texts import showable
from core.traffic.analysis import Analysis
from core.traffic.bounds import paid_bound
from core.traffic.decisions import rate_by
from core.traffic.groups import Group
from core.traffic.providers import Rule
from ui.frame.session import lang, say, tell
from ui.traffic.judge import LARGEST_MINIMUM, MOST_PRICE, SUGGESTED, Judge
from ui.traffic.rules import rule_names, rule_of, rule_title, rule_words, suggested_rule
from ui.traffic.state import choose, chosen, remember, state
from ui.traffic.words import bounded, rate_words
from ui.words.numbers import digits, percent

MOST_ROWS = 1_000


def rule_now() -> Rule:
    """The rule that this page judges by: a person's choice, else whose the log is."""
    log = state().log
    if log is None:
        return rule_of(chosen().judge)
    return rule_of(chosen().judge, remember(("rule", log.key), lambda: suggested_rule(log.trace)))


def verdict_help(rule: Rule) -> str:
    """What the verdict assumes, and what it means."""
    return say("traffic.verdict.help", rule=rule_words(rule, lang()))


def verdict_panel(analysis: Analysis, total: Group) -> None:
    """The rule and its numbers to choose, what follows from it, and what falls below its minimum."""
    with st.expander(say("traffic.rule.panel")):
        _choices()
        rule = rule_now()
        st.caption(rule_words(rule, lang()))
        rate = rate_words(rate_by(analysis, rule), analysis.lower_bound, lang())
        told = say("traffic.rule.result", rate=rate, share=_share(analysis, total, rule))
        if total.num_below:
            numbers = {"n": digits(total.num_below), "total": digits(total.num_requests)}
            told = tell(told, say("traffic.rule.below", minimum=digits(rule.minimum), **numbers))
        st.markdown(told)
        if total.num_below:
            _below(analysis, rule)


def _share(analysis: Analysis, total: Group, rule: Rule) -> str:
    """In percent of the price without a cache; dearer than in truth where blocks are cut."""
    shown = percent(total.paid / max(total.num_tokens, 1))
    return bounded(shown, paid_bound(rule) if analysis.lower_bound else None, lang())


def _choices() -> None:
    """The widgets show the setup; what a person changes is in it before anything else is drawn."""
    judge, rule = chosen().judge, rule_now()
    places = st.columns([2, 1, 1, 1], vertical_alignment="bottom")
    words = {name: rule_title(name, lang()) for name in rule_names()}
    st.session_state["traffic_rule"] = rule.rule_id
    places[0].selectbox(
        say("traffic.rule"),
        rule_names(),
        format_func=words.__getitem__,
        key="traffic_rule",
        on_change=_take_rule,
    )
    numbers: tuple[tuple[str, float, float], ...] = (
        ("minimum", rule.minimum, LARGEST_MINIMUM),
        ("write", rule.prices.write, MOST_PRICE),
        ("read", rule.prices.read, MOST_PRICE),
    )
    for place, (name, value, most) in zip(places[1:], numbers, strict=True):
        key = f"traffic_rule_{name}"
        whole = name == "minimum"
        st.session_state[key] = int(value) if whole else float(value)
        place.number_input(
            say(f"traffic.rule.{name}.label"),
            min_value=0 if whole else 0.0,
            max_value=int(most) if whole else most,
            step=None if whole else 0.05,
            key=key,
            on_change=_take,
            args=(name, key),
        )
    if judge.rule and judge.rule not in rule_names():
        choose(judge=replace(judge, rule=SUGGESTED))


def _take_rule() -> None:
    """Nothing where the value is gone meanwhile, as after a click on a page that was still being drawn."""
    if "traffic_rule" not in st.session_state:
        return
    choose(judge=Judge(st.session_state["traffic_rule"]))


def _take(name: str, key: str) -> None:
    if key not in st.session_state:
        return
    value: Any = st.session_state[key]
    choose(judge=replace(chosen().judge, **{name: value}))


def _below(analysis: Analysis, rule: Rule) -> None:
    rows = [
        {
            "place": int(place) + 1,
            "request": showable(analysis.requests[place].request_id),
            "source": showable(analysis.requests[place].tenant or analysis.requests[place].template or ""),
            "tokens": int(analysis.lengths[place]),
        }
        for place in np.flatnonzero(rule.below(analysis.lengths))[:MOST_ROWS]
    ]
    st.caption(say("traffic.rule.below.show"))
    columns: dict[str, Any] = {name: say(f"traffic.column.{name}") for name in rows[0]}
    st.dataframe(rows, hide_index=True, height=180, column_config=columns, key="traffic_below")
