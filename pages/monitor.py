"""Monitor · 监控: many requests, one seeded stream, with the cache and without; pause and look closer."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from core.errors import BrothError
from pages.navigation import page
from ui.frame.formulas import formula_lines
from ui.frame.session import lang, lang_mode, say, show_error
from ui.frame.shell import toolbar
from ui.machine.machine import MACHINE
from ui.moment.link import drop_load_moment, of_load, show_moment
from ui.moment.shown import shown_moment
from ui.monitor.asked import Asked
from ui.monitor.behind import STYLE, show_behind
from ui.monitor.beside import add_kept, beside_panel, overlaid
from ui.monitor.charts import load_figure, strip_of, time_axis, warm_up
from ui.monitor.cycle import cycle_html, cycle_words, wait_words
from ui.monitor.deeds import PLAN, WANTED, LoadPlan
from ui.monitor.panel import about_line, knob_row, setup_popover
from ui.monitor.payload import machine_words, monitor_payload, shown_flags
from ui.monitor.run import LOAD, TICK_S, LoadSession, follow
from ui.monitor.setup import LoadSetup
from ui.monitor.take import take_popover
from ui.monitor.view import show_monitor
from ui.stage.run import go_to_step
from ui.stage.setup import SETUP
from ui.words.formula_words import COUNTED, LOOP, SERVING
from ui.words.i18n import table
from ui.words.palette import Theme


def render() -> None:
    """Knobs, then the run: strips while it goes on, charts while it is paused."""
    load, refused = _current_load()  # first: the widgets show what holds now
    take = [] if load is None else [partial(take_popover, load)]
    toolbar(setup_popover, *take, _to_decision)
    if refused is not None:
        show_error(refused)
    if load is None or refused is not None:
        return
    about_line(load)
    knob_row(load, _set_speed, _burst)
    left_out = load.plan().num_left_out
    if left_out:
        st.caption(say("monitor.left_out", n=left_out))
    if load.setup.clients is not None:
        st.fragment(_cycle, run_every=TICK_S if load.playing else None)()
    load.forget_sent()  # whatever was drawn before may be gone
    with st.container(key="load-body"):
        with st.container(key="load-strips"):  # the same place, playing or paused: it is not mounted anew
            st.fragment(_strips, run_every=TICK_S if load.playing else None)(load.playing)
            with st.container(key="load-warm"):
                warm_up()
        if not load.playing:
            with st.container(key="load-charts"):
                _charts(load)


def _to_decision() -> None:
    st.page_link(page("decision"), label=say("decision.from_monitor"), width="content")


def _current_load() -> tuple[LoadSession | None, BrothError | None]:
    """This visitor's run, knobs turned. A new one if there is none, or if another stream is wanted. And what
    was refused, if anything was."""
    load = before = LOAD.get()
    wanted, machine = WANTED.get(), MACHINE.get()
    try:
        load = follow(_plan_for(wanted), machine) if load is None else load.turn(wanted, machine)
    except BrothError as error:
        if load is not None:  # the run goes on as it was; the widgets say so again
            load.shown = load.setup
            WANTED.set(load.setup)
        return load, error
    if before is not None and before is not load:
        drop_load_moment()
    LOAD.set(load)
    WANTED.set(load.setup)
    PLAN.set(load.plan())
    return load, None


def _plan_for(wanted: LoadSetup) -> LoadPlan:
    """What the link says; or another setup, chosen since because that one could not run."""
    plan = PLAN.get()
    if plan.first != wanted:
        plan = LoadPlan(wanted, speed=plan.speed)
        PLAN.set(plan)
    return plan


def _strips(playing: bool) -> None:
    """One tick: go on, draw. While the load plays, only this part of the page runs, every second.
    ``playing``: as the rest of the page was drawn."""
    load = _running()
    load.tick()
    if load.playing != playing or load.setup != load.shown:  # a pause, the end, or a knob that a link turned
        st.rerun()
    with load.lock:
        payload = monitor_payload(load, lang_mode(), _bet())
    show_monitor(payload, load.hear)


def _cycle() -> None:
    """Clients who wait: where the time of one goes, and what that leaves for a cache to gain."""
    load = _running()
    with load.lock:
        loop, summary = load.run.loop(), load.run.summary()
    with st.container(key="load-cycle", gap="small"):
        if loop is None:
            st.caption(wait_words(load.run.spec, say))
            return
        st.html(cycle_html(loop, say, lang(), tools=load.setup.mix == "agents"))
        words, how = st.columns([4, 1], vertical_alignment="top")
        words.markdown(cycle_words(loop, summary.hit_rate.value, say, lang()))
        with how.popover(say("monitor.cycle.how"), width="stretch"):
            formula_lines((*LOOP, COUNTED[0]))
            st.markdown(say("monitor.cycle.why"))


def _bet() -> int | None:
    """A share holds for every load; tokens were bet on one run of the stage."""
    bet = SETUP.get().bet
    return None if bet is None else bet.percent


def _charts(load: LoadSession) -> None:
    """The strips as charts; a click on a point lists who is behind its bin."""
    words = table(lang())
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    key = f"load_charts_{load.name}_{load.looks}"
    _hear_click(load, st.session_state.get(key))
    with load.lock:
        moments = [(flag["at_s"], _flag_words(flag)) for flag in shown_flags(tuple(load.run.flags))]
        figure = load_figure(load, words, moments, _bet(), theme)
    if (kept := overlaid(load)) is not None:
        add_kept(figure, kept, words, theme)
    time_axis(figure)
    about, second, formula = st.columns([2.2, 0.8, 1], vertical_alignment="center")
    with about:
        st.caption(say("monitor.paused.done" if load.run.done else "monitor.paused"))
    with second:
        _second(load)
    with formula, st.popover(say("monitor.modelled"), width="stretch"):
        st.markdown(say("monitor.formula.ttft", **machine_words(load)).replace("\n", "\n\n"))
        formula_lines(SERVING)
    st.html(STYLE)
    st.plotly_chart(figure, key=key, on_select="rerun", selection_mode="points")
    with st.container(key="load-behind"):
        if load.asked is not None:
            show_behind(load, load.asked, lambda name, at_s: _open(load, name, at_s), _close)
    beside_panel(load)


def _second(load: LoadSession) -> None:
    """The list without a mouse: the bin of a second that is typed."""
    key, last = f"load_second_{load.name}", load.run.num_bins * load.run.bins.width_s

    def ask() -> None:
        at_s = st.session_state[key]
        if at_s is not None:
            bins = load.run.bins
            load.asked, load.picked = (
                Asked((bins.index(at_s) + 1) * bins.width_s, bins.width_s, "evict"),
                None,
            )
            load.looks += 1  # the next figure begins without a selection

    st.number_input(
        say("monitor.bin.second"),
        0.0,
        max(last, 1.0),
        None,
        1.0,
        format="%g",
        key=key,
        on_change=ask,
        placeholder=say("monitor.bin.second"),
        label_visibility="collapsed",
    )


def _hear_click(load: LoadSession, told: Any) -> None:
    """Known before the figure is drawn, so that it marks the bin. The one that is shown already keeps its
    reasons; another one leaves the request behind that was looked at before."""
    for point in told["selection"]["points"] if told else ():
        strip = strip_of(load, int(point["curve_number"]))
        if strip is None:  # a kept run's lead nowhere
            continue
        asked = Asked(float(point["x"]), load.run.bins.width_s, strip)
        if load.asked != asked:
            load.asked, load.picked = asked, None
        return


def _close() -> None:
    load = _running()
    load.asked = load.picked = None
    load.looks += 1


def _flag_words(flag: dict[str, Any]) -> str:
    value = flag["value"]
    if value is None:
        value = say("monitor.off")
    elif isinstance(value, (int, float)):
        value = f"{value:g}"
    return say(f"monitor.flag.{flag['name']}", value=value)


def _open(load: LoadSession, request_id: str, at_s: float) -> None:
    """The stage at this request."""
    load.picked = (request_id, at_s)
    load.looks += 1  # the next figure begins without a selection
    try:
        with st.spinner(say("monitor.opening", name=request_id)), load.lock:
            title, cut = (say(f"monitor.{one}", name=request_id) for one in ("moment", "cut"))
            told = load.asked.told if load.asked is not None else None
            why = told.why.get(request_id) if told is not None else None
            moment = shown_moment(load.run, request_id, at_s, title, cut, why)
    except BrothError as error:
        show_error(error)
        return
    show_moment(moment, of_load(request_id, at_s, load.run.now_s))
    go_to_step(moment.step)
    st.switch_page(page("execute"))


# -- what a person does -------------------------------------------------------------------------------


def _running() -> LoadSession:
    """The run that the page's own widgets are about: there was one before they were drawn."""
    load = LOAD.get()
    assert load is not None
    return load


def _set_speed(speed: int) -> None:
    _running().speed = speed


def _burst() -> None:
    _running().burst()


if __name__ == "__main__":  # a deep link opened before the front page
    import app

    app.main()
