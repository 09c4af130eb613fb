"""The way to where an answer can be seen: a step on the stage, or another page and why no step shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui.frame.session import lang_mode, say
from ui.interview.questions import SHOWS, table, words
from ui.stage.show_me import OPEN, address, place_of
from ui.words.i18n import languages


def show_me(name: str, pages: Callable[[str], Any]) -> None:
    """Draw it. ``pages``: name -> page to switch to."""
    if "none" in table("en")[name]:
        for one in languages(lang_mode()):
            st.caption(words(name, "none", one))
    show = SHOWS.get(name)
    if show is None:
        return
    if show.page:
        title = f"course.{show.page}.title" if show.page.startswith("ch") else f"nav.{show.page}"
        label = f"{say('course.ch12.see')} {say(title)}"
        query = {OPEN: place_of(show.page, show.place)} if show.place else None
        st.page_link(pages(show.page), label=label, icon=":material/arrow_forward:", query_params=query)
    else:
        label = f"{say('course.show_me')} · {words(name, 'show', languages(lang_mode())[0])}"
        st.link_button(label, address(show, lang_mode()), icon=":material/play_circle:")
