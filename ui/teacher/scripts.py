"""The three scripts on the teacher's page: both windows of the lecture, the stops with their minutes."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ui.frame.session import lang, lang_mode, say
from ui.teacher.give import give_buttons, script_link
from ui.teacher.laptops import typed_host
from ui.teacher.places import address_of
from ui.teacher.seq import SEQUENCE, Sequence, Stop
from ui.teacher.stops import SCRIPTS, text, words
from ui.words.i18n import Lang, languages

PART = "teacher-part"
_SAID = ("ask", "hear", "true", "point")


def choose_script() -> int:
    """The length of a script, in minutes."""
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
    return length or 10


def scripts_panel(length: int, paper: Callable[[], None]) -> None:
    """What gives the script (``paper`` draws one more button), its stops with their minutes, the keys."""
    mode = lang_mode()
    host = typed_host()
    notes = script_link(length, mode, notes=True, host=host)
    give_buttons(script_link(length, mode, host=host), notes, paper)
    stops, keys = st.columns([3, 2], gap="large")
    stops.markdown("\n".join([*_head(), *_rows(length)]))
    for one in languages(mode):
        keys.markdown(text("script_keys", one))
    with st.expander(say("teacher.read")):
        for name, _ in SCRIPTS[length]:
            st.markdown(f"**{_both(name, 'title')}**\n\n" + "\n".join(_line(name, key) for key in _SAID))
    st.button(
        say("teacher.take"), key="teacher-take", help=say("teacher.take.help"), on_click=_take, args=(length,)
    )


def _head() -> list[str]:
    columns = ("stop", "minutes", "asks", "stage")
    return [_row("", *(say(f"teacher.column.{name}") for name in columns)), _row("---:", *["---"] * 4)]


def _rows(length: int) -> list[str]:
    rows = []
    begun = 0
    for number, (name, minutes) in enumerate(SCRIPTS[length], 1):
        link = f"[{say('teacher.open')}]({address_of(name).link(lang_mode())})"
        when = f"{begun}\u2060–\u2060{begun + minutes}"  # never cut at the dash
        rows.append(_row(str(number), f"**{_both(name, 'title')}**", when, words(name, "ask", lang()), link))
        begun += minutes
    return rows


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _both(name: str, key: str) -> str:
    return " · ".join(words(name, key, one) for one in languages(lang_mode()))


def _line(name: str, key: str) -> str:
    """One line of a stop; a second language stands under the first, in the same item."""
    said = "  \n  ".join(words(name, key, one) for one in languages(lang_mode()))
    return f"- **{say(f'teacher.{key}')}** {said}"


def as_sequence(length: int, leading: Lang) -> Sequence:
    """A script as a sequence to change and give. Question, answer and notes come with a stop's address."""
    return Sequence(
        tuple(
            Stop(address_of(name), words(name, "title", leading), minutes=minutes)
            for name, minutes in SCRIPTS[length]
        )
    )


def _take(length: int) -> None:
    SEQUENCE.set(as_sequence(length, lang()))
    st.session_state[PART] = "own"
