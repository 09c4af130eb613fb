"""Type a system prompt and messages; see at once where the blocks fall and what could be reused."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import ScenarioError
from core.hash_chain import split
from core.tokenizer import TeachingTokenizer
from ui.session import change_setup, plain, say, setup, show_error
from ui.setup import OWN, OwnPrompts, own_scenario

_MAX_PREVIEW = 60
"""Tokens of each prompt that the preview shows."""


def own_prompts_editor() -> None:
    """The form and its preview. Running replaces the scenario; nothing typed is ever lost."""
    own = setup().own
    with st.form("own_prompts", border=False):
        empty = own == OwnPrompts()  # nothing typed yet: show what it could be
        typed_before = say("own.system.example") if empty else own.system
        system = st.text_area(say("own.system"), typed_before, height=80)
        joined = say("own.messages.example") if empty else "\n".join(own.messages)
        messages = st.text_area(say("own.messages"), joined, height=110, help=say("own.messages.help"))
        answer = st.text_input(say("own.answer"), own.answer, help=say("own.answer.help"))
        pressed = st.form_submit_button(say("own.run"), type="primary", width="stretch")
    typed = OwnPrompts(system, tuple(line for line in messages.splitlines() if line.strip()), answer)
    if pressed:
        try:
            own_scenario(typed)
        except ScenarioError as error:
            show_error(error)  # what is typed stays in the form
        else:
            change_setup(replace(setup(), scenario=OWN, own=typed, knobs=_kept_knobs(), fork=None))
            st.rerun()
    cut_preview(typed, int(setup().knobs.get("block_size", 4)))


def _kept_knobs() -> dict[str, object]:
    current = setup()
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
    for start, block in enumerate(split(range(len(pieces)), block_size)):
        joined = "".join(pieces[start * block_size : start * block_size + len(block)]).strip(" ")
        text = plain("↵".join(joined.splitlines()) or ("↵" if joined else "␣"))
        full = len(block) == block_size
        marked.append(f":blue-background[{text}]" if full else f":orange-background[{text} …]")
    return " ".join(marked)
