"""The stage in a page: one component, one payload; everything after that happens in the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from ui.payload import Payload
from ui.session import choose_language
from ui.static_files import loader_js

_NAME = "broth_stage"
_mount = component(_NAME, js=loader_js())


def show_stage(
    payload: Payload, *, key: str = "stage", on_fork: Callable[[object], None] | None = None
) -> Any:
    """Draw the stage. Returns what the browser last told: step, lang, answer, bookmark.

    With a stable ``key`` a new payload (another language, another run) keeps the mounted element and the
    step; an equal payload is not even sent again. ``on_fork`` hears what a person wants to try otherwise.
    """

    def fork_changed() -> None:
        if on_fork is not None:
            on_fork(getattr(st.session_state.get(key), "fork", None))

    def lang_changed() -> None:
        choose_language(getattr(st.session_state.get(key), "lang", None))

    with st.container(key="stage-frame"):
        return _mount(
            key=key,
            data=payload,
            on_step_change=_hear_nothing,
            on_lang_change=lang_changed,
            on_answer_change=_hear_nothing,
            on_bookmark_change=_hear_nothing,
            on_fork_change=fork_changed,
        )


def _hear_nothing() -> None:
    """A component reports only events that have a listener."""
