"""Grids of the course: one square per step and token, in the stage's colours, each with its glyph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from ui.frame import plain_figure as go
from ui.words.palette import PALETTE

Mark = Literal["none", "computed", "again", "read", "past"]
GLYPHS: dict[Mark, str] = {"none": "", "computed": "+", "again": "↻", "read": "✓", "past": "·"}
MANY_ROWS = 6
"""From here on rows are drawn narrower, so that two pictures stay in one window."""

_MARKS: tuple[Mark, ...] = ("none", "computed", "again", "read", "past")


def stage_colours() -> dict[str, str]:
    """The stage's colours for the theme that the visitor sees."""
    return PALETTE["dark" if st.context.theme.type == "dark" else "light"]


def mark_grid(
    rows: Sequence[Sequence[Mark]],
    row_names: Sequence[str],
    column_names: Sequence[str],
    axes: tuple[str, str],
    words: dict[Mark, str],
) -> go.Figure:
    """Rows from top to bottom. ``axes``: titles across and down; ``words``: what a mark means."""
    colours = stage_colours()
    fills = {
        "none": "rgba(0,0,0,0)",
        "computed": colours["miss"],
        "again": colours["miss"],
        "read": colours["hit"],
        "past": colours["cached"],
    }
    letters = {"read": colours["hit_label"], "past": colours["cached_label"]}
    figure = go.Figure(
        go.Heatmap(
            z=[[_MARKS.index(mark) for mark in row] for row in rows],
            zmin=-0.5,
            zmax=len(_MARKS) - 0.5,
            colorscale=_steps([fills[mark] for mark in _MARKS]),
            showscale=False,
            xgap=2,
            ygap=2,
            hovertext=[[_hover(mark, words) for mark in row] for row in rows],
            hoverinfo="text",
        )
    )
    for colour in sorted({letters.get(mark, colours["miss_label"]) for mark in GLYPHS}):
        places = [
            (across, down, GLYPHS[mark])
            for down, row in enumerate(rows)
            for across, mark in enumerate(row)
            if GLYPHS[mark] and letters.get(mark, colours["miss_label"]) == colour
        ]
        if places:  # one trace a colour: an annotation each would take Plotly seconds
            figure.add_scatter(
                **dict(zip("xy", zip(*((x, y) for x, y, _ in places), strict=True), strict=True)),
                text=[glyph for _, _, glyph in places],
                mode="text",
                textfont={"color": colour, "size": 13 if len(rows) <= MANY_ROWS else 11},
                hoverinfo="skip",
                showlegend=False,
            )
    every = list(range(len(column_names)))
    figure.update_xaxes(title_text=axes[0], tickvals=every, ticktext=list(column_names), fixedrange=True)
    figure.update_yaxes(
        title_text=axes[1],
        tickvals=list(range(len(row_names))),
        ticktext=list(row_names),
        autorange="reversed",
        fixedrange=True,
    )
    figure.update_xaxes(showgrid=False, zeroline=False)
    figure.update_yaxes(showgrid=False, zeroline=False, automargin=True)
    each = 22 if len(rows) <= MANY_ROWS else 15
    figure.update_layout(height=80 + each * len(rows), margin={"l": 8, "r": 8, "t": 8, "b": 44})
    return figure


def _steps(fills: Sequence[str]) -> list[tuple[float, str]]:
    """A colour scale without transitions: one flat colour per mark."""
    count = len(fills)
    ends = [(place, fill) for at, fill in enumerate(fills) for place in (at / count, (at + 1) / count)]
    return [(min(place, 1.0), fill) for place, fill in ends]


def _hover(mark: Mark, words: dict[Mark, str]) -> str:
    return words.get(mark, "")
