"""The three scripts on the teacher's page: minutes, link, question, usual answers, truth, what to show."""

from __future__ import annotations

import streamlit as st

from ui.frame.session import lang, lang_mode, say
from ui.teacher.seq import SEQUENCE, Sequence, Stop
from ui.teacher.stops import SCRIPTS, WORDS, address_of, words
from ui.words.i18n import languages

PART = "teacher-part"
_ICON = ":material/open_in_new:"


def scripts_panel() -> None:
    """Choose a length, then its stops from top to bottom."""
    titles = {length: say("teacher.minutes", n=length) for length in SCRIPTS}
    length = st.segmented_control(
        say("teacher.length"),
        list(SCRIPTS),
        default=10,
        required=True,
        key="teacher-length",
        format_func=titles.__getitem__,
        label_visibility="collapsed",
    )
    script = SCRIPTS[length or 10]
    begun = 0
    for number, (name, minutes) in enumerate(script, 1):
        _stop(number, name, begun, begun + minutes)
        begun += minutes
    st.button(
        say("teacher.take"),
        key="teacher-take",
        help=say("teacher.take.help"),
        on_click=_take,
        args=(length or 10,),
    )


def _stop(number: int, name: str, begun: int, ends: int) -> None:
    spoken = languages(lang_mode())
    with st.container(border=True):
        head, go = st.columns([4, 1], vertical_alignment="center")
        titles = " · ".join(words(name, "title", one) for one in spoken)
        head.markdown(f"**{number}. {titles}** :gray[· {say('teacher.when', begun=begun, ends=ends)}]")
        go.link_button(
            say("teacher.open"),
            address_of(name).link(lang_mode()),
            key=f"teacher-open-{name}",
            icon=_ICON,
            width="stretch",
        )
        st.markdown("\n".join(_line(name, key) for key in WORDS[1:]))


def _line(name: str, key: str) -> str:
    """One line of a stop; a second language stands under the first, in the same item."""
    said = "  \n  ".join(words(name, key, one) for one in languages(lang_mode()))
    return f"- **{say(f'teacher.{key}')}** {said}"


def as_sequence(length: int) -> Sequence:
    """A script as a sequence to change and present: questions and answers as notes."""
    leading = lang()
    names = (name for name, _ in SCRIPTS[length])
    return Sequence(
        tuple(Stop(address_of(name), words(name, "title", leading), _note(name)) for name in names)
    )


def _note(name: str) -> str:
    leading = lang()
    return "\n".join(words(name, key, leading) for key in ("ask", "true"))


def _take(length: int) -> None:
    SEQUENCE.set(as_sequence(length))
    st.session_state[PART] = "own"
