"""Further views of a log: over time and by source, and the same log under other settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.errors import BrothError
from core.eviction_orders import Order
from core.replay_grid import GridPoint
from core.traffic.analysis import Analysis, over_time
from core.traffic.groups import Key, groups, keys_of
from core.traffic.misses import Miss
from core.traffic.sweeps import (
    MOST_ORDER_BLOCKS,
    SizePoint,
    compare_orders,
    curve_points,
    idle_ttl,
    num_blocks,
    sweep_block_sizes,
    with_pinning,
)
from ui import session
from ui.numbers import digits
from ui.session import say
from ui.traffic_charts import group_bars, lines, stretch_bars
from ui.traffic_open import clicked
from ui.traffic_source import progress_in
from ui.traffic_state import Log, misses_in, remember, state
from ui.traffic_view import Open

MOST_BARS = 12
MOST_PINNED_TOKENS = 3_000_000
IN_FLIGHT = (4, 16)


def sources_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Over time, then by tenant, template, tag, model or session."""
    misses = misses_in(log, analysis)
    st.subheader(say("traffic.over_time"), anchor=False)
    stretches = over_time(analysis)
    worst = [_worst(misses, range(one.first, one.first + one.num_requests)) for one in stretches]
    timed = analysis.tree.arrivals_s is not None
    title = say("traffic.axis.seconds" if timed else "traffic.axis.requests")
    figure = stretch_bars(stretches, title, say("traffic.rate"), worst)
    told = st.plotly_chart(
        figure, key=f"traffic_time_{state().looks}", on_select="rerun", selection_mode="points"
    )
    st.caption(say("traffic.over_time.help"))
    if (number := clicked(told)) is not None:
        open_it(number)
    keys = keys_of(analysis)
    st.subheader(say("traffic.sources"), anchor=False)
    if not keys:
        st.caption(say("traffic.sources.none"))
        return
    words = {one: say(f"traffic.key.{one}") for one in keys}
    chosen = st.segmented_control(
        say("traffic.sources.by"),
        keys,
        default=keys[0],
        format_func=words.__getitem__,
        label_visibility="collapsed",
        key="traffic_key",
    )
    _groups(analysis, misses, chosen or keys[0], open_it)


def _worst(misses: Sequence[Miss], numbers: range) -> int:
    """The request of these that lost most; else the one that hit least."""
    return max(numbers, key=lambda number: (misses[number].lost, -misses[number].hit_tokens))


def _groups(analysis: Analysis, misses: Sequence[Miss], key: Key, open_it: Open) -> None:
    found = groups(analysis, key)
    names = [one.name or say("traffic.unnamed") for one in found]
    shown = found[:MOST_BARS]
    rates = {
        say("traffic.rate"): [one.rate for one in shown],
        say("traffic.best"): [one.possible_rate for one in shown],
    }
    of_group: dict[str, int] = {}
    for miss in misses:
        name = getattr(analysis.requests[miss.request], key) or ""
        if name not in of_group or miss.lost > misses[of_group[name]].lost:
            of_group[name] = miss.request
    figure = group_bars(
        [name[:40] for name in names[:MOST_BARS]],
        rates,
        [of_group[one.name] for one in shown],
        say("traffic.rate"),
    )
    told = st.plotly_chart(
        figure, key=f"traffic_groups_{key}_{state().looks}", on_select="rerun", selection_mode="points"
    )
    if (number := clicked(told)) is not None:
        open_it(number)
    rows = [
        {
            "source": name,
            "requests": one.num_requests,
            "tokens": one.num_tokens,
            "rate": one.rate,
            "best": one.possible_rate,
            "verdict": say(f"traffic.verdict.{one.verdict()}"),
        }
        for name, one in zip(names, found, strict=True)
    ]
    columns: dict[str, Any] = {name: say(f"traffic.column.{name}") for name in rows[0]}
    for name in ("rate", "best"):
        columns[name] = st.column_config.NumberColumn(say(f"traffic.column.{name}"), format="percent")
    st.dataframe(rows, hide_index=True, column_config=columns, key=f"traffic_group_rows_{key}")
    st.caption(say("traffic.verdict.help"))


# -- other settings ----------------------------------------------------------------------------------------


