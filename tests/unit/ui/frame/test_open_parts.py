"""Only what stands open is drawn; the open tab outlives its titles."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from ui.frame.open_parts import draw_if_open, draw_open_tab

    first, second = st.session_state.get("titles", ("One", "Two"))
    parts = {"a": (first, lambda: st.markdown("a")), "b": (second, lambda: st.markdown("b"))}
    draw_open_tab("tab", parts)
    draw_if_open("drawer", "More", lambda: st.markdown("inside"))


def said(at: AppTest) -> list[str]:
    assert not at.exception
    return [one.value for one in at.markdown]


def test_only_the_open_tab_is_drawn_and_it_stays_open_under_other_titles() -> None:
    at = AppTest.from_function(page).run()
    assert [tab.label for tab in at.tabs] == ["One", "Two"]
    assert said(at) == ["a"]
    at.session_state["tab"] = "b"
    assert said(at.run()) == ["b"]
    at.session_state["titles"] = ("Eins", "Zwei")
    assert said(at.run()) == ["b"]


def test_a_drawer_is_empty_until_it_is_opened() -> None:
    at = AppTest.from_function(page).run()
    at.session_state["drawer"] = True
    assert said(at.run()) == ["a", "inside"]
    at.session_state["drawer"] = False
    assert said(at.run()) == ["a"]
