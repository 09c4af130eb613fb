"""All one can set on a decision sheet. Widgets change the choice or the machine; the page does the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.decision import SheetSpec
from ui.decision.setup import (
    CHOICE,
    GPUS,
    LEAST_MS,
    LEAST_RATE,
    LEVELS_MS,
    MOST_CLIENTS,
    MOST_MS,
    MOST_RATE,
    MOST_SIZES,
    fitting_sizes,
    sheet_spec,
    total_clients,
    total_rate,
)
from ui.frame.session import say, stands_on_one
from ui.machine.machine import MACHINE
from ui.machine.panel import machine_panel
from ui.monitor.setup import LoadSetup
from ui.words.numbers import digits


def level_row() -> None:
    """The service level: one of a few, or one's own. Nothing is computed for another one."""
    now = CHOICE.get().level_ms
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="decision-level"):
        st.session_state["decision_level"] = now if now in LEVELS_MS else None
        st.segmented_control(
            say("decision.level"),
            LEVELS_MS,
            format_func=lambda value: f"{value:,}",
            key="decision_level",
            on_change=_level_changed,
        )
        st.session_state["decision_own_level"] = now
        st.number_input(
            say("decision.level.own"),
            LEAST_MS,
            MOST_MS,
            step=10,
            key="decision_own_level",
            on_change=_changed,
            args=("level_ms", "decision_own_level", LEAST_MS, MOST_MS),
            width=150,
        )


def _level_changed() -> None:
    if stands_on_one("decision_level", LEVELS_MS):  # a click on the chosen one would unset it
        _changed("level_ms", "decision_level", LEAST_MS, MOST_MS)


def _changed(name: str, key: str, least: float, most: float) -> None:
    value = st.session_state[key]
    if value is not None and least <= value <= most:
        CHOICE.set(replace(CHOICE.get(), **{name: value}))


def setup_popover(load: LoadSetup) -> None:
    """What else a sheet is asked: rate, sizes, GPUs, machine and prices."""
    with st.popover(say("control.set_up")):
        left, right = st.columns(2)
        now, cost = CHOICE.get(), MACHINE.get().cost()
        with left:
            _arrivals(load)
        with right:
            words = {None: say("decision.as_found")} | {one: str(cost.num_gpus * one) for one in GPUS}
            _choice("gpus", now.gpus, words, say("decision.on_gpus"))
        _sizes(load)
        _size(load)
        machine_panel()


def _arrivals(load: LoadSetup) -> None:
    """How many requests come to all GPUs together, or how many clients there are."""
    now = CHOICE.get()
    clients = total_clients(load, now)
    if clients is None:
        _number("rate", total_rate(load, now), LEAST_RATE, MOST_RATE)
    else:
        _number("clients", clients, 1, MOST_CLIENTS)


def _number(name: str, value: float, least: float, most: float) -> None:
    key = f"decision_{name}_number"
    st.session_state[key] = value
    words, help_words = say(f"decision.{name}"), say("decision.rate.help")
    st.number_input(
        words, least, most, key=key, on_change=_changed, args=(name, key, least, most), help=help_words
    )


def _sizes(load: LoadSetup) -> None:
    now, cost = CHOICE.get(), MACHINE.get().cost()
    spec = SheetSpec(load.spec(), load.config(), cost, (1.0,), 1.0)
    fits = fitting_sizes(cost)
    st.session_state["decision_sizes"] = [gib for gib in now.sizes_gib if gib in fits]
    st.multiselect(
        say("decision.sizes"),
        fits,
        format_func=lambda gib: f"{gib:g}",
        key="decision_sizes",
        on_change=_sizes_changed,
        max_selections=MOST_SIZES,
        placeholder=say("decision.sizes.usual"),
        help=say("decision.sizes.help", most=MOST_SIZES, free=digits(spec.free_gib)),
    )


def _sizes_changed() -> None:
    """A callback may find anything there: what was sent is held against the sizes when they are drawn."""
    chosen = tuple(
        gib for gib in fitting_sizes(MACHINE.get().cost()) if gib in st.session_state["decision_sizes"]
    )
    CHOICE.set(replace(CHOICE.get(), sizes_gib=chosen[:MOST_SIZES]))


def _size(load: LoadSetup) -> None:
    """Which size the four numbers are about."""
    now = CHOICE.get()
    sizes = sheet_spec(load, MACHINE.get(), now).sizes
    words = {None: say("decision.as_found")} | {gib: f"{gib:g} GiB" for gib in sizes}
    _choice("size", now.size if now.size in sizes else None, words, say("decision.size"))


def _choice(name: str, value: object, words: dict[Any, str], label: str) -> None:
    """One of several values or None, which is one of them: to the widget itself None would be no answer."""
    key, options = f"decision_{name}_choice", list(words)
    places = range(len(options))
    st.session_state[key] = options.index(value)

    def changed() -> None:
        if stands_on_one(key, places):
            CHOICE.set(replace(CHOICE.get(), **{name: options[st.session_state[key]]}))

    st.selectbox(label, places, format_func=lambda place: words[options[place]], key=key, on_change=changed)
