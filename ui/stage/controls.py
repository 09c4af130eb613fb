"""Scenario and knobs, wherever the stage can be set up. They change the setup only."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from core.errors import BrothError
from core.types import EngineConfig
from ui.frame.session import lang, say, stands_on_one
from ui.stage.own import OWN, OwnPrompts
from ui.stage.run import current_run, title_of
from ui.stage.setup import CHOICES, KNOBS, SETUP, Knob, load_setup, preset_ids

BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64)


def scenario_picker() -> None:
    """Choose a preset, or one's own prompts once there are any."""
    current = SETUP.get()
    options = list(preset_ids())
    if current.own != OwnPrompts():
        options.append(OWN)

    def changed() -> None:
        if stands_on_one("widget_scenario", options):
            SETUP.set(SETUP.get().with_scenario(st.session_state["widget_scenario"]))

    titles = {name: title_of(name) for name in options}
    st.session_state["widget_scenario"] = current.scenario
    st.selectbox(
        say("control.scenario"),
        options,
        format_func=titles.__getitem__,
        key="widget_scenario",
        on_change=changed,
        label_visibility="collapsed",
    )


def knob_panel() -> None:
    """Every knob of the engine, two in a row. They stand where the setup has put them, run or no run."""
    config = _config_now()
    sizes = sorted({*BLOCK_SIZES, config.block_size})
    left, right = st.columns(2)
    with left:
        choice_input("block_size", {size: str(size) for size in sizes}, config.block_size)
        knob_input("cache_cap", config.cache_cap)
        knob_input("ttl", config.ttl)
        choice_input("queue_rule", _words("queue_rule"), config.queue_rule)
        text_knob("version")
    with right:
        knob_input("num_slots", config.num_usable)
        knob_input("admit_after", config.admit_after)
        choice_input("ttl_kind", _words("ttl_kind"), config.ttl_kind)
        text_knob("salt")
        st.button(say("knob.reset"), on_click=_reset_knobs, width="stretch", disabled=not SETUP.get().knobs)


def _words(name: str) -> dict[str, str]:
    return {option: say(f"knob.{name}.{option}") for option in CHOICES[name][1]}


def _config_now() -> EngineConfig:
    """Of the run if there is one, else of the scenario; of neither where even that cannot be read."""
    with suppress(BrothError):
        return current_run()[0].config
    with suppress(BrothError):
        return load_setup(SETUP.get(), lang()).config
    return EngineConfig()


def _reset_knobs() -> None:
    SETUP.set(replace(SETUP.get(), knobs={}, fork=None))


def _turn(name: str) -> None:
    SETUP.set(SETUP.get().with_knob(name, st.session_state[f"widget_{name}"]))


def _shared(name: str, value: Any) -> dict[str, Any]:
    """What the widgets of all knobs have in common; each stands at ``value``."""
    key = f"widget_{name}"
    st.session_state[key] = value
    return {"key": key, "on_change": _turn, "args": (name,), "help": say(f"knob.{name}.help")}


def knob_input(name: str, value: Any) -> None:
    """A whole-number knob; optional ones are empty when off."""
    knob: Knob = next(one for one in KNOBS if one.name == name)
    st.number_input(
        say(f"knob.{name}"),
        value=None if knob.optional else "min",  # only what starts empty can be emptied again
        min_value=knob.least,
        max_value=max(knob.most, value or 0),
        step=1,
        placeholder=say("knob.off"),
        **_shared(name, value),
    )


def choice_input(name: str, words: Mapping[Any, str], value: Any) -> None:
    """A knob with few values; ``words``: what each is called."""

    def changed() -> None:
        if stands_on_one(f"widget_{name}", words):
            _turn(name)

    about = _shared(name, value) | {"on_change": changed, "args": ()}
    st.selectbox(say(f"knob.{name}"), list(words), format_func=words.__getitem__, **about)


def text_knob(name: str) -> None:
    """Salt or version: a short text, empty when off."""
    value = str(SETUP.get().knobs.get(name) or "")
    st.text_input(say(f"knob.{name}"), max_chars=40, **_shared(name, value))
