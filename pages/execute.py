"""Execute · 执行: one run, one key press at a time."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import BrothError
from core.timeline.event_log import EventLog
from pages.navigation import page
from ui.frame.session import lang_mode, say, show_error, tell_aside
from ui.frame.shell import toolbar
from ui.moment.link import MOMENT, SHOWN, drop_moment
from ui.moment.recall import recall
from ui.moment.shown import ShownMoment
from ui.stage.bet import read_bet
from ui.stage.controls import knob_panel, scenario_picker
from ui.stage.end import end_card, knobs_asked, open_run, run_asked
from ui.stage.fork import read_fork
from ui.stage.own_prompts import own_prompts_editor
from ui.stage.payload import Payload, stage_payload
from ui.stage.presets import hear_seen
from ui.stage.record import RECORD, run_name
from ui.stage.run import ASKED_STEP, FORGET, current_choices, current_run, forked_run, hear_answer
from ui.stage.setup import SETUP
from ui.stage.stage import show_stage


def render() -> None:
    """The toolbar with scenario and set-up, then the stage."""
    if SHOWN.get() is not None or MOMENT.get() is not None:
        _request()
        return
    try:
        _, log, log_a = current_run()
    except BrothError as error:
        st.session_state.pop("set_up_done", None)  # what mends it stands in the set-up: leave it open
        toolbar(scenario_picker, _set_up)
        show_error(error)
        return
    toolbar(scenario_picker, _set_up)
    chosen, log_a = SETUP.get(), _timed(log, log_a)
    flags = {
        "whole": True,
        "step": 0,
        "go": ASKED_STEP.get(),
        "level": "beat" if chosen.mode == "guided" else "micro",
        "ask": chosen.mode == "guided",
        "card": end_card(chosen),
        "presenter": chosen.presenter,
        "hide": list(chosen.hide),
        "forget": FORGET.get(),
    }
    payload = stage_payload(log_a, _run_b(), lang_mode(), flags, current_choices())
    show_stage(
        payload, on_fork=_fork, on_answer=hear_answer, on_bet=_bet, on_run=_run_next, on_seen=hear_seen
    )


def _timed(log: EventLog, shown: Payload) -> Payload:
    """With measured times, for who asked for them."""
    if "prefill" not in st.session_state:
        return shown  # its modules come when the switch is first seen: a first page need not wait for them
    from ui.prefill.stage import timed_run

    return timed_run(log, shown)


def _request() -> None:
    """What comes from the monitor's load, or from a log, instead of the scenario; and the ways out."""
    toolbar(_ways_out)
    moment, link = SHOWN.get(), MOMENT.get()
    if moment is None and link is not None:
        moment = recall(link)
    if moment is not None:
        _show_moment(moment)


def _show_moment(moment: ShownMoment) -> None:
    flags = {
        "whole": True,
        "step": moment.step,
        "go": ASKED_STEP.get(),
        "level": "block",
        "ask": False,
        "hide": [*SETUP.get().hide, *moment.hide],
    }
    show_stage(stage_payload(moment.log, None, lang_mode(), flags), key="moment-stage")
    if moment.note:
        st.caption(moment.note)


def _ways_out() -> None:
    moment, link = SHOWN.get(), MOMENT.get()
    origin = moment.origin if moment is not None else link.page if link is not None else "monitor"
    if st.button(say(f"{origin}.back"), type="primary", key="moment_back"):
        st.switch_page(page(origin))
    st.button(say(f"{origin}.leave"), key="moment_leave", on_click=drop_moment)


def _run_b() -> Payload | None:
    """The what-if run, if there is one and it can be made. What could be made stands in the record."""
    fork = SETUP.get().fork
    if fork is None:
        return None
    try:
        shown = forked_run(fork)[2]
    except BrothError as error:
        SETUP.set(replace(SETUP.get(), fork=None))
        tell_aside(error)
        return None
    RECORD.set(RECORD.get().with_fork(run_name(SETUP.get()), fork))
    return shown


def _fork(told: object) -> None:
    """The stage asks for a what-if, or to close it."""
    SETUP.set(replace(SETUP.get(), fork=read_fork(told)))


def _bet(told: object) -> None:
    """What is expected of the run, said before anything plays."""
    bet = read_bet(told)
    if bet is not None:
        SETUP.set(replace(SETUP.get(), bet=bet))


def _run_next(told: object) -> None:
    """The end card asks for another run, or for this one's knobs."""
    preset = run_asked(told)
    if preset is not None:
        open_run(preset)
    elif knobs_asked(told):
        st.session_state["set_up"] = True


def _set_up() -> None:
    # Drawn only while it is open: its dozen widgets would be half the cost of every answer.
    if st.session_state.pop("set_up_done", False):
        st.session_state["set_up"] = False  # the run is there: do not cover it
    popover = st.popover(say("control.set_up"), key="set_up", on_change="rerun")
    if not popover.open:
        return
    with popover:
        knobs, own = st.tabs([say("control.knobs"), say("control.own")])
        with knobs:
            knob_panel()
        with own:
            own_prompts_editor()
        from ui.prefill.stage import real_switch

        real_switch()


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
