"""A load made again up to where it stood, in slices that show how far they are and can be left."""

from __future__ import annotations

import time

import streamlit as st

from ui.machine.machine import MACHINE
from ui.monitor.deeds import PLAN, WANTED
from ui.monitor.run import LOAD, LoadSession, follow
from ui.server.turns import PIECE_S, TURNS

SLICE_S = 0.5
"""Real seconds of computing between two looks of the progress bar."""

NUM_SLICES = 90
"""Then a person decides whether it shall go on: a load of 20,000 requests takes a minute."""


def this_load() -> LoadSession:
    """This visitor's load; from the link, if the monitor has not been opened yet.

    Raises:
        BrothError: the link's setup cannot run.
    """
    load = LOAD.get()
    if load is None:
        load = follow(PLAN.get(), MACHINE.get())
        load.playing = False
        LOAD.set(load)
    return load


def repeat_to(load: LoadSession, until_s: float) -> bool:
    """Whether the run stands there. Each slice keeps what it has reached, even if one leaves."""
    place = st.empty()
    for _ in range(NUM_SLICES):
        if _slice(load, until_s):
            WANTED.set(load.setup)
            load.shown = load.setup
            place.empty()
            return True
        place.progress(min(load.run.now_s / until_s, 1.0))
    place.empty()
    return False


def _slice(load: LoadSession, until_s: float) -> bool:
    """Go on when it is this visitor's turn; whether the run stands there."""
    end = time.perf_counter() + SLICE_S
    while (left := end - time.perf_counter()) > 0:
        with TURNS.turn(left) as mine:
            if mine and load.repeat(until_s, PIECE_S):
                return True
    return False
