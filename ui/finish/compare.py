"""Runs side by side, where the prompt tokens went, and the evictions that cost most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import streamlit as st

from core.errors import BrothError
from core.report import SHARES, Act, Report, Share
from ui.finish.lines import ALWAYS, Line
from ui.frame.charts import Bar, bars_beside, waterfall
from ui.frame.session import lang, plain, say
from ui.stage.record import RECORD
from ui.stage.setup import SETUP
from ui.words.i18n import error_text
from ui.words.numbers import digits, percent, seconds
from ui.words.tables import show_table

_MAIN = ("reused", "new", "evicted", "near_miss", "last_token", "tail")
"""Shares that are shown even when they are empty: the question was asked."""

_FORGETTING = frozenset({"evict", "ttl", "reset"})


def compare_panel(lines: Sequence[Line], failed: Sequence[tuple[str, BrothError]]) -> None:
    """One row per run; the last column compares modelled prefill with no cache at all."""
    columns = ("run", "rate", "reused", "computed", "evicted", "held", "prefill", "against")
    bottom = lines[0].report.prefill_s.value or 0.0
    head = [say(f"finish.compare.{name}") for name in columns]
    show_table("compare", head, [_row(line, bottom) for line in lines])
    bars = [
        Bar(escape(line.name), computed(line.report), digits(computed(line.report)), escape(line.name))
        for line in lines
    ]
    st.plotly_chart(
        bars_beside(bars, say("finish.compare.axis")), key="finish_compare", config={"displayModeBar": False}
    )
    for name, error in failed:
        st.info(say("finish.compare.failed", name=plain(name), why=plain(error_text(error, lang()))))
    st.caption(say("finish.compare.help"))
    if len(lines) > len(ALWAYS) or failed:
        st.button(say("finish.compare.forget"), key="finish_forget_forks", on_click=_forget)


def _forget() -> None:
    """The list of changes starts anew; a second run on the stage is closed, or it would be back at once."""
    RECORD.set(RECORD.get().without_forks())
    SETUP.set(replace(SETUP.get(), fork=None))


def computed(report: Report) -> int:
    """Prompt tokens that were computed, those after a preemption again."""
    return report.waterfall.total - report.waterfall.tokens["reused"] + report.recomputed_tokens


def _row(line: Line, bottom: float) -> list[str]:
    report = line.report
    prefill = report.prefill_s.value or 0.0
    rate = "–" if report.hit_rate.value is None else say("unit.percent", n=percent(report.hit_rate.value))
    return [
        plain(line.name),
        rate,
        digits(report.waterfall.tokens["reused"]),
        digits(computed(report)),
        str(sum(report.evicted_blocks.values())),
        str(report.peak.shared),
        seconds(prefill),
        f"×{digits(prefill / bottom)}" if bottom else "–",
    ]


def waterfall_panel(report: Report) -> None:
    """All prompt tokens, share by share; the shares are the whole."""
    parts = report.waterfall
    if parts.total == 0:
        st.markdown(say("finish.headline.empty"))
        return
    shown = [share for share in SHARES if share in _MAIN or parts.tokens[share]]
    st.plotly_chart(
        waterfall(
            [_share_bar(report, share) for share in shown], say("finish.share.axis", n=digits(parts.total))
        ),
        key="finish_waterfall",
        config={"displayModeBar": False},
    )
    with st.expander(say("finish.share.table")):
        head = [say(f"finish.share.column.{name}") for name in ("share", "tokens", "rate", "why")]
        total = [say("finish.share.all"), str(parts.total), "100.0 %", ""]
        show_table("shares", head, [*(_share_row(report, share) for share in shown), total])
        st.caption(say("finish.share.order"))


def _share_bar(report: Report, share: Share) -> Bar:
    parts = report.waterfall
    words = say("finish.share.words", n=digits(parts.tokens[share]), rate=percent(parts.part(share)))
    hover = f"{words}<br>{say(f'finish.share.{share}.help')}"
    return Bar(say(f"finish.share.{share}"), parts.tokens[share], words, hover)


def _share_row(report: Report, share: Share) -> list[str]:
    parts = report.waterfall
    name, why = say(f"finish.share.{share}"), say(f"finish.share.{share}.help")
    return [f"**{name}**", str(parts.tokens[share]), say("unit.percent", n=percent(parts.part(share))), why]


def evictions_panel(
    report: Report, steps: Sequence[Mapping[str, Any]], to_step: Callable[[int], None]
) -> None:
    """The acts of forgetting that cost most, each with a way to the stage."""
    if not report.worst_evictions:
        key = "none" if sum(report.evicted_blocks.values()) else "never"
        st.markdown(say(f"finish.evictions.{key}"))
        return
    for number, act in enumerate(report.worst_evictions):
        words, button = st.columns([4, 1], vertical_alignment="center")
        step = step_of(steps, act.event)
        with words:
            st.markdown(act_words(act, step))
        with button:
            if step is not None and st.button(
                say("finish.evictions.show", step=step), key=f"finish_act_{number}"
            ):
                to_step(step)


def act_words(act: Act, step: int | None) -> str:
    """One act in a sentence or two: why, how much was forgotten, who paid."""
    who = plain(act.for_request or "")
    why = say(f"finish.evictions.cause.{act.cause}", req=who, n=act.num_blocks)
    names = ", ".join(map(plain, act.recomputed_by[:3])) + (" …" if len(act.recomputed_by) > 3 else "")
    cost = say("finish.evictions.cost", names=names, tokens=act.tokens)
    return f"{why} {cost}"


def step_of(steps: Sequence[Mapping[str, Any]], event: int) -> int | None:
    """The step of the stage that shows this eviction; None if the stage ends before it."""
    return next(
        (number for number, one in enumerate(steps, 1) if one["ev"] == event and one["op"] in _FORGETTING),
        None,
    )
