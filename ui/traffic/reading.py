"""How a log is read: format, template, tokenizer, what its ids cover, broken lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.traces.door.formats import NAMES
from core.traces.templates import TEMPLATES
from ui.frame.session import lang, say, stands_on_one
from ui.traffic.panels import Panels
from ui.traffic.setup import LARGEST_LOG_BLOCK, USAGE_READINGS, Wanted
from ui.traffic.state import choose, chosen
from ui.traffic.tokenizers import AUTO, how_to_add, offered, resolved

_DELTAS = {"yes": True, "no": False}


def pick(name: str, kind: str, options: Sequence[str], value: str, prefix: str, **more: Any) -> str | None:
    """A widget whose options are words of the tables; it stands where the setup has put it. ``more``: what
    else the widget takes."""
    key = f"traffic_{name}"
    st.session_state.setdefault(key, value)
    if st.session_state[key] not in options:
        st.session_state[key] = value
    words = {one: say("traffic.auto" if one == AUTO else f"{prefix}{one}") for one in options}
    make = getattr(st, kind)
    found: str | None = make(
        say(f"traffic.{name}.label"), list(options), format_func=words.__getitem__, key=key, **more
    )
    return found


def reading_options(panels: Panels) -> None:
    """The panel. What it shows is the setup, and what a person changes is in the setup before anything else
    is drawn: another part of the page may set the same choices."""
    with panels.told:
        choose(wanted=_possible(chosen().wanted))
    with panels.add("options", say("traffic.options")):
        left, middle, right = st.columns(3)
        with left:
            _choice("format", "format_name", (AUTO, *NAMES), "trace.format.")
            _choice("usage_reading", "usage_reading", USAGE_READINGS, "traffic.usage_reading.")
            _tick("skip", "skip_broken")
        with middle:
            _choice("tokenizer", "tokenizer", (AUTO, *offered()), "traffic.tokenizer.")
            _choice("template", "template", tuple(TEMPLATES), "traffic.template.")
            _tick("split", "split_by_model")
            _tick("ignore_times", "ignore_times")
        with right:
            _size()
            _choice("convention", "convention", (AUTO, "ceil", "floor"), "traffic.tail.")
            _choice("deltas", "deltas", (AUTO, *_DELTAS), "traffic.deltas.")
        st.caption(say("traffic.options.help"))
        if missing := how_to_add(lang()):
            st.caption(missing.replace("{", "").replace("}", ""))


def _possible(wanted: Wanted) -> Wanted:
    """A link may name a format that does not exist, or a tokenizer that another server has."""
    if wanted.format_name is not None and wanted.format_name not in NAMES:
        wanted = replace(wanted, format_name=None)
    if wanted.tokenizer not in (AUTO, *offered()):
        name = say(f"traffic.tokenizer.{wanted.tokenizer}")
        st.warning(
            say("traffic.tokenizer.not_here", name=name, used=say(f"traffic.tokenizer.{resolved(AUTO)}"))
        )
        wanted = replace(wanted, tokenizer=AUTO)
    return wanted


def _take(name: str, key: str, options: Sequence[str] = ()) -> None:
    """A person changed a choice: a word, a number or a tick."""
    if key not in st.session_state or (options and not stands_on_one(key, options)):
        return
    told = st.session_state[key]
    if name == "deltas":
        told = _DELTAS.get(told)
    change: dict[str, Any] = {name: getattr(Wanted(), name) if told == AUTO else told}
    if name == "format_name":
        change["field_map"] = None  # the one overrules the other: what was said last counts
    choose(wanted=replace(chosen().wanted, **change))


def _choice(word: str, name: str, options: Sequence[str], prefix: str) -> None:
    """One of a few; `word` is what it is called in keys and tables, `name` the field of `Wanted`."""
    key, value = f"traffic_{word}", getattr(chosen().wanted, name)
    said = {one: say("traffic.auto" if one == AUTO else f"{prefix}{one}") for one in options}
    if name == "deltas":
        value = {told: text for text, told in _DELTAS.items()}.get(value)
    st.session_state[key] = AUTO if value is None else value
    st.selectbox(
        say(f"traffic.{word}.label"),
        list(options),
        format_func=said.__getitem__,
        key=key,
        on_change=_take,
        args=(name, key, options),
    )


def _tick(word: str, name: str) -> None:
    key = f"traffic_{word}"
    st.session_state[key] = getattr(chosen().wanted, name)
    st.checkbox(say(f"traffic.{word}"), key=key, on_change=_take, args=(name, key))


def _size() -> None:
    key = "traffic_log_block"
    st.session_state[key] = chosen().wanted.block_size
    st.number_input(
        say("traffic.log_block"),
        1,
        LARGEST_LOG_BLOCK,
        None,
        key=key,
        placeholder=say("traffic.auto"),
        on_change=_take,
        args=("block_size", key),
    )
