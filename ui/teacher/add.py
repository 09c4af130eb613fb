"""One stop more for a sequence: an address that was pasted, or a page or a step chosen from a list."""

from __future__ import annotations

import streamlit as st

from core.errors import BrothError
from ui.course.chapter import course_run
from ui.frame.kept import Notice
from ui.frame.link import parts
from ui.frame.session import lang, say, show_error
from ui.stage.run import title_of
from ui.stage.setup import Setup, preset_ids
from ui.teacher.address import PAGES, Address, read_address, run_address
from ui.teacher.laptops import own_url, server_base
from ui.teacher.names import page_name, title_of_page
from ui.teacher.seq import MAX_STOPS, SEQUENCE, Stop

_PASTED, _WHAT, _STEP, _ASK = (f"teacher-{name}" for name in ("pasted", "what", "step", "ask"))
_ERROR: Notice[BrothError] = Notice("teacher-error")
KEPT = (_WHAT, _ASK)
"""Widgets whose choice outlives the other parts of the page."""


def add_panel() -> None:
    """Both ways to add, and why the last try did not work."""
    full = len(SEQUENCE.get().stops) >= MAX_STOPS
    pasted, button = st.columns([5, 1], vertical_alignment="bottom")
    pasted.text_input(
        say("teacher.add.paste"),
        key=_PASTED,
        help=say("teacher.add.paste.help"),
        placeholder=f"{server_base()}execute?s=P3#step=38",
    )
    button.button(
        say("teacher.add"),
        key="teacher-add-pasted",
        on_click=_add_pasted,
        args=(own_url(),),
        disabled=full,
        width="stretch",
    )
    if error := _ERROR.tell():
        show_error(error)
    places = {f"execute:{name}": f"{say('nav.execute')} · {title_of(name)}" for name in preset_ids()}
    others = [name for name in PAGES if name != "execute"]
    places |= {name: page_name(Address(name), lang()) for name in others}
    what, step, button = st.columns([3, 2, 1], vertical_alignment="bottom")
    chosen = what.selectbox(say("teacher.add.what"), list(places), format_func=places.__getitem__, key=_WHAT)
    address = _choose(chosen, step)
    button.button(
        say("teacher.add"),
        key="teacher-add-chosen",
        on_click=_add_stop,
        args=(Stop(address, title_of_page(address, lang())),),
        disabled=full,
        width="stretch",
    )
    if full:
        st.caption(say("error.teacher.full", limit=MAX_STOPS))


def _choose(chosen: str, column: st.delta_generator.DeltaGenerator) -> Address:
    """The address of what the lists say; for a scenario also its step."""
    page, _, scenario = chosen.partition(":")
    if not scenario:
        return Address(page)
    log = course_run(scenario)[2]
    steps = {0: say("teacher.step.first")}
    for event in log["events"]:
        if event["level"] != "micro":
            steps[event["i"] + 1] = f"{event['i'] + 1} · {_told(event)}"
    step = column.selectbox(
        say("teacher.add.step"), list(steps), format_func=steps.__getitem__, key=f"{_STEP}-{scenario}"
    )
    asks = st.toggle(say("teacher.add.ask"), key=_ASK, help=say("teacher.add.ask.help"))
    return run_address(Setup(scenario, mode="guided" if asks else "walk"), max(step - asks, 0))


def _told(event: dict[str, object]) -> str:
    args = event["args"]
    assert isinstance(args, dict)
    return say(f"cap.{event['cap']}.what", **args).replace("**", "")


def _add_pasted(own: str) -> None:
    try:
        address = read_address(str(st.session_state[_PASTED]), parts(), own)
    except BrothError as error:
        _ERROR.set(error)
        return
    _add_stop(Stop(address, title_of_page(address, lang())))
    st.session_state[_PASTED] = ""


def _add_stop(stop: Stop) -> None:
    try:
        SEQUENCE.set(SEQUENCE.get().with_stop(stop))
    except BrothError as error:
        _ERROR.set(error)
