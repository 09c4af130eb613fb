"""The pages in order, with fixed addresses and titles in the visitor's language."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import streamlit as st

from ui.session import say

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

PAGES = ("start", "execute", "finish")


def page(name: str) -> StreamlitPage:
    """One page, to show or to switch to. Imported late: pages link to each other."""
    module = import_module(f"pages.{name}")
    return st.Page(module.render, title=say(f"nav.{name}"), url_path=name, default=name == PAGES[0])


def all_pages() -> list[StreamlitPage]:
    """Every page, as the navigation shows them."""
    return [page(name) for name in PAGES]
