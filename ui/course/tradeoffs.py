"""The trade-offs as charts, one function each: sliders, a figure, one sentence with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.tradeoffs.tradeoffs import (
    SIZES,
    THRESHOLDS,
    best_of,
    conversation,
    prefixes_against_room,
    saving,
    settings_grid,
    threshold_against_noise,
    ttl_against_pauses,
)
from core.traffic.samples import KINDS, sample_log
from core.types import Request
from ui.frame import plain_figure as go
from ui.frame.session import say
from ui.frame.shared import Shared
from ui.machine.machine import MACHINE
from ui.traffic.charts import finished, lines
from ui.words.numbers import digits, percent

PRIVATE = (32, 128, 512)
COUNTS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 26, 32, 40)
NOISES = tuple(k / 10 for k in range(10))
_COMPUTED = Shared(64)
TTLS = tuple(round(10 ** (k / 6), 3) for k in range(-6, 22))


def _number(name: str, least: int, most: int, value: int, step: int = 1) -> int:
    return st.slider(say(f"tradeoff.{name}"), least, most, value, step, key=f"tradeoff_{name}")


def lengths_panel() -> None:
    """Saving against shared and private length."""
    cost = MACHINE.get().cost()
    size = st.select_slider(say("knob.block_size"), (1, 16, 64, 256), 16, key="tradeoff_size")
    shared = range(0, 4097, 64)
    curves = {}
    for private in PRIVATE:
        found = [(float(one), saving(one, private, size, cost)) for one in shared]
        curves[say("tradeoff.tokens_of", n=private)] = [(x, one.token_share) for x, one in found]
        curves[say("tradeoff.time_of", n=private)] = [(x, one.time_share) for x, one in found]
    _show("lengths", curves, "tradeoff.shared", "tradeoff.saved")
    one = saving(2048, 128, size, cost)
    words = {
        "tokens": percent(one.token_share),
        "time": percent(one.time_share),
        "model": MACHINE.get().model,
    }
    st.caption(say("tradeoff.lengths.words", **words))


def turns_panel() -> None:
    """A conversation that grows."""
    left, middle, right = st.columns(3)
    with left:
        system = _number("system", 0, 4000, 500, 50)
    with middle:
        question = _number("question", 1, 500, 50)
    with right:
        answer = _number("answer", 1, 1000, 300)
    turns = conversation(20, system, question, answer, 16)
    figure = go.Figure()
    names = ("without", "with")
    for place, name in enumerate(names):
        values = [turn.sum_computed if place else turn.sum_prompt for turn in turns]
        figure.add_scatter(
            x=list(range(1, 21)),
            y=values,
            name=say(f"tradeoff.turns.{name}"),
            mode="lines+markers",
            line={"dash": ("solid", "dash")[place], "width": 2.5},
            marker={"symbol": ("circle", "square")[place]},
            hovertemplate="%{x} · %{y:,}<extra>%{fullData.name}</extra>",
        )
    figure.update_xaxes(title_text=say("tradeoff.turn"))
    figure.update_yaxes(title_text=say("tradeoff.computed"), rangemode="tozero", tickformat=",")
    st.plotly_chart(finished(figure, True), key="tradeoff_turns")
    last = turns[-1]
    words = {"without": digits(last.sum_prompt), "with_": digits(last.sum_computed)}
    share = percent(1 - last.sum_computed / last.sum_prompt)
    st.caption(say("tradeoff.turns.words", share=share, **words))


def prefixes_panel() -> None:
    """How many prefixes a cache of some size carries."""
    slots = _number("slots", 20, 300, 110, 10)
    curves = {
        say(f"tradeoff.zipf.{name}"): _COMPUTED.get(
            ("prefixes", slots, zipf), partial(prefixes_against_room, COUNTS, slots, zipf=zipf)
        )
        for name, zipf in (("even", 0.0), ("popular", 1.2))
    }
    _show("prefixes", curves, "tradeoff.count", "traffic.rate")
    st.caption(say("tradeoff.prefixes.words", slots=slots, room=slots // 8))


def threshold_panel() -> None:
    """Storing only what was seen before, against prompts that never come again."""
    slots = _number("small_slots", 12, 60, 26)
    curves = {
        say("tradeoff.threshold", n=threshold): _COMPUTED.get(
            ("threshold", slots, threshold),
            partial(threshold_against_noise, NOISES, threshold, slots),
        )
        for threshold in (1, 2, 3)
    }
    _show("threshold", curves, "tradeoff.noise", "tradeoff.rate_of_others", percent_x=True)
    st.caption(say("tradeoff.threshold.words"))


def ttl_panel() -> None:
    """How long to keep what people come back to."""
    pause = _number("pause", 5, 600, 60, 5)
    ran, formula = ttl_against_pauses(TTLS, float(pause))
    curves = {say("tradeoff.ttl.ran"): ran, say("tradeoff.ttl.formula"): formula}
    _show("ttl", curves, "traffic.axis.ttl", "tradeoff.of_possible", log_x=True)
    st.caption(say("tradeoff.ttl.words", pause=pause, triple=3 * pause))


def best_panel() -> None:
    """Every block size with every threshold for one sample log."""
    left, right = st.columns(2)
    words = {kind: say(f"traffic.sample.{kind}") for kind in KINDS}
    with left:
        kind = st.selectbox(
            say("traffic.sample.label"), KINDS, 3, format_func=words.__getitem__, key="tradeoff_kind"
        )
    with right:
        room = _number("room", 2000, 32000, 4000, 1000)
    choices = _COMPUTED.get(("best", kind, room), lambda: settings_grid(_requests(kind), room))
    best = best_of(choices)
    if best is None:
        st.caption(say("tradeoff.best.none"))
        return
    figure = go.Figure()
    for place, threshold in enumerate(THRESHOLDS):
        of_it = [one for one in choices if one.admit_after == threshold]
        figure.add_bar(
            x=[str(one.block_size) for one in of_it],
            y=[one.hit_rate for one in of_it],
            name=say("tradeoff.threshold", n=threshold),
            marker={"pattern": {"shape": ("", "/")[place], "fgopacity": 0.6}},
            hovertemplate="%{x} · %{y:.1%}<extra>%{fullData.name}</extra>",
        )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02], title_text=say("traffic.rate"))
    figure.update_xaxes(title_text=say("knob.block_size"), type="category")
    st.plotly_chart(finished(figure, True), key="tradeoff_best")
    numbers = {"size": best.block_size, "threshold": best.admit_after, "rate": percent(best.hit_rate)}
    st.markdown(say("tradeoff.best.words", num=len(choices), most=len(SIZES) * len(THRESHOLDS), **numbers))


def _requests(kind: str) -> list[Request]:
    trace = read_trace(TraceFile(kind, sample_log(kind)), options=ReadOptions())
    return [request.request() for request in trace.requests]


def _show(
    name: str,
    curves: Mapping[str, list[tuple[float, float]]],
    x_title: str,
    y_title: str,
    *,
    log_x: bool = False,
    percent_x: bool = False,
) -> None:
    figure = lines(curves, say(x_title), say(y_title), log_x=log_x, markers=len(curves) < 4)
    if percent_x:
        figure.update_xaxes(tickformat=".0%")
    st.plotly_chart(figure, key=f"tradeoff_chart_{name}")
