"""How a log is read: format, template, tokenizer, what its ids cover, broken lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.traces.door.formats import NAMES
from core.traces.templates import TEMPLATES
from ui.frame.session import lang, say
from ui.traffic.setup import LARGEST_LOG_BLOCK, Wanted
from ui.traffic.state import choose, chosen
from ui.traffic.tokenizers import how_to_add, offered

AUTO = "auto"


def pick(name: str, kind: str, options: Sequence[str], value: str, prefix: str) -> str | None:
    """A widget whose options are words of the tables; it stands where the setup has put it."""
    key = f"traffic_{name}"
    st.session_state.setdefault(key, value)
    if st.session_state[key] not in options:
        st.session_state[key] = value
    words = {one: say("traffic.auto" if one == AUTO else f"{prefix}{one}") for one in options}
    make = getattr(st, kind)
    found: str | None = make(
        say(f"traffic.{name}.label"), list(options), format_func=words.__getitem__, key=key
    )
    return found


def reading_options() -> None:
    """The panel; whatever it says is in the setup afterwards."""
    wanted = _possible(chosen().wanted)
    with st.expander(say("traffic.options")):
        left, middle, right = st.columns(3)
        with left:
            wanted = _format(wanted)
        with middle:
            wanted = _text(wanted)
        with right:
            wanted = _ids(wanted)
        st.caption(say("traffic.options.help"))
        if missing := how_to_add(lang()):
            st.caption(missing.replace("{", "").replace("}", ""))
    choose(wanted=wanted)


def _possible(wanted: Wanted) -> Wanted:
    """A link may name a format that does not exist, or a tokenizer that another server has."""
    if wanted.format_name is not None and wanted.format_name not in NAMES:
        wanted = replace(wanted, format_name=None)
    if wanted.tokenizer not in offered():
        name = say(f"traffic.tokenizer.{wanted.tokenizer}")
        st.warning(say("traffic.tokenizer.not_here", name=name, used=say("traffic.tokenizer.teaching")))
        wanted = replace(wanted, tokenizer="teaching")
    return wanted


def _format(wanted: Wanted) -> Wanted:
    value = pick("format", "selectbox", [AUTO, *NAMES], wanted.format_name or AUTO, "trace.format.")
    st.session_state.setdefault("traffic_skip", wanted.skip_broken)
    skip = st.checkbox(say("traffic.skip"), key="traffic_skip")
    return replace(wanted, format_name=None if value == AUTO else value, skip_broken=skip)


def _text(wanted: Wanted) -> Wanted:
    tokenizer = pick("tokenizer", "selectbox", offered(), wanted.tokenizer, "traffic.tokenizer.")
    template = pick("template", "selectbox", list(TEMPLATES), wanted.template, "traffic.template.")
    return replace(wanted, tokenizer=tokenizer or "teaching", template=template or "plain")


def _ids(wanted: Wanted) -> Wanted:
    st.session_state.setdefault("traffic_log_block", wanted.block_size)
    size = st.number_input(
        say("traffic.log_block"),
        1,
        LARGEST_LOG_BLOCK,
        None,
        key="traffic_log_block",
        placeholder=say("traffic.auto"),
    )
    tails = [AUTO, "ceil", "floor"]
    tail = pick("convention", "selectbox", tails, wanted.convention or AUTO, "traffic.tail.")
    return replace(wanted, block_size=size, convention=None if tail == AUTO else tail)
