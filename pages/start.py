"""Start · 开始: the act; below it, on one's own, three ways in, and everything to set up."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import BrothError
from pages.held import held_panel
from pages.navigation import page
from ui.act.view import show_act
from ui.frame.open_parts import draw_open_tab
from ui.frame.session import say, show_error
from ui.frame.shell import toolbar
from ui.stage.controls import knob_panel
from ui.stage.own import OWN
from ui.stage.own_prompts import own_prompts_editor
from ui.stage.presets import path_cards
from ui.stage.run import current_run, title_of
from ui.stage.setup import MODES, SETUP


def render() -> None:
    """One act on the first screen; what one can do alone on the second."""
    toolbar()
    show_act(lambda: st.switch_page(page("execute")))
    with st.container(key="alone"):
        st.subheader(say("start.alone"), anchor=False)
        st.markdown(say("start.what"))
        _chosen()
        _ways_in()
        set_up = {
            "presets": (say("start.presets"), path_cards),
            "knobs": (say("control.knobs"), knob_panel),
            "own": (say("control.own"), own_prompts_editor),
        }
        draw_open_tab("start_tab", set_up)
    held_panel()


def _chosen() -> None:
    """Which run the buttons below lead to, or why it cannot run."""
    chosen = SETUP.get()
    question = "" if chosen.scenario == OWN else f"  \n{say(f'scenario.{chosen.scenario}.question')}"
    st.markdown(f"{say('start.chosen')} **{title_of(chosen.scenario)}**{question}")
    try:
        current_run()
    except BrothError as error:
        show_error(error)


def _ways_in() -> None:
    for column, mode in zip(st.columns(len(MODES)), MODES, strict=True):
        with column:
            pressed = st.button(say(f"start.{mode}"), key=f"go_{mode}", width="stretch")
            if pressed:
                SETUP.set(replace(SETUP.get(), mode=mode))
                st.switch_page(page("execute"))
            st.caption(say(f"start.{mode}.help"))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
