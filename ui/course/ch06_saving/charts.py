"""Chapter 6's figures: claim, model and measurement beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ui.course.grid import stage_colours
from ui.course.measured import Point
from ui.frame import plain_figure as go
from ui.frame.charts import PATTERNS

HEIGHT = 330
GREYS = ("#B3BECB", "#7C8A9A", "#56626F", "#8D97A3")
"""Of claim, model and measurements: they mean neither reused nor computed, and differ in shape as well."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the three are called."""

    claim: str
    model: str
    measured: str


def faster_curve(
    timed: Mapping[str, Sequence[Point]],
    modelled: Sequence[float],
    chosen: Point,
    names: Names,
    axes: tuple[str, str],
) -> go.Figure:
    """Times faster over the hit fraction; measurements with their spread. ``timed``: by name, the first one
    at the same fractions as ``modelled``."""
    points = next(iter(timed.values()))
    fractions = [point.fraction for point in points]
    figure = go.Figure()
    linear = [1 / (1 - fraction) for fraction in fractions]
    for name, values, dash in ((names.claim, linear, "dash"), (names.model, modelled, "solid")):
        line = {"dash": dash, "width": 2.5, "color": GREYS[1]}
        figure.add_scatter(x=fractions, y=list(values), name=name, mode="lines", line=line)
    ink = stage_colours()["ink"]
    for (name, ones), symbol in zip(timed.items(), ("diamond", "square-open"), strict=False):
        figure.add_scatter(
            x=[point.fraction for point in ones],
            y=[point.ratio for point in ones],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [point.high - point.ratio for point in ones],
                "arrayminus": [point.ratio - point.low for point in ones],
            },
            name=name,
            mode="markers",
            marker={"size": 8, "symbol": symbol, "color": ink},
        )
    figure.update_traces(hovertemplate="%{x:.0%} · %{y:.2f}×<extra>%{fullData.name}</extra>")
    figure.add_vline(x=chosen.fraction, line_dash="dot", line_width=1.5, line_color=stage_colours()["muted"])
    figure.update_xaxes(title_text=axes[0], tickformat=".0%", fixedrange=True)
    ticks = (1, 2, 5, 10, 20)
    figure.update_yaxes(
        title_text=axes[1], type="log", fixedrange=True, tickvals=ticks, ticktext=[f"{n}×" for n in ticks]
    )
    return _finished(figure)


def saved_bars(
    groups: Sequence[str],
    values: Mapping[str, Sequence[float]],
    band: tuple[float, float],
    words: tuple[str, str],
) -> go.Figure:
    """For each prompt, what each of the three says is saved; a band where the claim says it always lies.
    ``words``: of the axis, and of the band."""
    figure = go.Figure()
    for place, (name, shares) in enumerate(values.items()):
        figure.add_bar(
            x=list(groups),
            y=list(shares),
            name=name,
            text=[f"{100 * share:.0f}" for share in shares],
            textposition="outside",
            marker={
                "color": GREYS[place],
                "pattern": {"shape": PATTERNS[place], "fillmode": "overlay", "fgopacity": 0.35},
            },
            hovertemplate="%{x} · %{y:.1%}<extra>%{fullData.name}</extra>",
        )
    figure.add_hrect(
        y0=band[0], y1=band[1], opacity=0.15, line_width=1, line_dash="dot", fillcolor="gray", layer="below"
    )
    figure.add_annotation(
        x=0, xref="x domain", y=band[1], text=words[1], showarrow=False, xanchor="left", yanchor="bottom"
    )
    figure.update_yaxes(title_text=words[0], tickformat=".0%", range=[0, 0.72], fixedrange=True)
    figure.update_xaxes(type="category", fixedrange=True)
    return _finished(figure)


def long_curve(
    lengths: Sequence[int],
    values: Mapping[str, Sequence[float]],
    points: Sequence[tuple[int, Point]],
    measured: str,
    axes: tuple[str, str],
) -> go.Figure:
    """Times faster over the prefix's length, on logarithmic axes; ``points``: what was timed."""
    figure = go.Figure()
    for (name, ratios), dash in zip(values.items(), ("dash", "solid"), strict=True):
        figure.add_scatter(
            x=list(lengths),
            y=list(ratios),
            name=name,
            mode="lines+markers",
            line={"dash": dash, "width": 2.5, "color": GREYS[1]},
        )
    figure.add_scatter(
        x=[length for length, _ in points],
        y=[point.ratio for _, point in points],
        name=measured,
        mode="markers",
        marker={"size": 11, "symbol": "diamond", "color": stage_colours()["ink"]},
    )
    figure.update_traces(hovertemplate="%{x:,} · %{y:.1f}×<extra>%{fullData.name}</extra>")
    figure.add_hline(y=10, line_dash="dot", line_width=1.5, line_color=stage_colours()["muted"])
    figure.update_xaxes(
        title_text=axes[0],
        type="log",
        fixedrange=True,
        tickvals=list(lengths),
        ticktext=[f"{n:,}" for n in lengths],
    )
    ticks = (1, 2, 5, 10, 20, 50, 100, 200)
    figure.update_yaxes(
        title_text=axes[1], type="log", fixedrange=True, tickvals=ticks, ticktext=[f"{n}×" for n in ticks]
    )
    return _finished(figure)


def _finished(figure: go.Figure) -> go.Figure:
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 16, "t": 36, "b": 44},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        showlegend=True,
    )
    return figure
