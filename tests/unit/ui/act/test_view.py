"""What the act tells is heard only where it can be meant."""

from __future__ import annotations

import pytest
import streamlit as st

from ui.act.view import TAKEN, hear_take
from ui.stage.bet import Bet
from ui.stage.setup import SETUP, Setup


@pytest.fixture(autouse=True)
def visitor() -> None:
    """A session of one's own."""
    st.session_state.clear()
    SETUP.set(Setup("P9", knobs={"num_slots": 5}, bet=Bet(20)))


def test_a_run_of_the_path_opens_guided_with_its_own_settings() -> None:
    hear_take("P3")
    assert SETUP.get() == Setup("P3", mode="guided")
    assert TAKEN.get()


@pytest.mark.parametrize("told", ["P99", "", 3, None, ["P0"], {"s": "P0"}])
def test_nonsense_leads_nowhere(told: object) -> None:
    hear_take(told)
    assert SETUP.get() == Setup("P9", knobs={"num_slots": 5}, bet=Bet(20))
    assert not TAKEN.get()
