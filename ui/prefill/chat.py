"""Talk to a real model: type a system prompt and a question, and see what the shared beginning saves."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.backends.decoders.loader import ModelLoader
from core.backends.experiments.chat import Chat
from core.backends.experiments.measure import seconds_of
from core.backends.models.sources import HOW_TO_ADD_MODEL
from core.errors import BrothError
from ui.frame.seen import seen
from ui.frame.session import plain, say
from ui.prefill.about import equality_words, times
from ui.prefill.job import Job
from ui.prefill.models import (
    SMALL,
    VARIABLE,
    Choice,
    is_loaded,
    loader,
    model_name,
    need_mb,
    readable_models,
)
from ui.prefill.state import Turn, begin, state, usable_choice
from ui.words.numbers import digits
from ui.words.tables import show_table

MAX_SYSTEM, MAX_QUESTION = 4_000, 500
_KEPT_TURNS = 8


def chat_panel() -> None:
    """The form, and what was asked so far, the newest first."""
    readable = readable_models()
    if not readable:
        st.info(say("prefill.chat.none", command=HOW_TO_ADD_MODEL, variable=VARIABLE))
        return
    choice = usable_choice()
    if choice.model not in readable:
        choice = Choice(choice.library, readable[0])
        key = "prefill.chat.model" if choice.model == SMALL else "prefill.chat.own"
        st.caption(say(key, name=plain(model_name(choice)), memory=_memory(choice)))
    _form(choice)
    turns = state().turns
    if turns:
        _table(turns)
        for place, turn in enumerate(reversed(turns)):
            _turn(turn, newest=place == 0)


def _memory(choice: Choice) -> str:
    try:
        need = need_mb(choice)
    except BrothError:
        return "–"
    return say("prefill.chat.loaded") if is_loaded(choice) else f"{digits(need)} MB"


def _form(choice: Choice) -> None:
    """Two texts; both outlive a look at another page."""
    now = state()
    st.session_state.setdefault("prefill_system", now.system)
    st.session_state.setdefault("prefill_question", now.question)
    st.text_area(say("prefill.chat.system"), key="prefill_system", height=120, max_chars=MAX_SYSTEM)
    st.text_input(say("prefill.chat.question"), key="prefill_question", max_chars=MAX_QUESTION)
    now.system, now.question = st.session_state["prefill_system"], st.session_state["prefill_question"]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("prefill.chat.ask"),
            type="primary",
            key="prefill_ask",
            on_click=_ask,
            args=(choice,),
            disabled=now.job is not None,
        )
        if now.turns:
            st.button(say("prefill.chat.forget"), key="prefill_forget", on_click=_forget,
                      disabled=now.job is not None)  # fmt: skip
        st.caption(say("prefill.chat.hint"))


def _forget() -> None:
    """An empty cache, and no questions."""
    now = state()
    now.chat, now.chat_choice, now.turns = None, None, []


def _ask(choice: Choice) -> None:
    now = state()
    now.system, now.question = st.session_state["prefill_system"], st.session_state["prefill_question"]
    if now.chat_choice != choice:
        _forget()

    def keep(found: tuple[Chat, Turn]) -> None:
        now.chat, turn = found
        now.chat_choice = choice
        now.turns = [*now.turns, turn][-_KEPT_TURNS:]

    begin("chat", choice, partial(_answer, loader(), now.chat, now.system, now.question), keep)


def _answer(
    known: ModelLoader, chat: Chat | None, system: str, question: str, job: Job[tuple[Chat, Turn]]
) -> tuple[Chat, Turn]:
    """On the job's thread: answer over the cache, then compute the same prompt without it."""
    model = job.load(known)
    with job.clock_of(known):
        chat = chat or Chat(model)

        def tell(text: str) -> None:
            job.text = text
            job.progress(min(0.9, job.fraction + 0.02))

        answer = chat.ask(system, question, on_text=tell, cancelled=job.cancelled)
        without = chat.without_cache(answer)
    note = chat.model.chat_format.note(system)
    return chat, Turn(system, question, answer, seconds_of(without.first) * 1e3, without.difference, note)


def _table(turns: list[Turn]) -> None:
    """All questions in a row: the hit and the time to the first token."""
    head = [
        say(f"prefill.head.{name}")
        for name in ("question", "prompt", "hit_tokens", "ttft_with", "ttft_without")
    ]
    cells = []
    for place, turn in enumerate(turns):
        answer = turn.answer
        fewer = turn.system != turns[place - 1].system if place else False
        question = seen(turn.question) + (f" · *{say('prefill.chat.changed')}*" if fewer else "")
        times = (seconds_of(answer.first) * 1e3, turn.without_ms)
        cells.append(
            [
                f"{place + 1}. {question}",
                digits(answer.num_prompt),
                digits(answer.hit_tokens),
                *(f"{digits(ms)} ms" for ms in times),
            ]
        )
    show_table("prefill-chat", head, cells)


def _turn(turn: Turn, newest: bool) -> None:
    """One answer; the part of the prompt that came from the cache is marked."""
    answer = turn.answer
    ms = seconds_of(answer.first) * 1e3
    with st.container(border=True):
        st.markdown(f"**{seen(turn.question)}**")
        st.code(answer.text.strip() or "…", language=None, wrap_lines=True)
        if not newest:
            return
        words = {"total": answer.num_prompt, "ms": digits(ms), "without": digits(turn.without_ms)}
        if answer.hit_tokens:
            ratio = times(turn.without_ms / ms) if ms else "–"
            st.markdown(say("prefill.chat.saved", hit=answer.hit_tokens, ratio=ratio, **words))
        else:
            st.markdown(say("prefill.chat.cold", **words))
        st.markdown(equality_words(turn.difference))
        st.markdown(_marked(answer.pieces, answer.hit_tokens))
        st.caption(say("prefill.chat.legend"))
        if turn.note:
            st.caption(say(f"prefill.chat.{turn.note}"))


def _marked(pieces: tuple[str, ...], hit: int) -> str:
    """The prompt, what was reused on a coloured ground."""
    reused, new = ("".join(part) for part in (pieces[:hit], pieces[hit:]))
    marked = f":blue-background[{seen(reused)}]" if reused else ""
    return marked + seen(new)