def sweeps_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Block sizes, times to live, eviction orders, pinning."""
    example = max(misses_in(log, analysis), key=lambda miss: miss.lost).request
    left, right = st.columns(2, gap="large")
    with left:
        _block_sizes(log, analysis, example, open_it)
        _orders(log, analysis, example, open_it)
    with right:
        _ttl(analysis, example, open_it)
        _pinning(log, analysis, example, open_it)


def _chart(
    name: str, curves: dict[str, list[tuple[float, float]]], title: str, example: int, open_it: Open
) -> None:
    numbers = {key: [example] * len(points) for key, points in curves.items()}
    figure = lines(curves, title, say("traffic.rate"), log_x=True, requests=numbers, markers=True)
    told = st.plotly_chart(
        figure, key=f"traffic_{name}_{state().looks}", on_select="rerun", selection_mode="points"
    )
    if (number := clicked(told)) is not None:
        open_it(number)


def _block_sizes(log: Log, analysis: Analysis, example: int, open_it: Open) -> None:
    st.subheader(say("traffic.blocks"), anchor=False)
    place = st.empty()
    points: list[SizePoint] = remember(
        ("blocks", log.key, analysis.settings),
        lambda: sweep_block_sizes(log.trace, analysis.settings, progress_in(place, "traffic.rerunning")),
    )
    place.empty()
    curves = {
        say("traffic.best"): [(float(one.block_size), one.best_rate) for one in points],
        say("traffic.blocks.here"): [(float(one.block_size), one.rate) for one in points],
    }
    _chart("blocks", curves, say("knob.block_size"), example, open_it)
    st.caption(say("traffic.blocks.help"))


def _ttl(analysis: Analysis, example: int, open_it: Open) -> None:
    st.subheader(say("traffic.ttl.curve"), anchor=False)
    try:
        points = [(max(pause, 1e-3), rate) for pause, rate in idle_ttl(analysis)]
    except BrothError as error:
        session.show_error(error)
        return
    if not points:
        st.caption(say("traffic.nothing_again"))
        return
    _chart("ttl_curve", {say("traffic.rate"): points}, say("traffic.axis.ttl"), example, open_it)
    st.caption(say("traffic.ttl.curve.help"))


def _orders(log: Log, analysis: Analysis, example: int, open_it: Open) -> None:
    st.subheader(say("traffic.orders"), anchor=False)
    if num_blocks(analysis) > MOST_ORDER_BLOCKS:
        st.caption(say("traffic.orders.too_many", most=f"{MOST_ORDER_BLOCKS:,}"))
        return
    place = st.empty()
    found: dict[Order, list[tuple[int, float]]] = remember(
        ("orders", log.key, analysis.settings.block_size),
        lambda: compare_orders(analysis, progress=progress_in(place, "traffic.rerunning")),
    )
    place.empty()
    curves = {
        say(f"traffic.order.{order}"): [(float(slots), rate) for slots, rate in points]
        for order, points in found.items()
    }
    _chart("orders", curves, say("traffic.unit.blocks"), example, open_it)
    st.caption(say("traffic.orders.help"))


def _pinning(log: Log, analysis: Analysis, example: int, open_it: Open) -> None:
    st.subheader(say("traffic.pinning"), anchor=False)
    key = ("pinning", log.key, analysis.settings.block_size)
    tokens = int(analysis.lengths.sum())
    many = key not in state().computed and tokens > MOST_PINNED_TOKENS
    if many and not st.button(say("traffic.pinning.run", tokens=digits(tokens))):
        st.caption(say("traffic.pinning.help"))
        return
    place = st.empty()
    found: dict[int, list[GridPoint]] = remember(
        key, lambda: with_pinning(analysis, IN_FLIGHT, progress=progress_in(place, "traffic.rerunning"))
    )
    place.empty()
    curves = {
        say("traffic.pinning.none"): [(float(slots), rate) for slots, rate in curve_points(analysis, 60)]
    }
    for number, points in found.items():
        name = say("traffic.pinning.name", n=number)
        curves[name] = [(float(p.num_usable), p.hit_rate) for p in points if p.hit_rate is not None]
    _chart("pinning", curves, say("traffic.unit.blocks"), example, open_it)
    st.caption(say("traffic.pinning.help"))
