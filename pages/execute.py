"""Execute · 执行: one run, one key press at a time."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import BrothError
from core.types import EngineConfig
from ui import session
from ui.controls import knob_panel, link_notice, scenario_picker
from ui.own_prompts import own_prompts_editor
from ui.payload import stage_payload
from ui.session import say
from ui.shell import toolbar
from ui.stage import show_stage


def render() -> None:
    """The toolbar with scenario and set-up, then the stage."""
    try:
        scenario, _, log_a = session.current_run()
    except BrothError as error:
        toolbar(scenario_picker, partial(_set_up, EngineConfig()))
        link_notice()
        session.show_error(error)
        return
    toolbar(scenario_picker, partial(_set_up, scenario.config))
    link_notice()
    chosen = session.setup()
    flags = {"step": 0, "level": "micro", "ask": chosen.mode == "guided", "hide": list(chosen.hide)}
    show_stage(stage_payload(log_a, None, session.lang_mode(), flags))


def _set_up(config: EngineConfig) -> None:
    with st.popover(say("control.set_up")):
        knobs, own = st.tabs([say("control.knobs"), say("control.own")])
        with knobs:
            knob_panel(config)
        with own:
            own_prompts_editor()


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
