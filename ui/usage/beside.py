"""What the log itself reports, beside what our engine computes for the same prompts; and by source."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.texts import showable
from core.traffic.reported import reported_by, text_share
from ui.frame.session import lang, say, tell
from ui.traffic.state import Log
from ui.usage.reported import rate_sentences, rate_text, reading_chip


def reported_first(log: Log) -> None:
    """Above what is computed: one rate, or bounds and why; how ambiguous rows were read. A warning where the
    log's text is only a part of what was sent: then the rates below are about that part."""
    totals = log.trace.reported()
    if totals.ratio_of_sums is None and totals.bounds is None:
        return
    told = say("traffic.reported.first", rate=f"**{rate_text(totals, lang())}**")
    line = tell(told, *rate_sentences(totals, lang()))
    if chip := reading_chip(log.trace, lang()):
        line += f" · {chip}"
    share = text_share(log.trace)
    if share is None:
        st.markdown(line)
    else:
        part = say("unit.percent", n=f"{100 * share:.2g}")
        st.warning(f"{line}  \n{say('traffic.reported.part', share=part)}")


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
