"""Plotly figures. Ground, letters and colours come from the page's theme; nothing is drawn per step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

PATTERNS = ("", "/", "x", ".", "-", "|", "\\", "+")
"""A second sign beside the colour, in the order of the bars."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its name, its size, the words on it, and the words shown when one points at it."""

    name: str
    size: float
    words: str
    hover: str


def waterfall(bars: Sequence[Bar], axis: str) -> go.Figure:
    """Bars that each start where the one before ended: parts of a whole, in order, down the page.

    One trace per bar, so that each takes the next colour of the theme.
    """
    figure = go.Figure()
    begin = 0.0
    for place, bar in enumerate(bars):
        figure.add_bar(
            x=[bar.size],
            y=[bar.name],
            base=[begin],
            orientation="h",
            name=bar.name,
            text=[bar.words],
            textposition="outside" if begin + bar.size < 0.75 * _total(bars) else "inside",
            insidetextanchor="end",
            hovertext=[bar.hover],
            hoverinfo="text",
            cliponaxis=False,
            marker={"pattern": {"shape": PATTERNS[place % len(PATTERNS)], "fgopacity": 0.6}},
        )
        begin += bar.size
    return _plain(figure, axis, len(bars))


def bars_beside(bars: Sequence[Bar], axis: str) -> go.Figure:
    """Bars from one common zero: the same quantity of several runs."""
    figure = go.Figure()
    for place, bar in enumerate(bars):
        figure.add_bar(
            x=[bar.size],
            y=[bar.name],
            orientation="h",
            name=bar.name,
            text=[bar.words],
            textposition="auto",
            hovertext=[bar.hover],
            hoverinfo="text",
            marker={"pattern": {"shape": PATTERNS[place % len(PATTERNS)], "fgopacity": 0.6}},
        )
    return _plain(figure, axis, len(bars))


def _total(bars: Sequence[Bar]) -> float:
    return sum(bar.size for bar in bars)


def _plain(figure: go.Figure, axis: str, rows: int) -> go.Figure:
    figure.update_layout(
        showlegend=False,
        barmode="overlay",
        bargap=0.35,
        height=90 + 44 * rows,
        margin={"l": 8, "r": 24, "t": 8, "b": 40},
        hoverlabel={"align": "left"},
    )
    figure.update_xaxes(title_text=axis, rangemode="tozero", fixedrange=True)
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, title_text="")
    return figure
