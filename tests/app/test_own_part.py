"""A page brings its part of the link along and takes it away again; the frame has heard of neither."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
import streamlit as st

from pages import links
from tests.app.visit import choose, press, visit
from ui.frame.link import LinkPart, Query
from ui.frame.shell import toolbar
from ui.teacher.address import AddressError, read_address
from ui.words.i18n import t

# What pages/soup.py and ui/soup/ would hold.


def read(query: Query) -> tuple[int, list[str]]:
    wanted = query.get("bowls", "1")
    return (int(wanted), []) if wanted in ("1", "2", "3") else (1, ["bowls"])


SOUP = LinkPart("soup", lambda: 1, {"bowls": "machine.num_gpus"}, read, lambda n: {"bowls": f"{n}"})


def render() -> None:
    toolbar()
    st.button("One more", key="more", on_click=lambda: SOUP.set(SOUP.get() + 1))


def test_a_page_comes_with_its_part_of_the_link_and_goes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = {"v": "1", "s": "P0", "lang": "en"}
    monkeypatch.setitem(sys.modules, "pages.soup", SimpleNamespace(render=render))
    monkeypatch.setattr(links, "LINK_PARTS", (*links.LINK_PARTS, SOUP))
    at = visit("soup", lang="en", bowls="2")
    assert (at.warning.len, at.session_state["soup"]) == (0, 2)
    assert press(at, "more").query_params == usual | {"bowls": "3"}
    at.session_state["visited"] = "execute"  # it stays in the link wherever the visitor goes
    assert choose(at.run(), "widget_scenario", "P5").query_params == usual | {"s": "P5", "bowls": "3"}
    at = visit("soup", lang="en", bowls="all")
    assert at.warning[0].value == t("page.link_lost", "en", names=t("machine.num_gpus", "en"))
    assert at.run().query_params == usual | {"bowls": "1"}
    assert read_address("ch01?bowls=3", links.LINK_PARTS).text == "ch01?bowls=3"

    monkeypatch.undo()
    at = visit("glossary", lang="en", bowls="all")
    assert at.warning.len == 0
    assert at.run().query_params == usual
    with pytest.raises(AddressError, match="Unknown"):
        read_address("ch01?bowls=3", links.LINK_PARTS)
