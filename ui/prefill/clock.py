"""Sections about the clock: one pair (of any length), and the sweep of the hit fraction."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.backends.experiments.measure import ms_of
from core.backends.experiments.report import Json, Report
from core.backends.experiments.standing import standing
from ui.frame.charts import Bar, bars_beside
from ui.frame.session import built_under, say, say_each, say_under, tell
from ui.prefill.about import claimed, times
from ui.prefill.charts import Curve, curves
from ui.words.numbers import digits, percent
from ui.words.tables import show_table


def spread_of(timing: Json) -> tuple[float, float]:
    """Smallest and largest."""
    kind = "cpu" if timing["cpu_ms"] else "wall"
    return float(timing[f"{kind}_low_ms"]), float(timing[f"{kind}_high_ms"])


def clock_of(timing: Json) -> str:
    """Which clock that number is of, in words: CPU time or wall time."""
    return say("prefill.clock.cpu" if timing["cpu_ms"] else "prefill.clock.wall")


def ms_words(timing: Json) -> list[str]:
    """Median, spread, wall time: the cells of a table."""
    low, high = spread_of(timing)
    return [digits(ms_of(timing)), f"{digits(low)} – {digits(high)}", digits(float(timing["wall_ms"]))]


def labelled(name: str, basis: str) -> str:
    """A quantity and what it rests on: measured, modelled or claimed."""
    return f"{say_each(name)} · {say(basis)}"


def three_ratios(report: Report, row: Json) -> None:
    """How many times faster: by the clock, by counting FLOPs, by counting tokens."""
    columns = st.columns(3)
    for column, (name, basis, value, note) in zip(
        columns,
        (
            ("prefill.ratio.clock", "basis.measured", times(row["ratio"]), spread_words(report, row)),
            (
                "prefill.ratio.flops",
                "basis.modelled",
                times(row["flops"]),
                say_under("prefill.ratio.flops.note"),
            ),
            (
                "prefill.ratio.linear",
                "basis.claim",
                claimed(row["linear"]),
                say_under("prefill.ratio.linear.note"),
            ),
        ),
        strict=True,
    ):
        with column, st.container(border=True, height="stretch"):
            st.metric(labelled(name, basis), value)
            st.caption(note)


def spread_words(report: Report, row: Json) -> str:
    """A ratio's interval, and over what."""
    key = "prefill.spread.runs" if report.runs > 1 else "prefill.spread"
    return say(key, low=times(row["ratio_low"]), high=times(row["ratio_high"]), runs=report.runs)


def stand_words(row: Json) -> str:
    """Where the clock stands beside the FLOPs, by this measurement's own numbers."""
    where = standing(row["ratio_low"], row["ratio_high"], row["flops"])
    words = {"flops": times(row["flops"]), "low": times(row["ratio_low"]), "high": times(row["ratio_high"])}
    told = [say(f"prefill.stand.{where}", **words)]
    if where != "within" and "full_gflops_s" in row:
        told.append(
            say("prefill.stand.rates", full=digits(row["full_gflops_s"]), hit=digits(row["hit_gflops_s"]))
        )
    if where == "below" and "one" in row:
        told.append(say("prefill.stand.one", ms=digits(ms_of(row["one"])), cached=digits(row["hit_tokens"])))
    full, hit = row["full"].get("faults"), row["hit"].get("faults")
    if where == "above" and full is not None and hit is not None:
        key = "faults" if full > hit + 100 else "unknown"
        told.append(say(f"prefill.stand.{key}", full=digits(int(full)), hit=digits(int(hit))))
    return tell(*told)


def pair_view(report: Report) -> None:
    """One prompt without and with the hit."""
    (row,) = report.rows
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
    clock = clock_of(row["full"])
    axis = say("prefill.axis.ms", clock=clock)
    st.plotly_chart(bars_beside(bars, axis), key=f"prefill_bars_{report.experiment}")
    three_ratios(report, row)
    st.markdown(built_under(lambda: _pair_words(report, row)))
    head = [
        say_each(f"prefill.head.{name}", clock=clock)
        for name in ("side", "computed", "median", "spread", "wall")
    ]
    if "one" in row:
        sides.append(("one", 1))
    cells = [[say_each(f"prefill.side.{side}"), digits(count), *ms_words(row[side])] for side, count in sides]
    show_table(f"prefill-{report.experiment}", head, cells)


def _pair_words(report: Report, row: Json) -> str:
    """What the hit saved, and where the clock stands beside the FLOPs."""
    words = {
        "saved": percent(row["saved"], 0),
        "clock": clock_of(row["full"]),
        "ratio": times(row["ratio"]),
        "linear": claimed(row["linear"]),
    }
    return tell(say(f"prefill.{report.experiment}.words", **words), stand_words(row))


def sweep_view(report: Report) -> None:
    """The ratio at every hit fraction, beside the linear claim and the FLOP model; and why they part."""
    rows = report.rows
    xs = [100 * row["fraction"] for row in rows]
    clock = clock_of(rows[0]["timing"])
    found = {
        labelled("prefill.ratio.clock", "basis.measured"): Curve(
            xs, column_of(rows, "measured"), column_of(rows, "measured_low"), column_of(rows, "measured_high")
        ),
        labelled("prefill.ratio.flops", "basis.modelled"): Curve(xs, column_of(rows, "flops")),
        labelled("prefill.ratio.linear", "basis.claim"): Curve(xs, column_of(rows, "linear")),
    }
    axis = say("prefill.axis.times.of", clock=clock)
    figure = curves(found, say("prefill.axis.hit"), axis, unit="×")
    st.plotly_chart(figure, key="prefill_sweep")
    st.markdown(built_under(lambda: _sweep_words(report)))
    with st.expander(say_each("prefill.numbers")):
        head = [say_each(f"prefill.head.{name}", clock=clock) for name in ("hit", "median", "spread", "wall")]
        head += [say_each(f"prefill.ratio.{name}") for name in ("clock", "flops", "linear")]
        cells = [
            [
                say("unit.percent", n=percent(row["fraction"], 0)),
                *ms_words(row["timing"]),
                *(times(row[name]) for name in ("measured", "flops")),
                claimed(row["linear"]),
            ]
            for row in rows
        ]
        show_table("prefill-sweep", head, cells)


def column_of(rows: Sequence[Json], name: str) -> list[float]:
    """One quantity of every row."""
    return [float(row[name]) for row in rows]


def _sweep_words(report: Report) -> str:
    """Why they part, with this run's own numbers."""
    last, fit, one = report.rows[-1], report.summary["fit"], report.summary.get("one")
    words = {
        "hit": percent(last["fraction"], 0),
        "linear": claimed(last["linear"]),
        "flops": times(last["flops"]),
        "measured": times(last["measured"]),
    }
    told = [say("prefill.sweep.words", **words)]
    if one is not None and last["ms"]:
        part = percent(min(ms_of(one) / last["ms"], 1.0), 0)
        told.append(say("prefill.sweep.one", one=digits(ms_of(one)), part=part, hit=words["hit"]))
    fixed, error = digits(float(fit["fixed_ms"])), percent(fit["worst_error"], 0)
    told.append(say("prefill.sweep.fit", fixed=fixed, error=error))
    return tell(*told)
