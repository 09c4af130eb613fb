"""Under which cache the log is looked at: block size, slots, time to live. The other side has its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import streamlit as st

from core.traffic.settings import DEFAULT_BLOCK, Settings, block_sizes, cuts_blocks, smaller_sizes
from ui.frame.session import say
from ui.traffic.setup import LARGEST_BLOCK, MOST_SECONDS, MOST_SLOTS, Side
from ui.traffic.state import Log, choose, chosen, settings_of
from ui.words.numbers import digits


class Open(Protocol):
    """Puts a request on the stage; under other settings, or of the other log, if those are given."""

    def __call__(self, number: int, settings: Settings | None = None, log: Log | None = None) -> None: ...


def settings_row(log: Log, fits: int) -> Settings:
    """What the whole page is about. ``fits``: slots for which the chosen GPU has room."""
    *places, room = st.columns([1, 1, 1, 1], vertical_alignment="bottom")
    side = _three(log, chosen().a, "", places, lambda name: say(name))
    with room:
        st.button(
            say("traffic.fits", n=digits(fits)),
            on_click=_take,
            args=(fits,),
            disabled=not fits,
            width="stretch",
        )
    choose(a=side)
    return settings_of(side, log)


def other_settings(log: Log, usual: Side) -> Settings:
    """The same three for the side that is compared."""
    places = st.columns(3)
    side = _three(log, chosen().b or usual, "_b", places, lambda name: say("traffic.side_b", what=say(name)))
    choose(b=side)
    return settings_of(side, log)


def _take(slots: int) -> None:
    slots = min(slots, MOST_SLOTS)
    st.session_state["traffic_slots"] = slots
    choose(a=replace(chosen().a, num_slots=slots))


def _three(log: Log, now: Side, ending: str, places: Sequence[Any], title: Callable[[str], str]) -> Side:
    size, slots, ttl = places
    with size:
        block = _block(log, now, f"traffic_block{ending}", title("knob.block_size"))
    with slots:
        st.session_state.setdefault(f"traffic_slots{ending}", now.num_slots)
        number = st.number_input(
            title("traffic.slots"),
            1,
            MOST_SLOTS,
            None,
            key=f"traffic_slots{ending}",
            placeholder=say("traffic.room_for_all"),
            help=say("traffic.slots.help"),
        )
    with ttl:
        timed = all(request.arrival_s is not None for request in log.trace.requests)
        st.session_state.setdefault(f"traffic_ttl{ending}", now.ttl_s)
        seconds = st.number_input(
            title("traffic.ttl"),
            0.0,
            MOST_SECONDS,
            None,
            key=f"traffic_ttl{ending}",
            placeholder=say("traffic.ttl.none"),
            disabled=not timed,
            help=say("traffic.ttl.help" if timed else "traffic.ttl.no_times"),
        )
    own = block == (log.trace.block_size or DEFAULT_BLOCK)
    return Side(None if own else block, number, seconds if timed else None)


def _block(log: Log, now: Side, key: str, title: str) -> int:
    """Sizes that the log can be cut into, and smaller ones, which give lower bounds; one from a link is
    kept."""
    own, asked = log.trace.block_size, now.block_size
    sizes = sorted({*block_sizes(log.trace), *smaller_sizes(log.trace)})
    if asked is not None and asked <= LARGEST_BLOCK:
        sizes = sorted({*sizes, asked})
    usual = asked or own or DEFAULT_BLOCK
    usual = usual if usual in sizes else sizes[0]
    st.session_state.setdefault(key, usual)
    if st.session_state[key] not in sizes:
        st.session_state[key] = usual
    words = {
        size: say("traffic.block.lower", size=size) if cuts_blocks(log.trace, size) else str(size)
        for size in sizes
    }
    return int(st.selectbox(title, sizes, format_func=words.__getitem__, key=key))
