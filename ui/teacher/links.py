"""A link that opens the stage as a class needs it: scenario, what is hidden, layout, questions, language."""

from __future__ import annotations

import streamlit as st

from ui.frame.session import lang_mode, say
from ui.frame.shell import NAMES as LANGUAGES
from ui.stage.run import title_of
from ui.stage.setup import PANELS, Setup, preset_ids
from ui.teacher.address import Address, run_address
from ui.teacher.laptops import local_hint, server_base
from ui.teacher.stops import text
from ui.words.i18n import MODES, LangMode, languages

_WORDS = {
    "lane": "zone.A",
    "table": "zone.B",
    "pool": "zone.C",
    "btable": "zone.D",
    "totals": "zone.E",
    "queue": "zone.F",
    "story": "zone.G",
    "quiz": "ask.title",
    "time": "zone.H",
    "fork": "drawer.fork",
    "log": "drawer.log",
    "inspect": "drawer.inspect",
    "tables": "drawer.table",
    "code": "key.code",
    "noodle": "key.noodle",
    "lang": "key.lang",
}
_SCENARIO, _HIDE, _LANG = "teacher-scenario", "teacher-hide", "teacher-lang"
_PRESENTER, _GUIDED = "teacher-presenter", "teacher-guided"
KEPT = (_SCENARIO, _HIDE, _LANG, _PRESENTER, _GUIDED)
"""Widgets whose choice outlives the other parts of the page."""


def links_panel() -> None:
    """The form, its link, and the keys to present with."""
    _tell("link")
    left, right = st.columns(2)
    titles = {name: title_of(name) for name in preset_ids()}
    panels = {name: say(f"stage.{_WORDS[name]}") for name in PANELS}
    with left:
        st.selectbox(say("control.scenario"), list(titles), format_func=titles.__getitem__, key=_SCENARIO)
        st.multiselect(
            say("teacher.link.hide"),
            list(panels),
            format_func=panels.__getitem__,
            key=_HIDE,
            placeholder=say("teacher.link.hide.none"),
        )
    with right:
        st.segmented_control(
            say("lang.label"),
            MODES,
            default=None if _LANG in st.session_state else lang_mode(),
            required=True,
            format_func=LANGUAGES.__getitem__,
            key=_LANG,
        )
        st.toggle(say("teacher.link.guided"), key=_GUIDED)
        st.toggle(say("teacher.link.presenter"), key=_PRESENTER)
    link = class_address().link(class_language())
    st.code(f"{server_base()}{link}", language=None, wrap_lines=True)
    local_hint()
    st.link_button(say("teacher.link.try"), link, key="teacher-try", icon=":material/open_in_new:")
    with st.expander(say("teacher.keys"), expanded=True):
        _tell("keys")


def _tell(name: str) -> None:
    for one in languages(lang_mode()):
        st.markdown(text(name, one))


def class_address() -> Address:
    """What the form makes: the execute page with that setup."""
    state = st.session_state
    setup = Setup(
        state.get(_SCENARIO) or "P0",
        mode="guided" if state.get(_GUIDED) else "walk",
        hide=tuple(name for name in PANELS if name in state.get(_HIDE, ())),
        presenter=bool(state.get(_PRESENTER)),
    )
    return run_address(setup)


def class_language() -> LangMode:
    """The language of that link."""
    chosen: LangMode = st.session_state.get(_LANG) or lang_mode()
    return chosen
