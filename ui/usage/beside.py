"""What the log itself reports, beside what our engine computes for the same prompts; and by source."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.texts import showable
from core.traffic.reported import reported_by
from ui.frame.session import lang, say
from ui.traffic.state import Log
from ui.usage.reported import rate_sentences, rate_text, reading_chip


def reported_beside(log: Log) -> None:
    """One rate, or bounds and why; how ambiguous rows were read."""
    totals = log.trace.reported()
    if totals.ratio_of_sums is None and totals.bounds is None:
        return
    st.subheader(say("traffic.reported"), anchor=False)
    chip = reading_chip(log.trace, lang())
    words = [f"**{rate_text(totals, lang())}**", *rate_sentences(totals, lang()), chip]
    st.markdown(" · ".join(word for word in words if word))
    reported_sources_view(log)


def reported_sources_view(log: Log) -> None:
    """A table for each field that tells requests apart; an unknown rate is none."""
    found = reported_by(log.trace)
    if not found:
        return
    with st.expander(say("traffic.reported.by")):
        for key, sources in found.items():
            rows = [
                {
                    "source": showable(one.name) or say("traffic.unnamed"),
                    "requests": one.num_requests,
                    "tokens": one.totals.prompt_tokens,
                    "cached": one.totals.cached_tokens,
                    "reported": rate_text(one.totals, lang()),
                }
                for one in sources
            ]
            columns: dict[str, Any] = {name: say(f"traffic.column.{name}") for name in rows[0]}
            columns["source"] = say(f"traffic.key.{key}")
            st.dataframe(rows, hide_index=True, column_config=columns, key=f"traffic_reported_{key}")
