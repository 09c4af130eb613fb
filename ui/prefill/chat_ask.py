"""Asking the model, in the background: the answer over the cache, then the clock of both sides."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from core.backends.decoders.loader import ModelLoader
from core.backends.experiments.answer import Answer, Clock
from core.backends.experiments.chat import Chat
from core.backends.models.chat_template import Messages
from core.backends.progress import stopped
from core.errors import BackendError
from ui.prefill.conversation import Turn, conversation
from ui.prefill.job import Job
from ui.prefill.models import Choice, loader
from ui.prefill.state import begin, refuse, state

MAX_TOKENS = 48
"""Of an answer."""


def ask(choice: Choice) -> None:
    """The next question, under the system prompt that stands there now."""
    talk = conversation()
    talk.system, talk.question = st.session_state["prefill_system"], st.session_state["prefill_question"]
    spoken = talk.spoken if talk.choice == choice else ()
    changed = talk.current if spoken and talk.current and talk.current.system != talk.system else None
    messages = (("system", talk.system), *spoken, ("user", talk.question))
    _begin(choice, messages, changed.number if changed else None)


def ask_changed(choice: Choice, place: int, field: str) -> None:
    """The last question again, one message behind the system prompt as it stands in a field now."""
    turn = conversation().current
    if turn is None:
        return
    messages = list(turn.messages)
    messages[place + 1] = (messages[place + 1][0], st.session_state[field])
    _begin(choice, tuple(messages), turn.number if tuple(messages) != turn.messages else None)


def _begin(choice: Choice, messages: Messages, beside: int | None) -> None:
    if any(role == "user" and not text.strip() for role, text in messages):
        empty = BackendError("backend.chat_empty", "A question is empty. Type one, then ask again.")
        refuse("chat", choice, empty)
        return
    talk = conversation()
    if state().job is None and talk.choice != choice:
        talk.forget()
        talk.proposed, beside = None, None
    number = talk.turns[-1].number + 1 if talk.turns else 1

    def keep(found: tuple[Chat, Turn]) -> None:
        talk.chat, turn = found
        talk.choice = choice
        in_field = st.session_state.get("prefill_question", talk.question)
        talk.keep(replace(turn, number=number, beside=beside), in_field)

    begin("chat", choice, partial(_answer, loader(), talk.chat, messages), keep)


def _answer(
    known: ModelLoader, chat: Chat | None, messages: Messages, job: Job[tuple[Chat, Turn]]
) -> tuple[Chat, Turn]:
    """On the job's thread: answer over the cache, then time the first token with and without it."""
    model = job.load(known)
    with job.clock_of(known):
        chat = chat or Chat(model)

        def tell(text: str) -> None:
            job.text = text
            job.progress(min(0.5, job.fraction + 0.5 / MAX_TOKENS))

        answer = chat.ask(messages, max_tokens=MAX_TOKENS, on_text=tell, cancelled=job.cancelled)
        if answer.ended == "stopped" and not answer.token_ids:
            raise stopped()
        clock = _clock(chat, answer, job)
    note = model.chat_format.note(messages[0][1])
    size = len(answer.table) * chat.block_size * chat.kv_bytes_per_token
    light = replace(answer, logits=np.empty(0, np.float32))  # of a whole vocabulary, and not asked for again
    marks = model.readable().marks("\n".join(text for _, text in messages))
    return chat, Turn(0, messages, light, clock, size, note, tuple(marks))


def _clock(chat: Chat, answer: Answer, job: Job[tuple[Chat, Turn]]) -> Clock | None:
    """None if it was stopped: the answer stands all the same."""
    try:
        return chat.clock(answer, progress=lambda part: job.progress(0.5 + part / 2), cancelled=job.cancelled)
    except BackendError as error:
        if error.code != "backend.cancelled":
            raise
        return None
