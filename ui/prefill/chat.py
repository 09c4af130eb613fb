"""Talk to a real model: a conversation that grows, what each turn finds in the cache, what a change costs."""

from __future__ import annotations

import streamlit as st

from core.errors import BrothError
from core.extras import how_to_add
from ui.frame.session import plain, say, stands_on_one
from ui.prefill.chat_ask import ask, ask_changed
from ui.prefill.chat_ledger import ledger
from ui.prefill.conversation import Conversation, conversation
from ui.prefill.models import (
    SMALL,
    VARIABLE,
    Choice,
    is_loaded,
    model_name,
    need_mb,
    readable_models,
)
from ui.prefill.state import state, usable_choice
from ui.words.numbers import digits

MAX_SYSTEM, MAX_QUESTION = 4_000, 500

_IN_LIST = 60
"""Characters of a message in a list."""

_LOOKS = {"user": ":material/person:", "assistant": ":material/smart_toy:"}


def chat_panel() -> None:
    """The conversation and the next question; beside it what each turn cost."""
    readable = readable_models()
    if not readable:
        st.info(say("prefill.chat.none", command=how_to_add("model"), variable=VARIABLE))
        return
    choice = usable_choice()
    if choice.model not in readable:
        choice = Choice(choice.library, readable[0])
        key = "prefill.chat.model" if choice.model == SMALL else "prefill.chat.own"
        st.caption(say(key, name=plain(model_name(choice)), memory=_memory(choice)))
    talk = conversation()
    if talk.turns and talk.choice != choice:
        st.caption(say("prefill.chat.other_model"))
    if not talk.turns:
        _form(talk, choice)
        return
    left, right = st.columns([4, 5], gap="medium")
    with left:
        _spoken(talk)
        _form(talk, choice)
        _change(talk, choice)
    with right:
        ledger(talk)


def _memory(choice: Choice) -> str:
    try:
        need = need_mb(choice)
    except BrothError:
        return "–"
    return say("prefill.chat.loaded") if is_loaded(choice) else say("prefill.chat.to_load", mb=digits(need))


# -- what was said, and the next question ---------------------------------------------------------------


def _spoken(talk: Conversation) -> None:
    """The conversation so far; which one, where a change has made several."""
    if len(talk.turns) > 1:
        st.session_state["prefill_at"] = talk.at
        words = {turn.number: f"{turn.number}. {_short(turn.question)}" for turn in talk.turns}
        st.selectbox(
            say("prefill.chat.at"),
            list(words),
            format_func=words.__getitem__,
            index=None,
            placeholder=say("prefill.chat.anew"),
            key="prefill_at",
            on_change=_go_to,
        )
    if not talk.spoken:
        return
    with st.container(border=True, gap="small"):
        for role, text in talk.spoken:
            st.markdown(f"{_LOOKS[role]} {plain(text.strip()) or '…'}")
    current = talk.current
    if current is not None and current.answer.ended != "model":
        st.caption(say(f"prefill.chat.ended.{current.answer.ended}", n=current.answer.num_tokens))


def _short(text: str) -> str:
    """For a list to choose from."""
    return text if len(text) <= _IN_LIST else text[:_IN_LIST] + "…"


def _go_to() -> None:
    talk = conversation()
    if not stands_on_one("prefill_at", [None, *(turn.number for turn in talk.turns)]):
        return
    talk.at = st.session_state["prefill_at"]
    if talk.current is not None:
        talk.system = talk.current.system
        st.session_state["prefill_system"] = talk.system


def _form(talk: Conversation, choice: Choice) -> None:
    """Two texts; both outlive a look at another page."""
    if talk.proposed is not None:
        st.session_state["prefill_question"], talk.question = talk.proposed, talk.proposed
        talk.proposed = None
    st.session_state.setdefault("prefill_system", talk.system)
    st.session_state.setdefault("prefill_question", talk.question)
    with st.expander(say("prefill.chat.system"), expanded=not talk.turns):
        st.text_area(
            say("prefill.chat.system"), key="prefill_system", height=80, max_chars=MAX_SYSTEM,
            label_visibility="collapsed",
        )  # fmt: skip
    st.text_input(say("prefill.chat.question"), key="prefill_question", max_chars=MAX_QUESTION)
    talk.system, talk.question = st.session_state["prefill_system"], st.session_state["prefill_question"]
    busy = state().job is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(say("prefill.chat.ask"), type="primary", key="prefill_ask", on_click=ask, args=(choice,),
                  disabled=busy)  # fmt: skip
        if talk.turns:
            st.button(say("prefill.chat.anew"), key="prefill_anew", on_click=talk.begin_anew,
                      disabled=busy or talk.at is None)  # fmt: skip
            st.button(say("prefill.chat.forget"), key="prefill_forget", on_click=talk.forget,
                      disabled=busy)  # fmt: skip
        st.caption(say("prefill.chat.hint"))


def _change(talk: Conversation, choice: Choice) -> None:
    """Change an earlier message, and ask the last question again."""
    turn = talk.current
    if turn is None:
        return
    earlier = turn.messages[1:]
    with st.expander(say("prefill.chat.change")):
        words = [
            say(f"prefill.chat.{role}", n=n, text=_short(text)) for n, (role, text) in enumerate(earlier, 1)
        ]
        place = st.selectbox(
            say("prefill.chat.which"), range(len(words)), format_func=words.__getitem__,
            key=f"prefill_which_{turn.number}",
        )  # fmt: skip
        field = f"prefill_changed_{turn.number}_{place}"
        st.text_area(say("prefill.chat.text"), earlier[place][1], max_chars=MAX_SYSTEM, key=field)
        st.button(
            say("prefill.chat.ask_again"),
            key="prefill_ask_again",
            on_click=ask_changed,
            args=(choice, place, field),
            disabled=state().job is not None,
        )
        st.caption(say("prefill.chat.change.hint"))
