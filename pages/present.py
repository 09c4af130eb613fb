"""Present · 演示: a lecture in one window, for the projector; with ``notes=1`` the lecturer's own window."""

from __future__ import annotations

import streamlit as st

from ui.frame.link import LOST
from ui.frame.session import lang_mode, say
from ui.lecture.own import own_lecture
from ui.lecture.payload import Lecture
from ui.lecture.scripts import script_lecture
from ui.lecture.view import show_lecture
from ui.teacher.give import LECTURE, USUAL
from ui.teacher.laptops import base_of, own_url
from ui.teacher.seq import SEQUENCE


def render() -> None:
    """The lecture that the link names: a script, or the sequence that it carries."""
    if names := [say(name) for name in LOST.tell() or ()]:
        st.warning(say("page.link_lost", names=", ".join(names)))
    show_lecture(_asked())


def _asked() -> Lecture:
    asked, own = LECTURE.get(), SEQUENCE.get()
    base = base_of(own_url(), asked.host)
    if asked.script is None and own.stops:
        return own_lecture(own, lang_mode(), notes=asked.notes, base=base)
    return script_lecture(asked.script or USUAL, lang_mode(), notes=asked.notes, base=base)


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
