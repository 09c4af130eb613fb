"""When and who: the hit rate over time, by tenant, model, tag, template, session and hour; slots divided."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.texts import showable
from core.traffic.analysis import Analysis, over_time
from core.traffic.bounds import verdict_bound
from core.traffic.decisions import as_csv
from core.traffic.groups import HOURS, Group, Key, groups, keys_of, values_of
from core.traffic.hours import has_dates
from core.traffic.misses import Miss
from ui.frame.session import lang, say, say_each, tell
from ui.traffic.charts import group_bars, hour_bars, stretch_bars
from ui.traffic.misses import all_misses
from ui.traffic.open import clicked
from ui.traffic.quotas import quotas_view
from ui.traffic.settings import Open
from ui.traffic.state import Log, state
from ui.traffic.verdict import rule_now, verdict_help
from ui.traffic.words import best_title, verdict_words

MOST_BARS = 12


def sources_view(log: Log, analysis: Analysis, open_it: Open) -> None:
    """Over time, then by source, then with slots of one's own."""
    misses = all_misses(log, analysis)
    if misses is None:
        return
    st.subheader(say("traffic.over_time"), anchor=False)
    stretches = over_time(analysis)
    worst = [_worst(misses, range(one.first, one.first + one.num_requests)) for one in stretches]
    timed = analysis.tree.arrivals_s is not None
    title = say("traffic.axis.seconds" if timed else "traffic.axis.requests")
    figure = stretch_bars(stretches, title, _rate_title(analysis), worst)
    told = st.plotly_chart(
        figure, key=f"traffic_time_{state().looks}", on_select="rerun", selection_mode="points"
    )
    st.caption(say("traffic.over_time.help"))
    if point := clicked(told):
        open_it(int(point[0]))
    keys = keys_of(analysis)
    st.subheader(say_each("traffic.sources"), anchor=False)
    if not keys:
        st.caption(say("traffic.sources.none"))
        _save(analysis)
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
    _save(analysis)
    if "tenant" in keys:
        quotas_view(log, analysis)


def _save(analysis: Analysis) -> None:
    """All sources of all kinds as one table."""
    rule = rule_now()
    st.download_button(
        say("traffic.csv"),
        lambda: "\ufeff" + as_csv(analysis, rule),
        f"{_file_name(analysis.name)}.csv",
        "text/csv",
        key="traffic_csv",
    )


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", showable(name))[:80] or "log"


def _rate_title(analysis: Analysis) -> str:
    return say("traffic.column.rate_bound" if analysis.lower_bound else "traffic.rate")


def _worst(misses: Sequence[Miss], numbers: range) -> int:
    """The request of these that lost most; else the one that hit least."""
    return max(numbers, key=lambda number: (misses[number].lost, -misses[number].hit_tokens))


def _groups(analysis: Analysis, misses: Sequence[Miss], key: Key, open_it: Open) -> None:
    rule = rule_now()
    found = groups(analysis, key, rule)
    names = [_name(one.name) for one in found]
    most = len(found) if key in HOURS else MOST_BARS
    shown = found[:most]
    best = best_title(analysis.settings.ttl_s, lang())
    rates = {
        say("traffic.rate"): [one.rate for one in shown],
        best: [one.possible_rate for one in shown],
    }
    of_group: dict[str, int] = {}
    for miss, name in zip(misses, values_of(analysis.requests, analysis.start_s, key), strict=True):
        if name not in of_group or miss.lost > misses[of_group[name]].lost:
            of_group[name] = miss.request
    draw = hour_bars if key in HOURS else group_bars
    figure = draw(
        [name[:40] for name in names[:most]],
        rates,
        [of_group[one.name] for one in shown],
        _rate_title(analysis),
    )
    told = st.plotly_chart(
        figure, key=f"traffic_groups_{key}_{state().looks}", on_select="rerun", selection_mode="points"
    )
    if point := clicked(told):
        open_it(int(point[0]))
    _table(analysis, key, found, best)
    words = [say("traffic.percentiles.help"), verdict_help(rule)]
    if key in HOURS:
        words.insert(
            0, say("traffic.hours.dates" if has_dates(analysis.start_s) else "traffic.hours.relative")
        )
    st.caption(tell(*words))


def _table(analysis: Analysis, key: Key, found: Sequence[Group], best: str) -> None:
    bound, rule = analysis.lower_bound, rule_now()
    rows = [
        {
            "source": _name(one.name),
            "requests": one.num_requests,
            "tokens": one.num_tokens,
            "rate": one.rate,
            "best": one.possible_rate,
            "p10": one.rates.p10,
            "p50": one.rates.p50,
            "p90": one.rates.p90,
            "length_p10": int(one.lengths.p10),
            "length_p50": int(one.lengths.p50),
            "length_p90": int(one.lengths.p90),
            "below": one.num_below,
            "verdict": verdict_words(
                one.verdict(), verdict_bound(one.verdict(), rule) if bound else None, lang()
            ),
        }
        for one in found
    ]
    columns: dict[str, Any] = {name: say(f"traffic.column.{name}") for name in rows[0]}
    columns["best"] = best
    if bound:
        for name in ("rate", "best", "p10", "p50", "p90"):
            columns[name] = say("traffic.column.bound", name=columns[name])
    for name in ("rate", "best", "p10", "p50", "p90"):
        columns[name] = st.column_config.NumberColumn(columns[name], format="percent")
    st.dataframe(rows, hide_index=True, column_config=columns, key=f"traffic_group_rows_{key}")


def _name(name: str) -> str:
    return showable(name) or say("traffic.unnamed")
