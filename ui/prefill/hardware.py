"""One prompt, many machines: how many times as fast the same hit makes it, claimed, counted, measured,
modelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from core.backends.decoders.device import cpu_name
from core.backends.experiments.machines import classes, machine_of, nearest
from core.backends.experiments.report import Report
from core.cost import GPUS, MODELS, PUBLISHED, CostModel, typical_error
from core.cost.model import StepWork
from ui.frame import plain_figure as go
from ui.frame.formulas import formulas_panel
from ui.frame.session import plain, say
from ui.prefill.about import claimed, model_words, times
from ui.prefill.experiments import kept
from ui.traffic.charts import finished
from ui.words.formula_words import PREFILL
from ui.words.numbers import digits, percent
from ui.words.tables import show_table

TOTAL, HIT = 640, 512
SHORT = 1024
"""Prompts up to here are told by: the error of the cost model is that of published times of such."""

MODEL, FASTEST = "Llama-3-8B", "H100"


@dataclass(frozen=True, slots=True)
class Place:
    """One machine: what it is, how many times as fast, from where that is known, and what its FLOPs say."""

    name: str
    basis: str
    ratio: float
    flops: float | None
    low: float | None = None
    high: float | None = None
    date: str = ""


def hardware_panel() -> None:
    """The chart, the same numbers in a table, and why a fast GPU gains least."""
    places = list(_places())
    st.plotly_chart(_chart(places), key="prefill_hardware")
    cost = CostModel(MODELS[MODEL], GPUS[FASTEST])
    one, parts = (
        cost.compare(TOTAL, HIT),
        {p.formula: p.seconds for p in cost.prefill_parts(TOTAL - HIT, HIT)},
    )
    memory = parts["formula.prefill.memory"]
    values = {
        "gpu": FASTEST, "model": MODEL, "ratio": times(one.ratio), "new": TOTAL - HIT,
        "full": digits(1e3 * one.full_s), "hit": digits(1e3 * one.hit_s),
        "compute": digits(1e3 * (parts["formula.prefill.linear"] + parts["formula.prefill.attention"])),
        "memory": digits(1e3 * memory), "fixed": digits(1e3 * parts["formula.prefill.fixed"]),
    }  # fmt: skip
    st.markdown(say("prefill.hardware.words", **values))
    formulas_panel(PREFILL)
    short = [point for point in PUBLISHED if point.kind == "prefill" and point.num_tokens <= SHORT]
    worst = max(abs(point.error) for point in short)
    st.caption(
        say("prefill.hardware.error", typical=percent(typical_error(short), 0), worst=percent(worst, 0),
            n=len(short), limit=digits(SHORT))
    )  # fmt: skip
    st.caption(_classes_words())
    head = [
        say(f"prefill.hardware.head.{name}") for name in ("machine", "basis", "ratio", "interval", "date")
    ]
    head.append(say("prefill.ratio.flops"))
    show_table("prefill-hardware", head, [_cells(place) for place in places])


def _places() -> Iterator[Place]:
    """The claim, what was measured (this class of machine first), and what the cost model says of GPUs."""
    yield Place(say("prefill.hardware.claim"), "claim", TOTAL / (TOTAL - HIT), None)
    pairs = [report for report in kept() if report.experiment == "pair"]
    near = nearest(pairs, cpu_name())
    for report in [*near, *(other for other in pairs if other not in near)]:
        yield _measured(report)
    for gpu in sorted(GPUS, key=lambda name: GPUS[name].peak_16 / GPUS[name].bandwidth):
        cost = CostModel(MODELS[MODEL], GPUS[gpu])
        yield Place(f"{gpu} · {MODEL}", "modelled", cost.compare(TOTAL, HIT).ratio, _flops(cost))


def _measured(report: Report) -> Place:
    (row,) = report.rows
    return Place(
        f"{report.device} · {report.backend} · {model_words(report)}",
        "measured",
        row["ratio"],
        row["flops"],
        row["ratio_low"],
        row["ratio_high"],
        report.date,
    )


def _flops(cost: CostModel) -> float:
    """Operations without the hit ÷ with it, by the same counts that the cost model prices."""

    def of(new: int, cached: int) -> float:
        work = StepWork()
        work.add_prefill(new, cached)
        model = cost.model
        return 2 * model.num_active_params * new + model.attention_flops_per_pair * work.pairs

    return of(TOTAL, 0) / of(TOTAL - HIT, HIT)


def _classes_words() -> str:
    """Which classes of machine were measured, which is nearest, and that no GPU is among them, if so."""
    reports = [report for report in kept() if report.experiment == "pair"]
    known = classes(reports)
    near = machine_of(nearest(reports, cpu_name())[0].device)
    key = "exact" if near == machine_of(cpu_name()) else "other"
    words = say(f"prefill.hardware.{key}", here=plain(cpu_name()), near=plain(near.name), cores=near.cores)
    return words if any(one.on_gpu for one in known) else f"{words} {say('prefill.hardware.no_gpu')}"


def _cells(place: Place) -> list[str]:
    claim = place.basis == "claim"
    interval = f"{times(place.low)} – {times(place.high)}" if place.low and place.high else "–"
    return [
        plain(place.name),
        say(f"basis.{place.basis}"),
        claimed(place.ratio) if claim else times(place.ratio),
        interval,
        place.date or "–",
        times(place.flops) if place.flops else "–",
    ]


def _chart(places: list[Place]) -> go.Figure:
    """One row a machine; a mark for what is claimed, measured or modelled, and a thin one for its FLOPs."""
    figure = go.Figure()
    for basis, symbol in (("claim", "star"), ("measured", "circle"), ("modelled", "square-open")):
        mine = [place for place in places if place.basis == basis]
        spread = {
            "type": "data",
            "array": [(place.high or place.ratio) - place.ratio for place in mine],
            "arrayminus": [place.ratio - (place.low or place.ratio) for place in mine],
            "thickness": 1.5,
            "width": 5,
        }
        figure.add_scatter(
            x=[place.ratio for place in mine],
            y=[place.name for place in mine],
            error_x=spread if basis == "measured" else None,
            mode="markers+text",
            text=[claimed(place.ratio) if basis == "claim" else times(place.ratio) for place in mine],
            textposition="bottom center",
            marker={"size": 12, "symbol": symbol},
            name=say(f"basis.{basis}"),
            hovertemplate="%{y} · %{text}<extra>%{fullData.name}</extra>",
            cliponaxis=False,
        )
    counted = [place for place in places if place.flops is not None]
    figure.add_scatter(
        x=[place.flops for place in counted],
        y=[place.name for place in counted],
        mode="markers",
        marker={"size": 12, "symbol": "line-ns-open", "line": {"width": 2}},
        name=say("prefill.ratio.flops"),
        hovertemplate="%{y} · %{x:.2g}×<extra>%{fullData.name}</extra>",
    )
    # the names lie in the figure, above their rows: beside it they would take half of a phone
    for place in places:
        where = {"x": 0, "y": place.name, "xanchor": "left", "yanchor": "bottom"}
        figure.add_annotation(**where, text=place.name, showarrow=False)
    figure.update_yaxes(
        autorange="reversed",
        categoryorder="array",
        categoryarray=[place.name for place in places],
        showticklabels=False,
    )
    figure.update_xaxes(title_text=say("prefill.axis.times"), range=[0, 5.6])
    return finished(figure, True, 104 + 38 * len(places))
