"""Giving a lecture: the links to its two windows, ``present?script=25`` and the same with ``notes=1``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from ui.frame.link import LinkPart, Query
from ui.frame.session import say
from ui.teacher.laptops import read_host
from ui.teacher.seq import SEQ, Sequence, pack
from ui.teacher.stops import SCRIPTS
from ui.words.i18n import LangMode

PAGE = "present"
USUAL = 10
"""The script of a link that names none, and no sequence either."""


@dataclass(frozen=True, slots=True)
class Asked:
    """``script``: its minutes; None for the sequence in the link. ``notes``: the lecturer's own window.
    ``host``: where the room reaches this server, if the lecturer's own address is of no use to others."""

    script: int | None = None
    notes: bool = False
    host: str = ""


_NAMES = {"script": "teacher.part.scripts", "notes": "teacher.notes", "host": "teacher.class.host"}


def _from_query(query: Query) -> tuple[Asked, list[str]]:
    lengths = {str(length): length for length in SCRIPTS}
    allowed = (("script", [*lengths]), ("notes", ["1"]))
    lost = [name for name, known in allowed if name in query and query[name] not in known]
    host = read_host(query.get("host", "")) or ""
    lost += ["host"] if query.get("host") and not host else []
    return Asked(lengths.get(query.get("script", "")), query.get("notes") == "1", host), lost


def _to_query(asked: Asked) -> dict[str, str]:
    script = {} if asked.script is None else {"script": str(asked.script)}
    return script | ({"notes": "1"} if asked.notes else {}) | ({"host": asked.host} if asked.host else {})


LECTURE = LinkPart("lecture_asked", Asked, _NAMES, _from_query, _to_query, only_on=PAGE)


def script_link(length: int, mode: LangMode, *, notes: bool = False, host: str = "") -> str:
    """Where a script is given, seen from any page. ``host``: where the room reaches this server."""
    return f"{PAGE}?{urlencode({**_to_query(Asked(length, notes, host)), 'lang': mode})}"


def own_link(sequence: Sequence, mode: LangMode, *, notes: bool = False, host: str = "") -> str:
    """Where a sequence is given; it has to fit a link."""
    return f"{PAGE}?{urlencode({SEQ: pack(sequence), **_to_query(Asked(None, notes, host)), 'lang': mode})}"


def give_buttons(lecture: str, notes: str, paper: Callable[[], None]) -> None:
    """Both windows, each in a tab of its own, the second for the lecturer alone; and the notes on paper."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.link_button(
            say("teacher.give"), lecture, key="teacher-give", type="primary", icon=":material/slideshow:"
        )
        st.link_button(
            say("teacher.give.notes"), notes, key="teacher-give-notes", icon=":material/speaker_notes:"
        )
        paper()
