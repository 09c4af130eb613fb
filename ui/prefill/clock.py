"""Sections about the clock: one pair (of any length), and the sweep of the hit fraction."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.backends.experiments.report import Json, Report
from ui.frame.charts import Bar, bars_beside
from ui.frame.session import say
from ui.prefill.about import times
from ui.prefill.charts import Curve, curves
from ui.words.numbers import digits, percent
from ui.words.tables import show_table


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
    saved = 1 - 1 / row["ratio"]  # of the same rounds as the ratio beside it: one sentence, one measurement
    words = {"saved": percent(saved), "ratio": times(row["ratio"]), "linear": times(row["linear"])}
    st.markdown(say(f"prefill.{report.experiment}.words", **words))


def sweep_view(report: Report) -> None:
    """The ratio at every hit fraction, beside the linear claim and the FLOP model; and why they part."""
    rows = report.rows
    xs = [100 * row["fraction"] for row in rows]
    found = {
        labelled("prefill.ratio.clock", "basis.measured"): Curve(
            xs, column_of(rows, "measured"), column_of(rows, "measured_low"), column_of(rows, "measured_high")
        ),
        labelled("prefill.ratio.flops", "basis.modelled"): Curve(xs, column_of(rows, "flops")),
        labelled("prefill.ratio.linear", "basis.claim"): Curve(xs, column_of(rows, "linear")),
    }
    figure = curves(found, say("prefill.axis.hit"), say("prefill.axis.times"), unit="×")
    st.plotly_chart(figure, key="prefill_sweep")
    st.markdown(_sweep_words(report))
    with st.expander(say("prefill.numbers")):
        head = [say(f"prefill.head.{name}") for name in ("hit", "median", "spread", "wall")]
        head += [say(f"prefill.ratio.{name}") for name in ("clock", "flops", "linear")]
        cells = [
            [
                say("unit.percent", n=percent(row["fraction"], 0)),
                *ms_words(row["timing"]),
                *(times(row[name]) for name in ("measured", "flops", "linear")),
            ]
            for row in rows
        ]
        show_table("prefill-sweep", head, cells)


def column_of(rows: Sequence[Json], name: str) -> list[float]:
    """One quantity of every row."""
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
