"""Plotly figures of a log. Ground, letters and colours come from the page's theme; points carry requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import floor, log10
from typing import Any

import numpy as np

from core.replay.curve import CapacityCurve
from core.traffic.analysis import Stretch
from ui.frame import plain_figure as go

Points = Sequence[tuple[float, float]]
Carried = Sequence[float]
"""What a point carries: the request it leads to, then its setting."""
HEIGHT = 380
LINE = "#808a94"
"""Of marks: seen on a light ground and on a dark one."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up")


def lines(
    curves: Mapping[str, Points],
    x_title: str,
    y_title: str,
    *,
    log_x: bool = False,
    requests: Mapping[str, Sequence[Carried]] | None = None,
    markers: bool = False,
    ticks: Sequence[float] | None = None,
    colours: Mapping[str, str] | None = None,
    shares: bool = True,
) -> go.Figure:
    """Several curves over one quantity, of hit rates or (not ``shares``) of anything from zero up; line
    styles tell them apart beside the colours."""
    value = "%{y:.1%}" if shares else "%{y:,.3~g}"
    figure = go.Figure()
    for place, (name, points) in enumerate(curves.items()):
        numbers = (requests or {}).get(name)
        colour = {"color": colours[name]} if colours and name in colours else {}
        figure.add_trace(
            go.Scatter(
                x=[point[0] for point in points],
                y=[point[1] for point in points],
                customdata=None if numbers is None else [list(one) for one in numbers],
                name=escape(name),
                mode="lines+markers" if markers else "lines",
                line={"dash": DASHES[place % len(DASHES)], "width": 2.5, **colour},
                marker={"size": 5, "symbol": SYMBOLS[place % len(SYMBOLS)], **colour},
                hovertemplate=f"%{{x:,.6~g}} · {value}<extra>%{{fullData.name}}</extra>",
            )
        )
    if shares:
        figure.update_yaxes(tickformat=".0%", range=[0, 1.02], title_text=y_title)
    else:
        figure.update_yaxes(tickformat=",.3~g", rangemode="tozero", title_text=y_title)
    figure.update_xaxes(title_text=x_title, type="log" if log_x else "linear", exponentformat="none")
    if ticks is not None:
        figure.update_xaxes(tickvals=list(ticks), ticktext=[f"{value:,.6g}" for value in ticks])
    elif log_x:
        figure.update_xaxes(**_ticks([point[0] for points in curves.values() for point in points]))
    return finished(figure, len(curves) > 1)


def _ticks(values: Sequence[float]) -> dict[str, Any]:
    """Round numbers on a logarithmic axis: 1, 2, 5 of every power, or the powers alone if they are many."""
    least, most = min(values, default=1.0), max(values, default=1.0)
    powers = range(floor(log10(max(least, 1e-9))), floor(log10(max(most, 1e-9))) + 1)
    steps = (1, 2, 5) if len(powers) <= 4 else (1,)
    found = [step * 10.0**power for power in powers for step in steps]
    shown = [value for value in found if least <= value <= most] or [least, most]
    return {
        "tickvals": shown,
        "ticktext": [f"{value:,.6g}" if value < 1e6 else f"{value:,.0f}" for value in shown],
    }


def finished(figure: go.Figure, legend: bool, height: int = HEIGHT) -> go.Figure:
    """Margins, and a legend where there is more than one curve."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 24, "t": 36 if legend else 12, "b": 48},
        showlegend=legend,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        clickmode="event+select",
        hovermode="closest",
        hoverlabel={"align": "left"},
    )
    return figure


def mark(figure: go.Figure, x: float, text: str, *, log_x: bool, y: float = 0.98, left: bool = False) -> None:
    """A line through the figure with words beside it (on its right, or ``left``), at a height from 0 to 1.
    Plotly wants logarithms for words on log axes."""
    figure.add_vline(x=x, line_dash="dot", line_width=1.5, line_color=LINE)
    place: dict[str, Any] = {
        "x": float(np.log10(x)) if log_x else x,
        "yref": "paper",
        "y": y,
    }
    figure.add_annotation(
        **place, text=text, showarrow=False, xanchor="right" if left else "left", xshift=-5 if left else 5
    )


def diamonds(figure: go.Figure, name: str, points: Points) -> None:
    """Single values beside a curve."""
    figure.add_trace(
        go.Scatter(
            x=[point[0] for point in points],
            y=[point[1] for point in points],
            name=escape(name),
            mode="markers",
            marker={"size": 10, "symbol": "diamond-open", "line": {"width": 2}},
            hovertemplate="%{x:,.6~g} · %{y:.2%}<extra>%{fullData.name}</extra>",
        )
    )
    figure.update_layout(showlegend=True)


def requests_at(curve: CapacityCurve, slots: Sequence[int]) -> list[Carried]:
    """For each capacity, a request that gains from its last slots (the one whose blocks need most of them),
    and the capacity that is just too small for it."""
    order = np.argsort(curve.need, kind="stable")
    needs = curve.need[order]
    found: list[Carried] = []
    for capacity in slots:
        place = int(np.searchsorted(needs, capacity, side="right")) - 1
        if place < 0:
            found.append((0, capacity))
        else:
            less = max(int(needs[place]) - 1, curve.first)
            found.append((int(curve.request[order[place]]), less))
    return found


def stretch_bars(
    stretches: Sequence[Stretch], x_title: str, y_title: str, requests: Sequence[int]
) -> go.Figure:
    """Hit rate over time."""
    figure = go.Figure(
        go.Scatter(
            x=[one.begins for one in stretches],
            y=[one.rate for one in stretches],
            customdata=[[one] for one in requests],
            mode="lines+markers",
            line={"shape": "hv", "width": 2.5},
            text=[str(one.num_requests) for one in stretches],
            hovertemplate="%{x:,.6~g} · %{y:.1%} · %{text}<extra></extra>",
        )
    )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02], title_text=y_title)
    figure.update_xaxes(title_text=x_title)
    return finished(figure, False, 320)


def hour_bars(
    names: Sequence[str], rates: Mapping[str, Sequence[float]], requests: Sequence[int], y_title: str
) -> go.Figure:
    """One bar an hour, in their order: what is reached, and what could be."""
    figure = go.Figure()
    for place, (name, values) in enumerate(rates.items()):
        figure.add_bar(
            x=[escape(name) for name in names],
            y=list(values),
            name=name,
            customdata=[[one] for one in requests],
            marker={"pattern": {"shape": ("", "/")[place % 2], "fgopacity": 0.6}},
            hovertemplate="%{x} · %{y:.1%}<extra>%{fullData.name}</extra>",
        )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02], title_text=y_title)
    figure.update_xaxes(type="category", automargin=True)
    return finished(figure, True, 320)


def group_bars(
    names: Sequence[str],
    rates: Mapping[str, Sequence[float]],
    requests: Sequence[int],
    x_title: str,
) -> go.Figure:
    """Bars beside each other: what is reached, and what could be."""
    figure = go.Figure()
    for place, (name, values) in enumerate(rates.items()):
        figure.add_bar(
            y=[escape(name) for name in names],
            x=list(values),
            name=name,
            orientation="h",
            customdata=[[one] for one in requests],
            marker={"pattern": {"shape": ("", "/")[place % 2], "fgopacity": 0.6}},
            hovertemplate="%{y} · %{x:.1%}<extra>%{fullData.name}</extra>",
        )
    figure.update_xaxes(tickformat=".0%", range=[0, 1.02], title_text=x_title)
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    return finished(figure, True, 130 + 44 * len(names))
