"""For the teacher: three scripts, links for a class, a sequence of one's own, laptops, a class's results."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.navigation import page
from ui.frame.session import lang_mode, say
from ui.frame.shell import toolbar
from ui.lecture.own import own_lecture
from ui.lecture.paper import notes_html
from ui.lecture.payload import Lecture
from ui.lecture.scripts import script_lecture
from ui.teacher import add as teacher_add
from ui.teacher import laptops as teacher_class
from ui.teacher import links as teacher_links
from ui.teacher import results as teacher_results
from ui.teacher.edit import own_panel
from ui.teacher.scripts import PART, choose_script, scripts_panel
from ui.teacher.seq import SEQUENCE
from ui.teacher.stops import text
from ui.words.i18n import languages

PARTS = ("scripts", "link", "own", "class", "results")


def render() -> None:
    """The chosen part."""
    toolbar()
    teacher_class.keep_widgets(
        (*teacher_links.KEPT, *teacher_class.KEPT, *teacher_add.KEPT, *teacher_results.KEPT)
    )
    st.subheader(say("nav.teacher"), anchor=False)
    _tell("intro")
    draw: dict[str, Callable[[], None]] = {
        "scripts": _scripts,
        "link": teacher_links.links_panel,
        "own": _own,
        "class": lambda: teacher_class.class_panel(teacher_links.class_address()),
        "results": teacher_results.results_panel,
    }
    draw[_part()]()


def _part() -> str:
    """Which part; somebody who comes back to a sequence finds it open."""
    titles = {name: say(f"teacher.part.{name}") for name in PARTS}
    if PART not in st.session_state:
        st.session_state[PART] = "own" if SEQUENCE.get().stops else PARTS[0]
    chosen = st.segmented_control(
        say("teacher.part"),
        list(titles),
        required=True,
        key=PART,
        format_func=titles.__getitem__,
        label_visibility="collapsed",
    )
    return chosen or PARTS[0]


def _scripts() -> None:
    _tell("scripts")
    length = choose_script()
    mode = lang_mode()
    scripts_panel(
        length,
        lambda: _paper(lambda: script_lecture(length, mode, notes=True, base=teacher_class.server_base())),
    )
    _tell("print")
    st.page_link(page("finish"), label=say("teacher.handout"), icon=":material/print:")


def _own() -> None:
    sequence, mode = SEQUENCE.get(), lang_mode()
    own_panel(
        page("present"),
        lambda: _paper(lambda: own_lecture(sequence, mode, notes=True, base=teacher_class.server_base())),
    )


def _paper(lecture: Callable[[], Lecture]) -> None:
    """The notes to print, for a room whose projector mirrors the only screen; made when asked for."""
    st.download_button(
        say("teacher.paper"),
        lambda: notes_html(lecture()),
        "broth-notes.html",
        "text/html",
        key="teacher-paper",
        help=say("teacher.paper.help"),
        icon=":material/print:",
        on_click="ignore",
    )


def _tell(name: str) -> None:
    for one in languages(lang_mode()):
        st.markdown(text(name, one))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
