"""The slots divided among tenants, beside one pool for all."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from core.texts import showable
from core.traffic.analysis import Analysis
from core.traffic.quotas import MOST_TENANTS, Shares, quotas
from ui.frame.session import lang, say
from ui.traffic.state import Log
from ui.traffic.words import bounded, rate_words
from ui.traffic.work import work

SHARES: tuple[Shares, ...] = get_args(Shares)


def quotas_view(log: Log, analysis: Analysis) -> None:
    """Who gains and who loses."""
    st.subheader(say("traffic.quota"), anchor=False)
    if analysis.settings.num_slots is None:
        st.caption(say("traffic.quota.need"))
        return
    words = {one: say(f"traffic.quota.{one}") for one in SHARES}
    told = st.segmented_control(
        say("traffic.quota"),
        SHARES,
        default=SHARES[0],
        format_func=words.__getitem__,
        label_visibility="collapsed",
        key="traffic_quota",
    )
    shares = told or SHARES[0]
    key = ("quotas", log.key, analysis.settings, shares)
    found = work(key, lambda tell: quotas(analysis, shares, tell))
    if found is None:
        st.caption(say("traffic.quota.many", most=MOST_TENANTS))
        return
    both = [rate_words(rate, analysis.lower_bound, lang()) for rate in (found.rate, found.shared_rate)]
    points = f"{100 * (found.rate - found.shared_rate):+.1f}".replace("-", "−")
    points = bounded(points, "either" if analysis.lower_bound else None, lang())
    st.markdown(say("traffic.quota.words", quota=both[0], shared=both[1], points=points))
    rows = [
        {
            "source": showable(one.name) or say("traffic.unnamed"),
            "tokens": one.num_tokens,
            "own_slots": one.num_slots,
            "own_rate": one.rate,
            "pool_rate": one.shared_rate,
            "points": round(100 * (one.rate - one.shared_rate), 2),
            "too_large": one.num_refused,
        }
        for one in found.tenants
    ]
    columns: dict[str, Any] = {name: say(f"traffic.column.{name}") for name in rows[0]}
    for name in ("own_rate", "pool_rate"):
        if analysis.lower_bound:
            columns[name] = say("traffic.column.bound", name=columns[name])
        columns[name] = st.column_config.NumberColumn(columns[name], format="percent")
    st.dataframe(rows, hide_index=True, column_config=columns, key="traffic_quota_rows")
    st.caption(say("traffic.quota.help"))
