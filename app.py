"""Broth · 高汤: watch a prefix KV cache work. Start with ``streamlit run app.py``."""

from __future__ import annotations

import streamlit as st

from pages.links import LINK_PARTS
from pages.navigation import all_pages
from pages.server import MIDDLEWARE, ROUTES, serving
from ui.frame import link
from ui.frame.session import show_broken
from ui.server.pressure import PRESSURE


def main() -> None:
    """The shell around every page: title, language, navigation, one link that holds everything."""
    st.set_page_config(
        page_title="Broth · 高汤",
        page_icon="assets/icon.svg",
        layout="wide",
        initial_sidebar_state="collapsed",
    )
    with PRESSURE.answering():
        link.begin(LINK_PARTS)
        page = st.navigation(all_pages(), position="top")
        page.run()
        link.write()


if __name__ == "__main__":  # each answer to a visitor runs this file,
    main()
else:  # and the server has imported it once
    app = st.App(
        __file__, lifespan=serving, middleware=MIDDLEWARE, routes=ROUTES, on_script_error=show_broken
    )
