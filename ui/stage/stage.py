"""The stage in a page: one component, one payload; everything after that happens in the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from ui.frame.session import choose_language
from ui.frame.static_files import loader_js
from ui.stage.payload import Payload, to_bytes

Hear = Callable[[object], None]
_NAME = "broth_stage"
_mount = component(_NAME, js=loader_js())


def show_stage(
    payload: Payload,
    *,
    key: str = "stage",
    on_fork: Hear | None = None,
    on_answer: Hear | None = None,
    on_bet: Hear | None = None,
    on_run: Hear | None = None,
    on_seen: Hear | None = None,
) -> Any:
    """Draw the stage. Returns what the browser last told: lang, answer, bet, fork, run, seen.

    With a stable ``key`` a new payload (another language, another run) keeps the mounted element and the
    step; an equal payload is not even sent again. ``on_fork`` hears what a person wants to try otherwise,
    ``on_answer`` what they answered, ``on_bet`` what they bet, ``on_run`` what they want to run next,
    ``on_seen`` which run they have come to the end of.
    """

    def told(name: str) -> object:
        return getattr(st.session_state.get(key), name, None)

    def hear(name: str, listener: Hear | None) -> Callable[[], None]:
        return _hear_nothing if listener is None else lambda: listener(told(name))

    whole = payload["flags"].get("whole")  # all of the page is stage: it hears keys, and needs no margins
    with st.container(key="stage-whole" if whole else "stage-frame"):
        return _mount(
            key=key,
            data=to_bytes(payload),
            on_lang_change=hear("lang", choose_language),
            on_answer_change=hear("answer", on_answer),
            on_bet_change=hear("bet", on_bet),
            on_fork_change=hear("fork", on_fork),
            on_run_change=hear("run", on_run),
            on_seen_change=hear("seen", on_seen),
        )


def _hear_nothing() -> None:
    """A component reports only events that have a listener."""
