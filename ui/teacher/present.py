"""Presenting a sequence: one stop at a time, large, with its note, its link, and the way to the next.

A stop opens in a new tab, so this page keeps its place by itself: nothing has to be restored when the tab is
closed. The place also stands in the address, for a reload.
"""

from __future__ import annotations

import streamlit as st

from ui.frame.session import lang_mode, plain, say
from ui.stage.run import title_of
from ui.teacher.address import CHAPTERS, Address
from ui.teacher.seq import SEQUENCE, Stop

_STYLE = "<style>.st-key-teacher-note p{font-size:1.3rem;line-height:1.5}</style>"


def present_panel(stop: Stop) -> None:
    """The stop of this moment."""
    now = SEQUENCE.get()
    total = len(now.stops)
    st.caption(say("teacher.now", n=now.place, total=total))
    st.title(plain(name_of(stop)), anchor=False)
    if stop.note.strip():
        st.html(_STYLE)
        with st.container(border=True, key="teacher-note"):
            st.markdown(as_lines(stop.note))
    st.link_button(
        say("teacher.open_stop"),
        stop.address.link(lang_mode()),
        key="teacher-open-stop",
        type="primary",
        icon=":material/open_in_new:",
        help=where(stop.address),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        _step("back", now.place - 1, now.place <= 1, "Left")
        _step("next", now.place + 1, now.place >= total, "Right")
        st.button(say("teacher.edit"), key="teacher-edit", type="tertiary", on_click=_go, args=(0,))
    if now.place < total:
        st.caption(say("teacher.then", title=plain(name_of(now.stops[now.place]))))
    else:
        st.caption(say("teacher.end"))


def _step(name: str, place: int, disabled: bool, shortcut: str) -> None:
    st.button(
        say(f"teacher.{name}"),
        key=f"teacher-{name}",
        disabled=disabled,
        shortcut=shortcut,
        on_click=_go,
        args=(place,),
    )


def _go(place: int) -> None:
    SEQUENCE.set(SEQUENCE.get().at(place))


def as_lines(note: str) -> str:
    """A note as people typed it: its signs and its lines."""
    return "  \n".join(plain(line) for line in note.splitlines())


def name_of(stop: Stop) -> str:
    """Its title, or what it opens."""
    return stop.title or page_name(stop.address)


def page_name(address: Address) -> str:
    """What an address opens, in words."""
    if address.request:
        return f"{say('nav.monitor')} · {address.request}"
    if address.scenario and address.page == "execute":
        return title_of(address.scenario)
    if address.page in CHAPTERS:
        return f"{int(address.page[2:])} · {say(f'course.{address.page}.title')}"
    return say(f"nav.{address.page}")


def where(address: Address) -> str:
    """The same with its step, for a caption."""
    step = address.step
    return page_name(address) + ("" if step is None else f" · {say('teacher.step', n=step)}")
