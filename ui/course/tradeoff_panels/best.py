"""Every block size with both thresholds on one log: the highest rate, the best after costs, and the front."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.traces.door.read import read_trace
from core.traces.options import ReadOptions
from core.traces.packing.sources import TraceFile
from core.tradeoffs.best import (
    MEASURED_ON,
    SIZES,
    THRESHOLDS,
    WORK,
    Bill,
    Charges,
    Choice,
    best_after_costs,
    best_of,
    bill,
    front,
    open_settings,
    try_setting,
)
from core.traffic.samples import KINDS, sample_log
from core.types import Request
from ui.course.tradeoff_panels.sides import COMPUTED, number, share, two_sides
from ui.frame import plain_figure as go
from ui.frame.session import say
from ui.machine.machine import MACHINE
from ui.traffic.charts import finished
from ui.words.numbers import percent, seconds


def best_panel() -> None:
    """One sample log, so much room, and prices."""
    left, right = st.columns(2)
    words = {kind: say(f"traffic.sample.{kind}") for kind in KINDS}
    with left:
        kind = st.selectbox(
            say("traffic.sample.label"), KINDS, 3, format_func=words.__getitem__, key="tradeoff_kind"
        )
    with right:
        room = number("room", 2000, 32000, 4000, 1000)
    charges = charges_panel()
    choices = _tried(kind, room)
    best = best_of(choices)
    if best is None:
        st.caption(say("tradeoff.best.none"))
        return
    cost = MACHINE.get().cost()
    bills = [bill(one, cost, charges) for one in choices]
    after = best_after_costs(bills)
    assert after is not None
    two_sides("best", _rates(choices, best), _front(bills, best, after), ("counted", "charges"))
    numbers = {"size": best.block_size, "threshold": best.admit_after, "rate": percent(best.hit_rate)}
    st.markdown(say("tradeoff.best.words", num=len(choices), most=len(SIZES) * len(THRESHOLDS), **numbers))
    st.markdown(after_costs_words(after))
    _bills(bills)


def charges_panel() -> Charges:
    """What a setting costs, in the reader's own weights."""
    with st.expander(say("tradeoff.charges")):
        left, right = st.columns(2)
        names = {whose: say(f"tradeoff.charges.{whose}") for whose in WORK}
        with left:
            whose = st.selectbox(
                say("tradeoff.charges.whose"), list(WORK), format_func=names.__getitem__, key="tradeoff_whose"
            )
            waits = share("charges.waits", 100)
        with right:
            memory = share("charges.memory", 0)
            small = share("charges.small", 0, 50, 1)
        block, token = WORK[whose]
        numbers = {"block": f"{block:.2f}", "token": f"{1e3 * token:.0f}", "date": MEASURED_ON}
        st.caption(say("tradeoff.charges.words", **numbers))
    return Charges(whose, waits, memory, small)


def after_costs_words(after: Bill) -> str:
    """The best after costs as a sentence."""
    one = after.choice
    return say(
        "tradeoff.best.after",
        size=one.block_size,
        threshold=one.admit_after,
        rate=percent(one.hit_rate),
        net=percent(after.net_share),
        cost=percent(after.cost_share, 2),
    )


def _tried(kind: str, room: int) -> list[Choice]:
    requests, times = COMPUTED.get(("log", kind), lambda: _requests(kind))
    configs = open_settings(requests, room)
    place, found = st.empty(), []
    for done, config in enumerate(configs):
        if done:
            place.progress(done / len(configs), say("tradeoff.running", n=done, of=len(configs)))
        key = ("best", kind, config)
        found.append(COMPUTED.get(key, partial(try_setting, requests, config, times)))
    place.empty()
    return found


def _requests(kind: str) -> tuple[list[Request], list[float] | None]:
    trace = read_trace(TraceFile(kind, sample_log(kind)), options=ReadOptions())
    times = [one.arrival_s for one in trace.requests if one.arrival_s is not None]
    return [one.request() for one in trace.requests], times if len(times) == len(trace.requests) else None


def _rates(choices: Sequence[Choice], best: Choice) -> go.Figure:
    figure = go.Figure()
    for place, threshold in enumerate(THRESHOLDS):
        of_it = [one for one in choices if one.admit_after == threshold]
        figure.add_bar(
            x=[str(one.block_size) for one in of_it],
            y=[one.hit_rate for one in of_it],
            name=say("tradeoff.threshold", n=threshold),
            text=["★" if one == best else "" for one in of_it],
            textposition="outside",
            cliponaxis=False,
            marker={"pattern": {"shape": ("", "/")[place], "fgopacity": 0.6}},
            hovertemplate="%{x} · %{y:.1%}<extra>%{fullData.name}</extra>",
        )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02], title_text=say("traffic.rate"))
    figure.update_xaxes(title_text=say("knob.block_size"), type="category")
    return finished(figure, True)


def _front(bills: Sequence[Bill], best: Choice, after: Bill) -> go.Figure:
    """Charges against hit rate: further up and further left is better."""
    figure, edge = go.Figure(), front(bills)
    for place, threshold in enumerate(THRESHOLDS):
        of_it = [one for one in bills if one.choice.admit_after == threshold]
        figure.add_scatter(
            x=[one.cost_share for one in of_it],
            y=[one.choice.hit_rate for one in of_it],
            name=say("tradeoff.threshold", n=threshold),
            mode="markers+text",
            text=[_mark(one, best, after) if one in edge else "" for one in of_it],
            textposition=("top center", "bottom center")[place],
            cliponaxis=False,
            customdata=[one.choice.block_size for one in of_it],
            marker={"size": 9, "symbol": ("circle", "diamond-open")[place]},
            hovertemplate="%{customdata} · %{x:.2%} · %{y:.1%}<extra>%{fullData.name}</extra>",
        )
    figure.add_scatter(
        x=[one.cost_share for one in edge],
        y=[one.choice.hit_rate for one in edge],
        name=say("tradeoff.best.front"),
        mode="lines",
        line={"shape": "hv", "dash": "dot", "width": 2},
        hoverinfo="skip",
    )
    figure.update_xaxes(title_text=say("tradeoff.best.cost_axis"), tickformat=".2~%", rangemode="tozero")
    figure.update_yaxes(title_text=say("traffic.rate"), tickformat=".0%")
    return finished(figure, True)


def _mark(one: Bill, best: Choice, after: Bill) -> str:
    stars = ("★" if one.choice == best else "") + ("◎" if one == after else "")
    return f"{one.choice.block_size} {stars}".strip()


def _bills(bills: Sequence[Bill]) -> None:
    edge = front(bills)
    unknown = say("tradeoff.unknown")
    heads = (
        "size",
        "threshold",
        "hits",
        "saved",
        "work",
        "memory",
        "small",
        "net",
        "table",
        "evicted",
        "front",
    )
    columns: dict[str, list[str]] = {say(f"tradeoff.head.{one}"): [] for one in heads}
    for one in sorted(bills, key=lambda found: -found.net_share):
        choice = one.choice
        cells = (
            str(choice.block_size),
            str(choice.admit_after),
            say("unit.percent", n=percent(choice.hit_rate)),
            seconds(one.saved_s),
            seconds(one.work_s),
            unknown if choice.unread_block_s is None else seconds(one.memory_s),
            seconds(one.small_s),
            say("unit.percent", n=percent(one.net_share, 2)),
            f"{choice.num_blocks / max(len(choice.lengths), 1):,.1f}",
            f"{choice.num_evicted:,}",
            "✓" if one in edge else "",
        )
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    with st.expander(say("tradeoff.numbers")):
        st.dataframe(columns, hide_index=True)
