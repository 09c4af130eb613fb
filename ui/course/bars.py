"""Rows of tokens, each cut into stretches by who computed them: a plane of tokens × requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ui.course.grid import stage_colours
from ui.frame import plain_figure as go

Kind = Literal["read", "computed", "decoded"]
SHAPES: Mapping[Kind, str] = {"read": "", "computed": "/", "decoded": "."}
SIGNS: Mapping[Kind, str] = {"read": "✓", "computed": "+", "decoded": "+"}
Row = Sequence[tuple[Kind, int]]  # kind and tokens, from left to right


def token_plane(
    rows: Sequence[Row], row_names: Sequence[str], words: Mapping[Kind, str], axis: str
) -> go.Figure:
    """One bar a row, from top to bottom. Colour, pattern and sign tell the kinds apart."""
    colours = stage_colours()
    fills = {"read": colours["hit"], "computed": colours["miss"], "decoded": colours["miss_soft"]}
    labels = {"read": colours["hit_label"], "computed": colours["ink"], "decoded": colours["ink"]}
    edges = {"read": colours["hit_edge"], "computed": colours["miss_edge"], "decoded": colours["miss_edge"]}
    figure = go.Figure()
    starts = [0] * len(rows)
    most = max((len(row) for row in rows), default=0)
    named: set[Kind] = set()
    for place in range(most):
        for kind in words:
            at = [number for number, row in enumerate(rows) if place < len(row) and row[place][0] == kind]
            if not at:
                continue
            sizes = [rows[number][place][1] for number in at]
            figure.add_bar(
                x=sizes,
                y=[row_names[number] for number in at],
                base=[starts[number] for number in at],
                orientation="h",
                name=f"{SIGNS[kind]} {words[kind]}",
                legendgroup=kind,
                showlegend=kind not in named,
                text=[f"<b>{SIGNS[kind]} {size}</b>" if size else "" for size in sizes],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                textfont={"color": labels[kind]},
                marker={
                    "color": fills[kind],
                    "line": {"color": edges[kind], "width": 1.5},
                    "pattern": {"shape": SHAPES[kind], "fillmode": "overlay", "fgopacity": 0.25},
                },
                hovertemplate="%{y} · %{x}<extra>%{fullData.name}</extra>",
            )
            named.add(kind)
            for number, size in zip(at, sizes, strict=True):
                starts[number] += size
    figure.update_xaxes(title_text=axis, rangemode="tozero", fixedrange=True, dtick=128)
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, type="category")
    figure.update_layout(
        barmode="overlay",
        bargap=0.25,
        height=120 + 34 * len(rows),
        margin={"l": 8, "r": 24, "t": 40, "b": 48},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        clickmode="none",
    )
    return figure
