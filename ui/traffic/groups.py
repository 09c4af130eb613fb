"""When and who: the hit rate over time, and by tenant, template, tag, model or session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.texts import showable
from core.traffic.analysis import Analysis, over_time
from core.traffic.groups import Key, groups, keys_of
from core.traffic.misses import Miss
from ui.frame.session import say
from ui.traffic.charts import group_bars, stretch_bars
from ui.traffic.misses import all_misses
from ui.traffic.open import clicked
from ui.traffic.settings import Open
from ui.traffic.state import Log, state

MOST_BARS = 12


def sources_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Over time, then by tenant, template, tag, model or session."""
    misses = all_misses(log, analysis)
    if misses is None:
        return
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
    if point := clicked(told):
        open_it(int(point[0]))
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
    names = [showable(one.name) or say("traffic.unnamed") for one in found]
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
    if point := clicked(told):
        open_it(int(point[0]))
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
