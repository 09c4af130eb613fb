"""Widgets that several pages share: language, scenario, knobs, own prompts. They change the setup only."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from core.errors import BrothError
from core.types import EngineConfig
from ui.frame.session import change_setup, choose_language, current_run, lang, lang_mode, say, setup, title_of
from ui.monitor.deeds import NAMES as LOAD_NAMES
from ui.stage.own import OWN, OwnPrompts
from ui.stage.setup import CHOICES, KNOBS, TEXTS, Knob, load_setup, preset_ids
from ui.traffic.setup import WORDS as TRAFFIC_WORDS
from ui.words.i18n import MODES as LANG_MODES

NAMES = {"en": "English", "zh": "中文", "both": "中 + En"}
BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64)


def language_switch() -> None:
    """Chinese, English or both."""

    def changed() -> None:
        choose_language(st.session_state["widget_lang"])

    st.session_state["widget_lang"] = lang_mode()
    st.segmented_control(
        say("lang.label"),
        LANG_MODES,
        format_func=NAMES.__getitem__,
        key="widget_lang",
        on_change=changed,
        label_visibility="collapsed",
    )


def link_notice() -> None:
    """What of an opened link could not be used, said once."""
    lost = st.session_state.pop("link_lost", [])
    if lost:
        st.warning(say("page.link_lost", names=", ".join(map(_name_of_parameter, lost))))


def _name_of_parameter(short: str) -> str:
    """What a person knows a link's parameter as; the parameter itself where it has no name on the page."""
    keys = {"s": "control.scenario", "own": "control.own", "fork": "stage.drawer.fork"}
    keys |= {"tried": "finish.compare.title", "quiz": "finish.quiz.title", "on": "machine.title"}
    keys |= {"my": "machine.own"}
    keys |= {"v": "link.version", "m": "link.mode", "bet": "link.bet"}
    keys |= {
        "cards": "course.ch12.title",
        "six": "nav.sheet",
        "present": "stage.key.presenter",
        "hide": "teacher.link.hide",
    }
    keys |= {"seq": "teacher.part.own", "at": "teacher.place.name"}
    keys |= {short: f"monitor.{name}" for name, short in LOAD_NAMES.items()}
    keys |= {"lp": "monitor.pool.label", "ld": "link.deeds", "lq": "link.request"}
    keys |= TRAFFIC_WORDS
    keys |= {knob.short: f"knob.{knob.name}" for knob in KNOBS}
    keys |= {short: f"knob.{name}" for name, (short, _) in CHOICES.items()}
    keys |= {short: f"knob.{name}" for name, short in TEXTS.items()}
    return say(keys[short]) if short in keys else short


def scenario_picker() -> None:
    """Choose a preset, or one's own prompts once there are any."""
    current = setup()
    options = list(preset_ids())
    if current.own != OwnPrompts():
        options.append(OWN)

    def changed() -> None:
        change_setup(setup().with_scenario(st.session_state["widget_scenario"]))

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
    left, right = st.columns(2)
    with left:
        block_size_picker(config.block_size)
        knob_input("cache_cap", config.cache_cap)
        knob_input("ttl", config.ttl)
        choice_input("queue_rule", CHOICES["queue_rule"][1], config.queue_rule)
        text_knob("version")
    with right:
        knob_input("num_slots", config.num_usable)
        knob_input("admit_after", config.admit_after)
        choice_input("ttl_kind", CHOICES["ttl_kind"][1], config.ttl_kind)
        text_knob("salt")
        st.button(say("knob.reset"), on_click=_reset_knobs, width="stretch", disabled=not setup().knobs)


def _config_now() -> EngineConfig:
    """Of the run if there is one, else of the scenario; of neither where even that cannot be read."""
    with suppress(BrothError):
        return current_run()[0].config
    with suppress(BrothError):
        return load_setup(setup(), lang()).config
    return EngineConfig()


def _reset_knobs() -> None:
    change_setup(replace(setup(), knobs={}, fork=None))


def block_size_picker(value: int) -> None:
    """Tokens per block."""

    def changed() -> None:
        change_setup(setup().with_knob("block_size", st.session_state["widget_block_size"]))

    options = sorted({*BLOCK_SIZES, value})
    st.session_state["widget_block_size"] = value
    st.selectbox(
        say("knob.block_size"),
        options,
        key="widget_block_size",
        on_change=changed,
        help=say("knob.block_size.help"),
    )


def knob_input(name: str, value: Any) -> None:
    """A whole-number knob; optional ones are empty when off."""
    knob: Knob = next(one for one in KNOBS if one.name == name)
    key = f"widget_{name}"

    def changed() -> None:
        change_setup(setup().with_knob(name, st.session_state[key]))

    st.session_state[key] = value
    st.number_input(
        say(f"knob.{name}"),
        value=None if knob.optional else "min",  # only what starts empty can be emptied again
        min_value=knob.least,
        max_value=max(knob.most, value or 0),
        step=1,
        key=key,
        on_change=changed,
        placeholder=say("knob.off"),
        help=say(f"knob.{name}.help"),
    )


def choice_input(name: str, options: tuple[str, ...], value: str) -> None:
    """A knob with named options."""
    key = f"widget_{name}"

    def changed() -> None:
        change_setup(setup().with_knob(name, st.session_state[key]))

    words = {option: say(f"knob.{name}.{option}") for option in options}
    st.session_state[key] = value
    st.selectbox(
        say(f"knob.{name}"),
        options,
        format_func=words.__getitem__,
        key=key,
        on_change=changed,
        help=say(f"knob.{name}.help"),
    )


def text_knob(name: str) -> None:
    """Salt or version: a short text, empty when off."""
    key = f"widget_{name}"

    def changed() -> None:
        change_setup(setup().with_knob(name, st.session_state[key]))

    st.session_state[key] = str(setup().knobs.get(name) or "")
    st.text_input(
        say(f"knob.{name}"), max_chars=40, key=key, on_change=changed, help=say(f"knob.{name}.help")
    )
