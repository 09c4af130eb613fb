"""Long work on a log: a bar that moves, a button that stops it, and no beginning anew by itself."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, TypeVar

import streamlit as st

from core.replay.prefix_tree import Progress
from ui.frame.session import say
from ui.traffic.state import Key, remember, state

T = TypeVar("T")
REDRAW_S = 0.25


def work(key: Key, make: Callable[[Progress], T], words: str = "traffic.rerunning") -> T | None:
    """The result of long work, remembered under ``key``. None: a person stopped it, and it says so.

    Raises:
        BrothError: whatever ``make`` raises.
    """
    if key not in state().computed and not may_begin(key):
        return None
    place = st.empty()
    try:
        return remember(key, lambda: make(progress_in(place, words, key)))
    finally:
        place.empty()


def may_begin(key: Key) -> bool:
    """False if this was stopped: then it is begun again only by the button that is drawn here."""
    if key not in state().stopped:
        return True
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(say("traffic.stopped"))
        st.button(
            say("traffic.begin"), key=f"begin_{hash(key)}", on_click=state().stopped.discard, args=(key,)
        )
    return False


def progress_in(place: Any, words: str, key: Key) -> Progress:
    """A bar that moves at every percent, and a button that stops the work (any other widget does too).

    Streamlit stops a script only where it draws something, so the bar is drawn anew a few times a second.
    """
    shown, drawn_at = -1, 0.0
    bar: Any = None

    def tell(done: int, total: int | None) -> None:
        nonlocal shown, drawn_at, bar
        percent = min(100 * done // total, 100) if total else 0
        if bar is None:
            number = st.session_state["traffic_bars"] = st.session_state.get("traffic_bars", 0) + 1
            with place.container(horizontal=True, vertical_alignment="center"):
                bar = st.empty()
                st.button(
                    say("traffic.cancel"),
                    key=f"traffic_cancel_{number}",
                    on_click=state().stopped.add,
                    args=(key,),
                )
        if percent != shown or monotonic() - drawn_at > REDRAW_S:
            shown, drawn_at = percent, monotonic()
            bar.progress(percent, say(words, percent=percent))

    return tell
