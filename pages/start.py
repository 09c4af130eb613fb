"""Start · 开始: the act; below it, on one's own, the bet, three ways in, and everything to set up."""

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
    """Which run the buttons below lead to, and the bet on it; or why it cannot run."""
    chosen = SETUP.get()
    run, bet = st.columns([3, 2], gap="large")
    with run:
        question = "" if chosen.scenario == OWN else f"  \n{say(f'scenario.{chosen.scenario}.question')}"
        st.markdown(f"{say('start.chosen')} **{title_of(chosen.scenario)}**{question}")
        try:
            current_run()
        except BrothError as error:
            show_error(error)
    with bet:
        _place_bet()


def _place_bet() -> None:
    """How much will hit? Asked before anything is shown, and never answered beforehand; the end compares."""

    def changed() -> None:
        told = st.session_state["widget_bet"]  # from a browser, whatever the field allows
        if told is None or 0 <= told <= 100:
            SETUP.set(replace(SETUP.get(), bet=told))

    bet = SETUP.get().bet
    st.session_state["widget_bet"] = bet
    st.number_input(
        say("start.bet"),
        min_value=0,
        max_value=100,
        value=None,
        step=5,
        placeholder=say("start.bet.none"),
        key="widget_bet",
        on_change=changed,
    )
    if bet is not None:
        st.caption(say("start.bet.kept", bet=bet))


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
