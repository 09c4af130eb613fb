"""A sequence of one's own: collect stops, name them, put them in order, keep them in a link or a file."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import BrothError
from ui.frame.kept import Notice
from ui.frame.link import parts
from ui.frame.session import lang_mode, plain, say, show_error
from ui.teacher.add import add_panel
from ui.teacher.laptops import local_hint, server_base
from ui.teacher.present import where
from ui.teacher.seq import (
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
from ui.teacher.stops import text
from ui.words.i18n import languages

_UNREAD: Notice[BrothError] = Notice("teacher-file-error")
"""Why a file was not taken."""


def own_panel() -> None:
    """The stops there are, what makes one more, and how to keep them."""
    for one in languages(lang_mode()):
        st.markdown(text("own", one))
    with st.container(border=True):
        add_panel()
    now = SEQUENCE.get()
    if not now.stops:
        st.info(say("teacher.none"))
    for index, stop in enumerate(now.stops):
        _row(index, stop, len(now.stops))
    if now.stops:
        _keep(now)
    _files(now)


# -- the stops --------------------------------------------------------------------------------------------


def _row(index: int, stop: Stop, total: int) -> None:
    with st.container(border=True):
        name, note, tools = st.columns([3, 5, 2], vertical_alignment="top")
        with name:
            _field("title", index, stop.title, MAX_TITLE)
            st.markdown(f"{index + 1}. [{plain(where(stop.address))}]({stop.address.link(lang_mode())})")
        with note:
            _field("note", index, stop.note, MAX_NOTE)
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


def _keep(now: Sequence) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("teacher.present"),
            key="teacher-present",
            type="primary",
            icon=":material/slideshow:",
            on_click=_present,
        )
        st.button(say("teacher.clear"), key="teacher-clear", type="tertiary", on_click=_clear)
    for one in languages(lang_mode()):
        st.caption(text("why_tab", one))
    if fits_link(now):
        st.caption(say("teacher.link_of"))
        link = f"{server_base()}teacher?seq={pack(now)}&lang={lang_mode()}"
        st.code(link, language=None, wrap_lines=True)
        local_hint()
    else:
        st.warning(say("teacher.too_long", size=len(pack(now)), limit=MAX_SEQ_LINK))


def _present() -> None:
    SEQUENCE.set(SEQUENCE.get().at(1))


def _clear() -> None:
    SEQUENCE.set(Sequence())


def _files(now: Sequence) -> None:
    with st.expander(say("teacher.file"), expanded=bool(now.stops) and not fits_link(now)):
        if now.stops:
            st.download_button(
                say("teacher.file.save"), to_file(now), "broth-sequence.json", on_click="ignore"
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
        SEQUENCE.set(replace(from_file(found.name, found.getvalue(), parts()), place=0))
    except BrothError as error:
        _UNREAD.set(error)
