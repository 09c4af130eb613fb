"""Plotly figures. Ground, letters and colours come from the page's theme; nothing is drawn per step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType

from ui.frame import plain_figure as go

PATTERNS = ("", "/", "x", ".", "-", "|", "\\", "+")
"""A second sign beside the colour, in the order of the bars."""

NEUTRAL = "#7C8A9A"
"""For what is neither reused nor computed: seen on both grounds."""

_PATTERN = {"fillmode": "overlay", "fgopacity": 0.35}


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its name, its size, the words behind the name, and the words shown when one points at it.

    Plotly reads markup in all of them: texts that people typed must be escaped before.
    """

    name: str
    size: float
    words: str
    hover: str


def waterfall(bars: Sequence[Bar], axis: str) -> go.Figure:
    """Bars that each start where the one before ended: parts of a whole, in order, down the page."""
    ends = list(accumulate(bar.size for bar in bars))
    return _bars(bars, [0.0, *ends[:-1]], axis)


def bars_beside(bars: Sequence[Bar], axis: str, *, one_colour: bool = False) -> go.Figure:
    """Bars from one common zero: the same quantity of several runs. ``one_colour``: all in a grey that means
    neither reused nor computed, told apart by their patterns."""
    return _bars(bars, [0.0] * len(bars), axis, {"color": NEUTRAL} if one_colour else {})


def _bars(
    bars: Sequence[Bar], bases: Sequence[float], axis: str, colour: Mapping[str, str] = MappingProxyType({})
) -> go.Figure:
    """One trace per bar, so that each takes the next colour of the theme."""
    figure = go.Figure()
    for place, (bar, base) in enumerate(zip(bars, bases, strict=False)):
        figure.add_bar(
            x=[bar.size],
            y=[f"{bar.name}  <b>{bar.words}</b>"],
            base=[base],
            orientation="h",
            name=bar.name,
            hovertext=[bar.hover],
            hoverinfo="text",
            marker={**colour, "pattern": {"shape": PATTERNS[place % len(PATTERNS)], **_PATTERN}},
        )
    figure.update_layout(
        showlegend=False,
        barmode="overlay",
        bargap=0.35,
        height=90 + 40 * max(len(bars), 1),
        margin={"l": 8, "r": 24, "t": 8, "b": 40},
        hoverlabel={"align": "left"},
    )
    figure.update_xaxes(title_text=axis, rangemode="tozero", fixedrange=True)
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, tickfont={"size": 14})
    return figure
