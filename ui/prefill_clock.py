"""Sections about the clock: a pair, the sweep, many users, a long prompt, decode, a claim put to the test."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.backends.report import Json, Report
from ui.charts import Bar, bars_beside
from ui.numbers import digits, percent
from ui.prefill_charts import Curve, claim_bars, curves
from ui.prefill_panels import times
from ui.session import say
from ui.tables import show_table

CLAIM = (0.3, 0.5)
"""The share of the TTFT that sharing a prefix is said to save."""


def ms_of(timing: Json) -> float:
    """The number to compare: CPU time where there is one."""
    return float(timing["cpu_ms"] or timing["wall_ms"])


def spread_of(timing: Json) -> tuple[float, float]:
    """Smallest and largest."""
    kind = "cpu" if timing["cpu_ms"] else "wall"
    return float(timing[f"{kind}_low_ms"]), float(timing[f"{kind}_high_ms"])


def ms_words(timing: Json) -> list[str]:
    """Median, spread, wall time: the cells of a table."""
    low, high = spread_of(timing)
    return [digits(ms_of(timing)), f"{digits(low)} – {digits(high)}", digits(float(timing["wall_ms"]))]


def labelled(name: str, basis: str) -> str:
    """A quantity and what it rests on: measured, modelled or claimed."""
    return f"{say(name)} · {say(basis)}"


def three_ratios(row: Json) -> None:
    """How many times faster: by the clock, by counting FLOPs, by counting tokens."""
    spread = say("prefill.spread", low=times(row["ratio_low"]), high=times(row["ratio_high"]))
    columns = st.columns(3)
    for column, (name, basis, value, note) in zip(
        columns,
        (
            ("prefill.ratio.clock", "basis.measured", row["ratio"], spread),
            ("prefill.ratio.flops", "basis.modelled", row["flops"], say("prefill.ratio.flops.note")),
            ("prefill.ratio.linear", "basis.claim", row["linear"], say("prefill.ratio.linear.note")),
        ),
        strict=True,
    ):
        with column, st.container(border=True, height="stretch"):
            st.metric(labelled(name, basis), times(value))
            st.caption(note)


def pair_view(report: Report) -> None:
    """One prompt without and with the hit."""
    (row,) = report.rows
    three_ratios(row)
    sides = [("hit", row["total"] - row["hit_tokens"]), ("full", row["total"])]  # blue is a hit
    bars = [
        Bar(
            name=say(f"prefill.side.{side}"),
            size=ms_of(row[side]),
            words=f"{digits(ms_of(row[side]))} ms",
            hover=f"{digits(ms_of(row[side]))} ms",
        )
        for side, _ in sides
    ]
    st.plotly_chart(bars_beside(bars, say("prefill.axis.ms")), key=f"prefill_bars_{report.experiment}")
    head = [say(f"prefill.head.{name}") for name in ("side", "computed", "median", "spread", "wall")]
    cells = [[say(f"prefill.side.{side}"), digits(count), *ms_words(row[side])] for side, count in sides]
    show_table(f"prefill-{report.experiment}", head, cells)
    words = {"saved": percent(row["saved"]), "ratio": times(row["ratio"]), "linear": times(row["linear"])}
    st.markdown(say(f"prefill.{report.experiment}.words", **words))


def sweep_view(report: Report) -> None:
    """The ratio at every hit fraction, beside the linear claim and the FLOP model; and why they part."""
    rows = report.rows
    xs = [100 * row["fraction"] for row in rows]
    found = {
        labelled("prefill.ratio.clock", "basis.measured"): Curve(
            xs, _column(rows, "measured"), _column(rows, "measured_low"), _column(rows, "measured_high")
        ),
        labelled("prefill.ratio.flops", "basis.modelled"): Curve(xs, _column(rows, "flops")),
        labelled("prefill.ratio.linear", "basis.claim"): Curve(xs, _column(rows, "linear")),
    }
    figure = curves(found, say("prefill.axis.hit"), say("prefill.axis.times"), unit="×")
    st.plotly_chart(figure, key="prefill_sweep")
    st.markdown(_sweep_words(report))
    with st.expander(say("prefill.numbers")):
        head = [say(f"prefill.head.{name}") for name in ("hit", "median", "spread", "wall")]
        head += [say(f"prefill.ratio.{name}") for name in ("clock", "flops", "linear")]
        cells = [
            [
                f"{percent(row['fraction'], 0)} %",
                *ms_words(row["timing"]),
                *(times(row[name]) for name in ("measured", "flops", "linear")),
            ]
            for row in rows
        ]
        show_table("prefill-sweep", head, cells)


def _column(rows: Sequence[Json], name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def _sweep_words(report: Report) -> str:
    """Why they part, with this run's own numbers."""
    last, fit = report.rows[-1], report.summary["fit"]
    part = fit["fixed_ms"] / last["ms"] if last["ms"] else 0.0
    words = {
        "hit": percent(last["fraction"], 0),
        "linear": times(last["linear"]),
        "flops": times(last["flops"]),
        "measured": times(last["measured"]),
        "fixed": digits(float(fit["fixed_ms"])),
        "part": percent(min(part, 1.0), 0),
        "error": percent(fit["worst_error"], 0),
    }
    return say("prefill.sweep.words", **words)


