"""What engines report of themselves: the sentence first, then each engine, then the rate over time."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.traffic.meters.summary import counters_summary
from ui.frame.session import lang, plain, say, say_each
from ui.traffic.charts import lines, mark
from ui.traffic.counter_words import (
    Sentence,
    axis,
    colours,
    curves,
    name_of,
    name_of_all,
    remarks,
    restart_marks,
    table,
    told,
    way_on,
)
from ui.traffic.state import Log

Json = dict[str, Any]
MOST_MARKS = 12
_OF_OTHERS = ("engine", "file", "name")
"""Values that other people wrote."""


def counters_view(log: Log) -> None:
    """Nothing where no engine says anything."""
    counters = counters_summary(log.trace)
    if counters is None:
        return
    st.subheader(f"{say_each('traffic.counters')} · {say('basis.reported.engine')}", anchor=False)
    st.markdown("  \n".join(_spoken(one) for one in told(counters)))
    if not log.trace.has_identity:
        st.markdown(say(way_on(counters)))
    columns, rows = table(counters, lang())
    shown = [dict(zip(columns, row, strict=True)) for row in rows]
    st.dataframe(shown, hide_index=True, key="traffic_counters")
    _chart(counters)
    found = remarks(counters)
    if found:
        st.markdown("\n".join(f"- {_spoken(one)}" for one in found))
    with st.expander(say("traffic.counters.how")):
        st.markdown(say("traffic.counters.how.words"))


def _spoken(sentence: Sentence) -> str:
    key, values = sentence
    return say(key, **{name: plain(str(one)) if name in _OF_OTHERS else one for name, one in values.items()})


def _chart(counters: Json) -> None:
    """All engines together, or the one that is chosen."""
    engines = [engine for engine in counters["engines"] if curves(counters, engine, lang())]
    offered: list[Json] = [counters] if curves(counters, counters, lang()) else []
    offered += engines if len(engines) > 1 or not offered else []
    if not offered:
        return
    shown = offered[0]
    if len(offered) > 1:
        names = [name_of_all(counters, lang()) if one is counters else name_of(one) for one in offered]
        place = st.selectbox(
            say("traffic.counters.column.engine"),
            range(len(offered)),
            format_func=names.__getitem__,
            key="traffic_counters_engine",
        )
        shown = offered[place]
    found, x_title = curves(counters, shown, lang()), axis(counters, lang())
    figure = lines(found, x_title, say("traffic.rate"), markers=True, colours=colours(lang()))
    for number, x in enumerate(restart_marks(counters, shown)[:MOST_MARKS]):
        mark(figure, x, say("traffic.counters.column.restart"), log_x=False, y=(0.98, 0.06)[number % 2])
    st.plotly_chart(figure, key="traffic_counters_chart")
