"""The pages in order, with fixed addresses and titles in the visitor's language."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

import streamlit as st

from ui.frame.session import say

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

MODES = ("start", "execute", "monitor", "finish")
CHAPTERS = (
    "ch01",
    "ch02",
    "ch03",
    "ch04",
    "ch05",
    "ch06",
    "ch07",
    "ch08",
    "ch09",
    "ch10",
    "ch11",
    "ch12",
    "ch13",
)
LAB = ("traffic", "decision", "tradeoffs", "prefill")
BESIDE = ("glossary", "sheet", "teacher")
"""Beside the chapters, at the end of the course menu."""

ALONE = ("present",)
"""In no menu: a window of its own, opened by a link."""

PAGES = (*MODES, *CHAPTERS, *BESIDE, *LAB, *ALONE)


def page(name: str) -> StreamlitPage:
    """One page, to show or to switch to."""
    chapter = name in CHAPTERS
    title = f"{int(name[2:])} · {say(f'course.{name}.title')}" if chapter else say(f"nav.{name}")
    return st.Page(
        _renderer(name),
        title=title,
        url_path=name,
        default=name == MODES[0],
        visibility="hidden" if name in ALONE else "visible",
    )


def _renderer(name: str) -> Callable[[], None]:
    """Draws the page. Its module is imported by who opens it: pages link to each other, and a visitor of one
    need not wait for the rest."""

    def render() -> None:
        import_module(f"pages.{name}").render()

    return render


def all_pages() -> dict[str, list[StreamlitPage]]:
    """Every page, as the navigation shows them: the modes in the bar, the course and the lab as menus."""
    return {
        "": [page(name) for name in (*MODES, *ALONE)],
        say("nav.course"): [page(name) for name in (*CHAPTERS, *BESIDE)],
        say("nav.lab"): [page(name) for name in LAB],
    }
