"""Start · 开始: what this is in two sentences, a running example, and what to watch next."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import BrothError
from pages.navigation import page
from ui import session
from ui.controls import link_notice, scenario_picker
from ui.payload import stage_payload
from ui.session import say
from ui.setup import MODES
from ui.shell import toolbar
from ui.stage import show_stage


def render() -> None:
    """Hook, three ways in, and the stage already standing on an example."""
    toolbar(scenario_picker)
    link_notice()
    st.header(say("start.hook"), anchor=False)
    st.markdown(say("start.what"))
    _ways_in()
    try:
        _, _, log_a = session.current_run()
    except BrothError as error:
        session.show_error(error)
        return
    flags = {"step": 0, "level": "block", "ask": False, "hide": list(session.setup().hide), "autoplay": True}
    show_stage(stage_payload(log_a, None, session.lang_mode(), flags), key="start-stage")


def _ways_in() -> None:
    for column, mode in zip(st.columns(len(MODES)), MODES, strict=True):
        with column:
            label = say(f"start.{mode}")
            if st.button(
                label, key=f"go_{mode}", type="primary" if mode == "guided" else "secondary", width="stretch"
            ):
                session.change_setup(replace(session.setup(), mode=mode))
                st.switch_page(page("execute"))
            st.caption(say(f"start.{mode}.help"))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
