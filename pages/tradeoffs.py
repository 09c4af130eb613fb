"""Scenarios and trade-offs · 取舍: what pays, what it costs, and where the best setting lies."""

from __future__ import annotations

import streamlit as st

from ui.course.tradeoff_panels.best import best_panel
from ui.course.tradeoff_panels.load import cap_panel, decode_panel
from ui.course.tradeoff_panels.memory import pots_panel, ttl_panel
from ui.course.tradeoff_panels.shapes import lengths_panel, prefixes_panel, threshold_panel, turns_panel
from ui.frame.formulas import formulas_panel
from ui.frame.session import say
from ui.frame.shell import toolbar
from ui.machine.panel import machine_panel
from ui.words.formula_words import PREFILL, SAVINGS

PANELS = {
    "lengths": lengths_panel,
    "turns": turns_panel,
    "prefixes": prefixes_panel,
    "threshold": threshold_panel,
    "ttl": ttl_panel,
    "cap": cap_panel,
    "pots": pots_panel,
    "decode": decode_panel,
    "best": best_panel,
}
MODELLED = frozenset(PANELS) - {"threshold"}
"""Panels whose GiB and seconds are those of the machine chosen."""


def render() -> None:
    """One question at a time."""
    toolbar()
    st.header(say("tradeoff.title"), anchor=False)
    words = {name: say(f"tradeoff.{name}.title") for name in PANELS}
    chosen = st.pills(
        say("tradeoff.title"),
        list(PANELS),
        default="lengths",
        format_func=words.__getitem__,
        label_visibility="collapsed",
        key="tradeoff_panel",
    )
    name = chosen or "lengths"
    st.markdown(say(f"tradeoff.{name}.intro"))
    PANELS[name]()
    if name in MODELLED:
        machine_panel()
    if name == "lengths":
        formulas_panel((*SAVINGS, *PREFILL))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
