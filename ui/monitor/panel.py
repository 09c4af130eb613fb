"""All one can set or turn on the monitor page. Widgets change the load's setup; the page does the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import streamlit as st

from core.errors import BrothError
from core.load import MIXES
from ui.frame.session import say, stands_on_one
from ui.machine.panel import machine_panel
from ui.monitor.deeds import WANTED
from ui.monitor.run import LoadSession
from ui.monitor.setup import (
    BLOCK_SIZES,
    BURST_FACTOR,
    BURST_S,
    CLIENTS,
    LESSONS,
    MOST_CLIENTS,
    MOST_THINK_S,
    OUTPUT_TOKENS,
    POOLS,
    PREFIX_TOKENS,
    RATES,
    SPEEDS,
    THINK_S,
    LoadSetup,
    arrival_words,
    like_stage,
)
from ui.stage.run import current_run

_SIGHTINGS = (1, 2, 3)


def setup_popover() -> None:
    """What makes another run: seed, mix, rate, pool, machine. The block size restarts the cache only."""
    with st.popover(say("control.set_up")):
        _lessons()
        _arrivals()
        left, right = st.columns(2)
        with left:
            _choice("mix", list(MIXES))
            _choice("prefix_tokens", PREFIX_TOKENS)
            _choice("pool", POOLS)
        with right:
            _number("seed", 0, 999_999, empty=False)
            _choice("output_tokens", OUTPUT_TOKENS)
            _choice("block_size", BLOCK_SIZES)
            st.button(
                say("monitor.like_stage"),
                on_click=_like_stage,
                width="stretch",
                help=say("monitor.like_stage.help"),
            )
        machine_panel()
        setup, spec = WANTED.get(), WANTED.get().spec()
        if (spec.prefix_tokens, spec.output_tokens) != (setup.prefix_tokens, setup.output_tokens):
            st.caption(say("monitor.shrunk", prefix=spec.prefix_tokens, output=spec.output_tokens))
        st.caption(say("monitor.set_up.help"))


def _lessons() -> None:
    """Two loads with the same hit rate; what the cache gains there is for the run to show."""
    for column, name in zip(st.columns(2), LESSONS, strict=True):
        column.button(
            say(f"monitor.lesson.{name}"),
            key=f"load_lesson_{name}",
            on_click=WANTED.set,
            args=(LESSONS[name],),
            width="stretch",
            help=say(f"monitor.lesson.{name}.help"),
        )


def _arrivals() -> None:
    """An open stream at a rate, or clients who wait."""
    closed = WANTED.get().clients is not None
    st.session_state["load_arrivals"] = "closed" if closed else "open"

    def changed() -> None:
        chosen = st.session_state["load_arrivals"]
        if chosen is not None and (chosen == "closed") != closed:
            how = (CLIENTS, THINK_S) if chosen == "closed" else (None, LoadSetup().think_s)
            WANTED.set(replace(WANTED.get(), clients=how[0], think_s=how[1]))

    left, right = st.columns(2)
    left.segmented_control(
        say("monitor.arrivals"),
        ("open", "closed"),
        format_func=lambda one: say(f"monitor.arrivals.{one}"),
        key="load_arrivals",
        on_change=changed,
        help=say("monitor.arrivals.help"),
    )
    with right:
        if not closed:
            _choice("rate", RATES)
            return
        for column, name, least, most in zip(
            st.columns(2), ("clients", "think_s"), (1, 0), (MOST_CLIENTS, MOST_THINK_S), strict=True
        ):
            with column:
                _number(name, least, most, empty=False)


def about_line(load: LoadSession) -> None:
    """What runs: on which machine, how often requests come, of what kind."""
    setup, machine = load.setup, load.machine
    st.caption(
        say(
            "monitor.about",
            n=machine.num_gpus,
            gpu=machine.gpu,
            model=machine.model,
            arrivals=arrival_words(setup, say),
            mix=say(f"monitor.mix.{setup.mix}"),
        )
    )


def knob_row(load: LoadSession, set_speed: Callable[[int], None], burst: Callable[[], None]) -> None:
    """What acts while the run goes on. On narrow screens it flows into several rows."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="load-knobs"):
        kind = "help" if load.setup.clients is None else "clients" if load.setup.can_rush else "never"
        words = say(f"monitor.burst.{kind}", seconds=f"{BURST_S:g}", factor=f"{BURST_FACTOR:g}")
        off = not load.setup.can_rush
        st.button(say("monitor.burst"), on_click=burst, help=words, key="load_burst", width=180, disabled=off)
        _speed(load, set_speed)
        _number("cache_cap", 0, load.setup.pool, width=170)
        _number("ttl_s", 1, 999, width=170)
        _segments("admit_after", _SIGHTINGS)


def _speed(load: LoadSession, set_speed: Callable[[int], None]) -> None:
    def changed() -> None:
        set_speed(st.session_state["load_speed"] or load.speed)

    st.session_state["load_speed"] = load.speed
    st.segmented_control(
        say("monitor.speed"),
        SPEEDS,
        format_func=lambda speed: f"{speed}×",
        key="load_speed",
        on_change=changed,
    )


def _changed(name: str) -> None:
    value = st.session_state[f"load_{name}"]
    WANTED.set(replace(WANTED.get(), **{name: value}))


def _value(name: str) -> Any:
    value = getattr(WANTED.get(), name)
    st.session_state[f"load_{name}"] = value
    return value


def _choice(name: str, options: Sequence[Any]) -> None:
    value = _value(name)
    shown = options if value in options else sorted([*options, value])
    words = {one: say(f"monitor.mix.{one}") if name == "mix" else f"{one:g}" for one in shown}

    def changed() -> None:
        if stands_on_one(f"load_{name}", shown):
            _changed(name)

    st.selectbox(
        say("monitor.pool.label" if name == "pool" else f"monitor.{name}"),
        shown,
        format_func=words.__getitem__,
        key=f"load_{name}",
        on_change=changed,
    )


def _number(
    name: str, least: int, most: int, width: int | Literal["stretch"] = "stretch", *, empty: bool = True
) -> None:
    """``empty``: no number means that the setting is off."""
    value = _value(name)

    def changed() -> None:
        if empty or st.session_state[f"load_{name}"] is not None:
            _changed(name)

    st.number_input(
        say(f"monitor.{name}"),
        min_value=least,
        max_value=max(most, value or 0),
        step=1,
        key=f"load_{name}",
        on_change=changed,
        placeholder=say("knob.off"),
        width=width,
        help=say(f"monitor.{name}.help"),
    )


def _segments(name: str, options: Sequence[int]) -> None:
    value = _value(name)

    def changed() -> None:
        if st.session_state[f"load_{name}"] is not None:  # a click on the chosen one would unset it
            _changed(name)

    st.segmented_control(
        say(f"monitor.{name}"),
        options if value in options else sorted([*options, value]),
        key=f"load_{name}",
        on_change=changed,
        help=say(f"monitor.{name}.help"),
        width="content",
    )


def _like_stage() -> None:
    """The machine of Start and Execute: its slots, block size, policies."""
    try:
        config = current_run()[0].config
    except BrothError:
        return
    WANTED.set(like_stage(WANTED.get(), config))
