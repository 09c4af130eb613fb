"""What this server holds of a visitor, said in full, and dropped at once if they wish."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.course.mine import MINE
from ui.course.said import BETS
from ui.frame.session import lang_mode, plain, say
from ui.prefill.conversation import conversation
from ui.server.sessions import minutes_kept
from ui.server.uploads import drop_uploads, held_bytes
from ui.stage.record import RECORD
from ui.stage.setup import SETUP
from ui.study.study import STUDY
from ui.teacher.seq import SEQUENCE
from ui.traffic.state import state as traffic_state
from ui.words.numbers import digits

_FORGOTTEN = "forgotten"


def held_panel() -> None:
    """Closed until somebody asks."""
    drawer = st.expander(say("held.title"), icon=":material/shield:")
    held_words(drawer)


def held_words(place: DeltaGenerator) -> None:
    """The sentences and the button, there; after forgetting, the page opens anew at once."""
    if st.session_state.pop(_FORGOTTEN, False):
        _open_anew()
    with place:
        st.markdown("\n".join(f"- {one}" for one in held()) or say("held.nothing"))
        st.caption(say("held.where", minutes=minutes_kept()))
        st.button(say("held.forget"), key="held-forget", help=say("held.forget.help"), on_click=forget_now)


def held() -> Iterator[str]:
    """One sentence for each kind of thing; nothing of what everybody gets."""
    if typed := _typed_chars():
        yield say("held.own", n=typed)
    if size := held_bytes(_session()):
        yield say("held.uploads", mb=digits(size / 1e6))
    traffic = traffic_state()
    for log in (traffic.log, traffic.other):
        if log is not None and log.key[0] != "sample":
            yield say("held.log", name=plain(log.trace.name), n=len(log.trace.requests))
    if traffic.pasted:
        yield say("held.pasted", n=len(traffic.pasted))
    if turns := conversation().turns:
        yield say("held.turns", n=len(turns))
    if answers := _answers():
        yield say("held.answers", n=answers)
    if stops := SEQUENCE.get().stops:
        yield say("held.stops", n=len(stops))


def forget_now() -> None:
    """Drop it all: files, what was typed, what was computed, what stands in the address but the language."""
    mode = lang_mode()
    drop_uploads(_session())
    st.session_state.clear()
    st.query_params.from_dict({"lang": mode})
    st.session_state[_FORGOTTEN] = True


def _open_anew() -> None:
    """A browser keeps what stands in its fields and sends it at the next change, unless it loads anew."""
    address = json.dumps(f"?{urlencode({'lang': lang_mode()})}")
    script = f"<script>location.replace({address})</script>"
    st.html(say("held.forgotten") + script, unsafe_allow_javascript=True)


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context is not None else ""


def _typed_chars() -> int:
    own, mine = SETUP.get().own, MINE.get()
    draft: dict[str, str] = st.session_state.get("own_draft") or {}
    texts = [*(draft.values() or (own.system, *own.messages, own.answer)), mine.system, *mine.messages]
    return sum(map(len, texts))


def _answers() -> int:
    record, study = RECORD.get(), STUDY.get()
    return len(record.answers) + len(record.forks) + study.sheet.is_answered + len(BETS.get())
