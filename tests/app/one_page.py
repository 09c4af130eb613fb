"""One page without the shell, for ``visit``: which one stands in the session."""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from ui.frame import session

session.begin()
import_module(f"pages.{st.session_state['visited']}").render()
session.sync_link()
