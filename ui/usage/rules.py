"""Whose prices, and each of them to edit; every amount follows."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ui.frame.session import plain, say
from ui.usage.billed import two_lives
from ui.usage.prices import Priced, rule_ids
from ui.usage.setup import EDITS, MOST, USAGE, UsageSetup

_FIELDS = {
    "per_million": "usage.prices.per_million",
    "read": "usage.prices.read_x",
    "write_5m": "usage.prices.write_5m_x",
    "write_1h": "usage.prices.write_1h_x",
    "ttl_s": "usage.prices.ttl_s",
}
_STEPS = {"per_million": 0.5, "read": 0.05, "write_5m": 0.25, "write_1h": 0.25, "ttl_s": 60.0}
_RULE = "usage_rule"


def prices_panel(found: Priced) -> None:
    """The prices that hold now, to be changed; the setup has what was changed."""
    with st.popover(say("usage.prices")):
        st.session_state[_RULE] = found.rules.id
        st.selectbox(
            say("usage.prices.rule"),
            rule_ids(),
            format_func=lambda rule: say(f"usage.prices.rule.{rule}"),
            key=_RULE,
            on_change=_take_rule,
        )
        shown = [one for one in EDITS if one != "write_1h" or two_lives(found.rules.to_json())]
        for name in shown:
            _number(name, getattr(found.rules, name), _label(name, found))
        if USAGE.get().edits:
            st.caption(say("usage.prices.edited"))
            st.button(say("usage.prices.back"), on_click=_as_listed, key="usage_as_listed")
        st.caption(say("usage.prices.help"))


def _label(name: str, found: Priced) -> str:
    """With several models the price of a token is that of the one with most tokens."""
    if name != "per_million" or len(found.prices) < 2:
        return say(_FIELDS[name])
    return say(
        "usage.prices.per_million.of", model=plain(found.prices[0].model) or say("usage.prices.unnamed")
    )


def _number(name: str, value: float | None, label: str) -> None:
    key = f"usage_{name}"

    def take() -> None:
        number = st.session_state[key]
        edits = {k: v for k, v in USAGE.get().edits.items() if k != name}
        USAGE.set(replace(USAGE.get(), edits=edits if number is None else edits | {name: float(number)}))

    st.session_state[key] = None if value is None else float(value)
    least = 1.0 if name == "ttl_s" else 0.0
    st.number_input(label, least, MOST[name], step=_STEPS[name], format="%g", key=key, on_change=take)


def _take_rule() -> None:
    """Another provider's prices: a person's own numbers were for the one before."""
    rule = st.session_state[_RULE]
    if rule in rule_ids():
        USAGE.set(UsageSetup(rule, {}, USAGE.get().session))


def _as_listed() -> None:
    USAGE.set(replace(USAGE.get(), edits={}))
