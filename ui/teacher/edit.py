"""A sequence of one's own: collect stops, name them, put them in order, keep them in a link or a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import BrothError
from ui.frame.kept import Notice
from ui.frame.link import parts
from ui.frame.session import lang, lang_mode, plain, say, show_error
from ui.teacher.add import add_panel
from ui.teacher.give import give_buttons, own_link
from ui.teacher.laptops import local_hint, server_base, typed_host
from ui.teacher.names import where
from ui.teacher.places import known_stops
from ui.teacher.seq import (
    MAX_MINUTES,
    MAX_NOTE,
    MAX_SEQ_LINK,
    MAX_TITLE,
    SEQUENCE,
    Sequence,
    Stop,
    fits_link,
    from_file,
    pack,
    to_file,
)
from ui.teacher.stops import text, words
from ui.words.i18n import languages

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_UNREAD: Notice[BrothError] = Notice("teacher-file-error")
"""Why a file was not taken."""


def own_panel(alone: StreamlitPage, paper: Callable[[], None]) -> None:
    """What gives the sequence, its stops, what makes one more, and how to keep them. ``alone``: the page of
    the lecture, for a sequence that no link can carry; ``paper`` draws the button for the printed notes."""
    for one in languages(lang_mode()):
        st.markdown(text("own", one))
    now = SEQUENCE.get()
    if now.stops:
        _give(now, alone, paper)
    with st.container(border=True):
        add_panel()
    if not now.stops:
        st.info(say("teacher.none"))
    names = known_stops([stop.address for stop in now.stops])
    for index, stop in enumerate(now.stops):
        _row(index, stop, len(now.stops), names[index])
    if now.stops:
        st.button(say("teacher.clear"), key="teacher-clear", type="tertiary", on_click=_clear)
    _files(now)


def _give(now: Sequence, alone: StreamlitPage, paper: Callable[[], None]) -> None:
    """Its two windows and the link to them; a long one is given in this tab, where it is."""
    if not fits_link(now):
        st.warning(say("teacher.too_long", size=len(pack(now)), limit=MAX_SEQ_LINK))
        st.page_link(alone, label=say("teacher.give.here"), icon=":material/slideshow:")
        paper()
        return
    host = typed_host()
    link = own_link(now, lang_mode(), host=host)
    give_buttons(link, own_link(now, lang_mode(), notes=True, host=host), paper)
    st.caption(say("teacher.link_of"))
    st.code(f"{server_base()}{link}", language=None, wrap_lines=True)
    local_hint()


# -- the stops --------------------------------------------------------------------------------------------


def _row(index: int, stop: Stop, total: int, script_stop: str) -> None:
    """``script_stop``: the stop of the scripts that it is, or ""."""
    with st.container(border=True):
        name, note, tools = st.columns([3, 5, 2], vertical_alignment="top")
        with name:
            _field("title", index, stop.title, MAX_TITLE)
            _minutes(index, stop.minutes)
            st.markdown(
                f"{index + 1}. [{plain(where(stop.address, lang()))}]({stop.address.link(lang_mode())})"
            )
        with note:
            _field("note", index, stop.note, MAX_NOTE)
            if script_stop:
                st.caption(say("teacher.stop.known", ask=words(script_stop, "ask", lang())))
        with tools, st.container(horizontal=True, gap="small"):
            _tool("up", index, index == 0, -1)
            _tool("down", index, index == total - 1, 1)
            _tool("delete", index, False, 0)


def _field(name: str, index: int, value: str, limit: int) -> None:
    key = f"teacher-{name}-{index}"

    def changed() -> None:
        SEQUENCE.set(SEQUENCE.get().changed(index, **{name: str(st.session_state[key])}))

    st.session_state[key] = value
    label = say(f"teacher.stop.{name}")
    if name == "title":
        st.text_input(label, key=key, max_chars=limit, on_change=changed)
    else:
        st.text_area(label, key=key, max_chars=limit, on_change=changed, height=110)


def _minutes(index: int, value: int) -> None:
    key = f"teacher-minutes-{index}"

    def changed() -> None:
        SEQUENCE.set(SEQUENCE.get().changed(index, minutes=int(st.session_state[key] or 0)))

    st.session_state[key] = value
    st.number_input(
        say("teacher.stop.minutes"),
        0,
        MAX_MINUTES,
        key=key,
        on_change=changed,
        help=say("teacher.stop.minutes.help"),
    )


_ICONS = (("up", "arrow_upward"), ("down", "arrow_downward"), ("delete", "delete"))


def _tool(name: str, index: int, disabled: bool, by: int) -> None:
    def pressed() -> None:
        now = SEQUENCE.get()
        SEQUENCE.set(now.moved(index, by) if by else now.without(index))

    st.button(
        "",
        key=f"teacher-{name}-{index}",
        icon=f":material/{dict(_ICONS)[name]}:",
        help=say(f"teacher.{name}"),
        disabled=disabled,
        on_click=pressed,
    )


# -- how to keep them -------------------------------------------------------------------------------------


def _clear() -> None:
    SEQUENCE.set(Sequence())


def _files(now: Sequence) -> None:
    with st.expander(say("teacher.file"), expanded=bool(now.stops) and not fits_link(now)):
        if now.stops:
            st.download_button(
                say("teacher.file.save"), lambda: to_file(now), "broth-sequence.json", on_click="ignore"
            )
        st.file_uploader(
            say("teacher.file.load"), type="json", max_upload_size=1, key="teacher-file", on_change=_load
        )
        if error := _UNREAD.tell():
            show_error(error)


def _load() -> None:
    found = st.session_state["teacher-file"]
    if found is None:
        return
    try:
        SEQUENCE.set(from_file(found.name, found.getvalue(), parts()))
    except BrothError as error:
        _UNREAD.set(error)
