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


def telling() -> None:
    """Stops in the middle where it is told to."""
    import streamlit as st

    from ui.frame.kept import Notice, forget_told

    notice: Notice[str] = Notice("notice")
    for text in st.session_state.pop("news", ()):
        notice.set(text)
    if st.session_state.pop("draws", True) and (text := notice.tell()):
        st.info(text)
    if st.session_state.pop("stops", False):
        st.stop()
    forget_told()


def told(at: AppTest, **state: object) -> list[str]:
    for key, value in state.items():
        at.session_state[key] = value
    at.run()
    assert not at.exception
    return [one.value for one in at.info]


def test_a_notice_stays_until_a_whole_run_has_told_it() -> None:
    at = AppTest.from_function(telling)
    assert told(at, news=["one"], draws=False) == []
    assert told(at, stops=True) == ["one"]
    assert told(at) == ["one"], "what the run before had drawn was thrown away"
    assert told(at) == []
    assert told(at, news=["two"], stops=True) == ["two"]
    assert told(at, news=["three"], draws=False) == [], "no place for it: nothing was told in this run"
    assert told(at) == ["three"]
    assert told(at) == []


def test_a_value_stays_and_only_the_last_few_results_do() -> None:
    at = AppTest.from_function(page).run()
    assert at.session_state["made"] == [1, 2, 3, 1], "oldest out first, however often it was asked for"
    at.run()
    assert at.session_state["made"] == [2, 3, 1]
    assert at.session_state["plates"] == [0, 1]
    assert not at.exception
