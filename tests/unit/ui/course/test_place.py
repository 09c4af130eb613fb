"""A place on a page: named in the link, taken only where the page has it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from ui.course.place import PLACE


@pytest.mark.parametrize("text", ["", "ch11", "ch11.", ".hash", "ch11.a b", "ch111.a", "ch11.<b>", "a" * 99])
def test_what_is_no_place_is_named(text: str) -> None:
    assert PLACE.read({"open": text}) == ("", ["open"])


@pytest.mark.parametrize("text", ["ch11.hash", "glossary.ref-count", "ch12.kv_what"])
def test_a_place_comes_back(text: str) -> None:
    assert PLACE.write(PLACE.read({"open": text})[0]) == {"open": text}


def page() -> None:
    import streamlit as st

    from pages.links import LINK_PARTS
    from ui.course.chapter import pick_one
    from ui.frame import link

    link.begin(LINK_PARTS)
    st.text(pick_one("which", {"a": "A", "b": "B", "c": "C"}, "which", "ch05"))
    link.write()


@pytest.mark.parametrize(("place", "name"), [("ch05.b", "b"), ("ch05.x", "a"), ("ch11.b", "a"), (None, "a")])
def test_a_choice_opens_where_the_link_says(place: str | None, name: str) -> None:
    at = AppTest.from_function(page)
    if place is not None:
        at.query_params["open"] = place
    assert at.run().text[0].value == name


def test_the_link_follows_the_choice() -> None:
    at = AppTest.from_function(page)
    at.query_params["open"] = "ch05.b"
    at.run()
    at.button_group[0].set_value("c").run()
    assert at.text[0].value == "c"
    assert at.query_params["open"] == "ch05.c"
    at.button_group[0].set_value("a").run()
    assert at.query_params["open"] == "ch05.a"
