"""Type a system prompt and messages; see at once where the blocks fall and what could be reused."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.engine.hash_chain import split
from core.errors import ScenarioError
from core.scenario.tokenizer import TeachingTokenizer
from ui.frame.kept import Notice
from ui.frame.session import plain, say, show_error
from ui.stage.own import (
    MAX_OWN_LINK,
    OWN,
    OWN_BLOCK_SIZE,
    OwnPrompts,
    own_from_file,
    own_scenario,
    own_to_file,
    pack_own,
)
from ui.stage.setup import SETUP

_UNREAD: Notice[ScenarioError] = Notice("own_file_error")
"""Why a file was not taken."""

_MAX_PREVIEW = 60
"""Tokens of each prompt that the preview shows."""

_MAX_PIECE = 24
"""Characters of one token that it shows: a line without a space is a single token, however long."""


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
    cut_preview(typed, int(SETUP.get().knobs.get("block_size", OWN_BLOCK_SIZE)))
    _files(typed)


def _run(typed: OwnPrompts) -> None:
    try:
        own_scenario(typed)
    except ScenarioError as error:
        show_error(error)
        return
    SETUP.set(replace(SETUP.get(), scenario=OWN, own=typed, knobs=_kept_knobs(), fork=None))
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
        kept = own_to_file(typed)
        st.download_button(say("own.file.save"), kept, "broth-prompts.json", on_click="ignore")
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


# -- the preview -------------------------------------------------------------------------------------------


def _kept_knobs() -> dict[str, object]:
    current = SETUP.get()
    return dict(current.knobs) if current.scenario == OWN else {}


def cut_preview(own: OwnPrompts, block_size: int) -> None:
    """Each prompt cut into blocks, and how much of it equals the first one."""
    tokenizer = TeachingTokenizer()
    prompts = [own.system + message for message in own.messages][:6]
    first = tokenizer.encode(prompts[0]) if prompts else []
    for number, prompt in enumerate(prompts):
        tokens = tokenizer.encode(prompt)
        equal = _common(first, tokens)
        reusable = min(equal, len(tokens) - 1) // block_size * block_size if number else 0
        key = "own.preview.first" if number == 0 else "own.preview.next"
        st.caption(say(key, number=number, n=len(tokens), equal=equal, reusable=reusable))
        st.markdown(_blocks(tokenizer.pieces(prompt)[:_MAX_PREVIEW], block_size))


def _common(left: list[int], right: list[int]) -> int:
    pairs = zip(left, right, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _blocks(pieces: list[str], block_size: int) -> str:
    """Full blocks framed, the not-full one in brackets."""
    marked: list[str] = []
    pieces = [piece if len(piece) <= _MAX_PIECE else f"{piece[:_MAX_PIECE]}…" for piece in pieces]
    for start, block in enumerate(split(range(len(pieces)), block_size)):
        joined = "".join(pieces[start * block_size : start * block_size + len(block)]).strip(" ")
        text = plain("↵".join(joined.splitlines()) or ("↵" if joined else "␣"))
        full = len(block) == block_size
        marked.append(f":blue-background[{text}]" if full else f":orange-background[{text} …]")
    return " ".join(marked)
