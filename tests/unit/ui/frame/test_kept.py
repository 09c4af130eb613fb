"""What is kept of a visitor: a value, and the last few results."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from ui.frame.kept import Kept, LastFew

    plates: Kept[list[int]] = Kept("plates", list)
    plates.get().append(len(plates.get()))
    few, made = LastFew("few", 2), []
    for number in (1, 2, 1, 3, 2, 1):
        assert few.get(number, lambda number=number: made.append(number) or -number) == -number
    st.session_state["made"] = made


def test_a_value_stays_and_only_the_last_few_results_do() -> None:
    at = AppTest.from_function(page).run()
    assert at.session_state["made"] == [1, 2, 3, 1], "oldest out first, however often it was asked for"
    at.run()
    assert at.session_state["made"] == [2, 3, 1]
    assert at.session_state["plates"] == [0, 1]
    assert not at.exception
