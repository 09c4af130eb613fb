"""Type a system prompt and messages; see at once where the blocks fall and what could be reused."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import ScenarioError
from ui.frame.kept import Notice
from ui.frame.session import say, show_error
from ui.stage.own import (
    MAX_OWN_LINK,
    OWN,
    OwnPrompts,
    own_from_file,
    own_scenario,
    own_to_file,
    pack_own,
)
from ui.stage.own_preview import draw_preview
from ui.stage.setup import SETUP, Setup

_UNREAD: Notice[ScenarioError] = Notice("own_file_error")
"""Why a file was not taken."""


def own_prompts_editor() -> None:
    """The fields and their preview. What is typed stays, in whatever language and on whatever page one
    looks meanwhile; running replaces the scenario.
    """
    for name, text in _fields().items():
        st.session_state[_key(name)] = text
    st.text_area(say("own.system"), key=_key("system"), height=80, on_change=_keep)
    st.text_area(
        say("own.messages"), key=_key("messages"), height=110, help=say("own.messages.help"), on_change=_keep
    )
    st.text_input(say("own.answer"), key=_key("answer"), help=say("own.answer.help"), on_change=_keep)
    typed = _typed(_fields())
    if st.button(say("own.run"), type="primary", width="stretch", key="own_run"):
        _run(typed)
    st.caption(say("own.link"))
    draw_preview(_to_run(typed))
    _files(typed)


def _run(typed: OwnPrompts) -> None:
    try:
        own_scenario(typed)
    except ScenarioError as error:
        show_error(error)
        return
    SETUP.set(_to_run(typed))
    st.session_state["own_draft"] = None
    st.session_state["set_up_done"] = True
    st.rerun()


def _key(name: str) -> str:
    return f"own_{name}"


def _fields() -> dict[str, str]:
    """What the fields hold: the draft, else what was run last, else an example in the visitor's language."""
    draft: dict[str, str] | None = st.session_state.get("own_draft")
    own = SETUP.get().own
    if draft is not None:
        return draft
    if own == OwnPrompts():
        return {"system": say("own.system.example"), "messages": say("own.messages.example"), "answer": ""}
    return {"system": own.system, "messages": "\n".join(own.messages), "answer": own.answer}


def _keep() -> None:
    """Streamlit forgets a field that a page does not draw; a draft outlives that."""
    st.session_state["own_draft"] = {name: st.session_state[_key(name)] for name in _fields()}


def _typed(fields: dict[str, str]) -> OwnPrompts:
    lines = tuple(line for line in fields["messages"].splitlines() if line.strip())
    return OwnPrompts(fields["system"], lines, fields["answer"])


# -- as a file ---------------------------------------------------------------------------------------------


def _files(typed: OwnPrompts) -> None:
    """A link carries short prompts; a file carries any."""
    with st.expander(say("own.file")):
        too_long = len(pack_own(typed)) > MAX_OWN_LINK
        st.caption(say("own.file.needed" if too_long else "own.file.why", limit=MAX_OWN_LINK))
        st.download_button(
            say("own.file.save"), lambda: own_to_file(typed), "broth-prompts.json", on_click="ignore"
        )  # made at the click: a file that stands ready is gone when the next one takes its place
        st.file_uploader(
            say("own.file.load"), type="json", max_upload_size=1, key="own_file", on_change=_load
        )
        if error := _UNREAD.tell():
            show_error(error)


def _load() -> None:
    found = st.session_state["own_file"]
    if found is None:
        return
    try:
        own = own_from_file(found.name, found.getvalue())
    except ScenarioError as error:
        _UNREAD.set(error)
        return
    st.session_state["own_draft"] = {
        "system": own.system,
        "messages": "\n".join(own.messages),
        "answer": own.answer,
    }


def _to_run(typed: OwnPrompts) -> Setup:
    """The setup that a run of these prompts has; knobs of another scenario do not carry over."""
    current = SETUP.get()
    knobs = dict(current.knobs) if current.scenario == OWN else {}
    return replace(current, scenario=OWN, own=typed, knobs=knobs, fork=None)