def users_view(report: Report) -> None:
    """Many users on one prefix, with the cache and without."""
    cache, none = report.rows
    summary, settings = report.summary, report.settings
    columns = st.columns(3)
    parts = (
        ("prefill.ratio.clock", "basis.measured", times(summary["ratio"])),
        ("prefill.ratio.tokens", "basis.counted", times(summary["tokens_ratio"])),
        ("prefill.rate", "basis.counted", f"{percent(summary['hit_rate'])} %"),
    )
    for column, (name, basis, value) in zip(columns, parts, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.metric(labelled(name, basis), value)
    bars = []
    for row in (cache, none):  # blue is a hit
        total = f"{digits(row['total_ms'] / 1e3)} s"
        bars.append(Bar(say(f"prefill.users.{row['side']}"), row["total_ms"] / 1e3, total, total))
    st.plotly_chart(bars_beside(bars, say("prefill.axis.s")), key="prefill_bars_users")
    head = [say(f"prefill.head.{name}") for name in ("side", "computed", "sum", "first", "later")]
    cells = [
        [
            say(f"prefill.users.{row['side']}"),
            digits(row["computed_tokens"]),
            f"{digits(row['total_ms'] / 1e3)} s",
            f"{digits(row['first_ms'])} ms",
            f"{digits(row['later_ms'])} ms",
        ]
        for row in (none, cache)
    ]
    show_table("prefill-users", head, cells)
    numbers = {"users": cache["timing"]["num"], "shared": settings["shared"], "own": settings["own"]}
    st.markdown(say("prefill.users.words", first=digits(cache["first_ms"]), later=digits(cache["later_ms"]),
                    **numbers))  # fmt: skip


def decode_view(report: Report) -> None:
    """The next token, with the request's own K/V and without."""
    rows = report.rows
    xs = _column(rows, "position")
    found = {}
    for side in ("with", "without"):
        timings = [row[side] for row in rows]
        spread = [spread_of(timing) for timing in timings]
        low, high = [one for one, _ in spread], [other for _, other in spread]
        name = labelled(f"prefill.decode.{side}", "basis.measured")
        found[name] = Curve(xs, [ms_of(timing) for timing in timings], low, high)
    figure = curves(found, say("prefill.axis.position"), say("prefill.axis.ms_token"), unit=" ms")
    st.plotly_chart(figure, key="prefill_decode")
    last = rows[-1]
    st.markdown(
        say(
            "prefill.decode.words",
            position=digits(last["position"]),
            ratio=times(last["ratio"]),
            flops=times(round(last["flops"])),
        )
    )
    head = [say("prefill.head.position"), *(say(f"prefill.decode.{side}") for side in ("without", "with"))]
    head += [say("prefill.ratio.clock"), say("prefill.ratio.flops")]
    cells = [
        [
            digits(row["position"]),
            *(f"{digits(ms_of(row[side]))} ms" for side in ("without", "with")),
            times(row["ratio"]),
            times(row["flops"]),
        ]
        for row in rows
    ]
    show_table("prefill-decode", head, cells)


def saving_view(report: Report) -> None:
    """30 to 50 % less TTFT: in which of the cases?"""
    rows = report.rows
    names = [say("prefill.saving.case", shared=row["shared"], total=row["total"]) for row in rows]
    shares = _column(rows, "saved")
    figure = claim_bars(
        names, shares, CLAIM, labelled("prefill.saved", "basis.measured"), say("prefill.saving.band")
    )
    st.plotly_chart(figure, key="prefill_saving")
    inside = sum(CLAIM[0] <= share <= CLAIM[1] for share in shares)
    words = {"low": percent(min(shares), 0), "high": percent(max(shares), 0)}
    st.markdown(say("prefill.saving.words", inside=inside, cases=len(rows), **words))
    head = [say(f"prefill.head.{name}") for name in ("case", "hit_tokens", "without", "with")]
    head += [say("prefill.saved"), say("prefill.saving.linear")]
    cells = [
        [
            name,
            digits(row["hit_tokens"]),
            f"{digits(ms_of(row['full']))} ms",
            f"{digits(ms_of(row['hit']))} ms",
            f"{percent(row['saved'], 0)} %",
            f"{percent(row['hit_tokens'] / row['total'], 0)} %",
        ]
        for name, row in zip(names, rows, strict=True)
    ]
    show_table("prefill-saving", head, cells)
