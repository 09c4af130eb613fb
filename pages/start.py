"""Start · 开始: what this is in two sentences, a bet, a running example, and everything to set up."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import BrothError
from pages.held import held_panel
from pages.navigation import page
from ui.frame.open_parts import draw_open_tab
from ui.frame.session import lang_mode, say, show_error
from ui.frame.shell import toolbar
from ui.stage.controls import knob_panel, scenario_picker
from ui.stage.own_prompts import own_prompts_editor
from ui.stage.parts import part_chooser
from ui.stage.payload import stage_payload
from ui.stage.presets import preset_cards
from ui.stage.run import current_run
from ui.stage.setup import MODES, SETUP
from ui.stage.stage import show_stage


def render() -> None:
    """Hook, bet and three ways in; the stage on the chosen example; then the set-up."""
    toolbar(scenario_picker)
    words, bet = st.columns([3, 2], gap="large")
    with words:
        st.subheader(say("start.hook"), anchor=False)
        st.markdown(say("start.what"))
    with bet:
        _place_bet()
    _ways_in()
    _preview()
    set_up = {
        "presets": (say("start.presets"), preset_cards),
        "knobs": (say("control.knobs"), knob_panel),
        "own": (say("control.own"), own_prompts_editor),
    }
    draw_open_tab("start_tab", set_up)
    held_panel()


def _preview() -> None:
    """The chosen example on the stage, or why it cannot run; below it stands what mends it."""
    try:
        _, _, log_a = current_run()
    except BrothError as error:
        show_error(error)
        return
    part = part_chooser()
    flags = {
        "step": 0,
        "level": "block",
        "ask": False,
        "autoplay": True,
        "part": part,
        "hide": list(SETUP.get().hide),
    }
    show_stage(stage_payload(log_a, None, lang_mode(), flags), key="start-stage")


def _place_bet() -> None:
    """How much will hit? Asked before anything is shown; the finish page compares."""

    def changed() -> None:
        SETUP.set(replace(SETUP.get(), bet=st.session_state["widget_bet"]))

    bet = SETUP.get().bet
    st.session_state["widget_bet"] = 50 if bet is None else bet
    st.slider(say("start.bet"), 0, 100, format="%d %%", key="widget_bet", on_change=changed)
    if bet is not None:
        st.caption(say("start.bet.kept", bet=bet))


def _ways_in() -> None:
    for column, mode in zip(st.columns(len(MODES)), MODES, strict=True):
        with column:
            first = mode == "guided"
            pressed = st.button(
                say(f"start.{mode}"),
                key=f"go_{mode}",
                type="primary" if first else "secondary",
                width="stretch",
            )
            if pressed:
                SETUP.set(replace(SETUP.get(), mode=mode))
                st.switch_page(page("execute"))
            st.caption(say(f"start.{mode}.help"))


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
