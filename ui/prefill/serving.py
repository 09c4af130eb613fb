"""Sections about serving: many users on one prefix, decode with and without K/V, a claim put to the test."""

from __future__ import annotations

import streamlit as st

from core.backends.experiments.measure import ms_of
from core.backends.experiments.report import Report
from ui.frame.charts import Bar, bars_beside
from ui.frame.session import built_under, say, say_each, say_under, tell
from ui.prefill.about import claimed, times
from ui.prefill.charts import Curve, claim_bars, curves
from ui.prefill.clock import clock_of, column_of, labelled, spread_of, spread_words
from ui.words.numbers import digits, percent
from ui.words.tables import show_table

USERS = 100
"""As many as the section's title says; a large model has fewer."""

CLAIM = (0.3, 0.5)
"""The share of the TTFT that sharing a prefix is said to save."""


def users_view(report: Report) -> None:
    """Many users on one prefix, with the cache and without."""
    cache, none = report.rows
    summary, settings = report.summary, report.settings
    clock = clock_of(cache["timing"])
    bars = []
    for row in (cache, none):  # blue is a hit
        total = f"{digits(row['total_ms'] / 1e3)} s"
        bars.append(Bar(say(f"prefill.users.{row['side']}"), row["total_ms"] / 1e3, total, total))
    st.plotly_chart(bars_beside(bars, say("prefill.axis.s", clock=clock)), key="prefill_bars_users")
    columns = st.columns(3)
    parts = (
        ("prefill.ratio.clock", "basis.measured", times(summary["ratio"])),
        ("prefill.ratio.tokens", "basis.counted", claimed(summary["tokens_ratio"])),
        ("prefill.rate", "basis.counted", say("unit.percent", n=percent(summary["hit_rate"]))),
    )
    for column, (name, basis, value) in zip(columns, parts, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.metric(labelled(name, basis), value)
            if basis == "basis.measured" and report.runs > 1:
                st.caption(spread_words(report, summary))
    names = ("side", "computed", "sum", "sum_wall", "first", "later")
    head = [say_each(f"prefill.head.{name}", clock=clock) for name in names]
    cells = [
        [
            say(f"prefill.users.{row['side']}"),
            digits(row["computed_tokens"]),
            f"{digits(row['total_ms'] / 1e3)} s",
            f"{digits(row['total_wall_ms'] / 1e3)} s" if "total_wall_ms" in row else "–",
            f"{digits(row['first_ms'])} ms",
            f"{digits(row['later_ms'])} ms",
        ]
        for row in (none, cache)
    ]
    show_table("prefill-users", head, cells)
    numbers = {
        "users": cache["timing"]["num"] // report.runs,
        "shared": settings["shared"],
        "own": settings["own"],
    }
    first, later = digits(cache["first_ms"]), digits(cache["later_ms"])
    computed = {row["side"]: digits(row["computed_tokens"]) for row in (cache, none)}

    def words() -> str:
        told = [say("prefill.users.words", first=first, later=later, **numbers)]
        if numbers["users"] < USERS:
            told.append(say("prefill.users.fewer", users=numbers["users"], runs=report.runs))
        told.append(say("prefill.users.why", tokens=digits(summary["tokens_ratio"]), **computed))
        return tell(*told)

    st.markdown(built_under(words))


def decode_view(report: Report) -> None:
    """The next token, with the request's own K/V and without."""
    rows = report.rows
    clock = clock_of(rows[0]["with"])
    xs = column_of(rows, "position")
    found = {}
    for side in ("with", "without"):
        timings = [row[side] for row in rows]
        spread = [spread_of(timing) for timing in timings]
        low, high = [one for one, _ in spread], [other for _, other in spread]
        name = labelled(f"prefill.decode.{side}", "basis.measured")
        found[name] = Curve(xs, [ms_of(timing) for timing in timings], low, high)
    figure = curves(
        found, say("prefill.axis.position"), say("prefill.axis.ms_token", clock=clock), unit=" ms"
    )
    st.plotly_chart(figure, key="prefill_decode")
    first, last = rows[0], rows[-1]
    st.markdown(
        say_under(
            "prefill.decode.words",
            position=digits(last["position"]),
            ratio=times(last["ratio"]),
            flops=times(last["flops"]),
            near=digits(first["position"]),
            near_ms=digits(ms_of(first["with"])),
            ms=digits(ms_of(last["with"])),
        )
    )
    sides = [f"{say_each(f'prefill.decode.{side}')}, {clock}" for side in ("without", "with")]
    head = [say_each("prefill.head.position"), *sides]
    head += [say_each("prefill.ratio.clock"), say_each("prefill.ratio.flops")]
    cells = [
        [
            digits(row["position"]),
            *(f"{digits(ms_of(row[side]))} ms" for side in ("without", "with")),
            f"{times(row['ratio'])} ({times(row['ratio_low'])} – {times(row['ratio_high'])})",
            times(row["flops"]),
        ]
        for row in rows
    ]
    show_table("prefill-decode", head, cells)


def saving_view(report: Report) -> None:
    """30 to 50 % less TTFT: in which of the cases?"""
    rows = report.rows
    names = [say("prefill.saving.case", shared=row["shared"], total=row["total"]) for row in rows]
    shares = column_of(rows, "saved")
    clock = clock_of(rows[0]["full"])
    axis = f"{labelled('prefill.saved', 'basis.measured')} · {clock}"
    figure = claim_bars(names, shares, CLAIM, axis, say("prefill.saving.band"))
    st.plotly_chart(figure, key="prefill_saving")
    inside = sum(CLAIM[0] <= share <= CLAIM[1] for share in shares)
    words = {"low": percent(min(shares), 0), "high": percent(max(shares), 0)}
    st.markdown(say_under("prefill.saving.words", inside=inside, cases=len(rows), **words))
    head = [say_each(f"prefill.head.{name}") for name in ("case", "hit_tokens")]
    head += [f"{say_each(f'prefill.head.{name}')}, {clock}" for name in ("without", "with")]
    head += [say_each("prefill.saved"), say_each("prefill.saving.linear")]
    cells = [
        [
            name,
            digits(row["hit_tokens"]),
            f"{digits(ms_of(row['full']))} ms",
            f"{digits(ms_of(row['hit']))} ms",
            say("unit.percent", n=percent(row["saved"], 0)),
            say("unit.percent", n=percent(row["hit_tokens"] / row["total"], 0)),
        ]
        for name, row in zip(names, rows, strict=True)
    ]
    show_table("prefill-saving", head, cells)
