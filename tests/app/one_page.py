"""One page without the shell, for ``visit``: which one stands in the session."""

from __future__ import annotations

from importlib import import_module

import streamlit as st

from pages.links import LINK_PARTS
from ui.frame import link

link.begin(LINK_PARTS)
import_module(f"pages.{st.session_state['visited']}").render()
link.write()
