"""Prompts as strips: every stretch of tokens reused or computed, in the stage's colours, with its glyph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ui.course.grid import stage_colours
from ui.frame import plain_figure as go

_LEAST_SHARE = 0.06
"""Of the longest strip: a stretch shorter than this has no room for words."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens in a row that share one fate; ``hit`` None: which one is not told."""

    words: str
    tokens: int
    hit: bool | None


def strips(rows: Mapping[str, Sequence[Stretch]], axis: str, kinds: tuple[str, str]) -> go.Figure:
    """One strip per row, from the top. ``kinds``: what reused and computed are called."""
    colours = stage_colours()
    longest = max((sum(one.tokens for one in row) for row in rows.values()), default=1)
    figure = go.Figure()
    looks: tuple[tuple[bool | None, str, str, str], ...] = (
        (True, kinds[0], "✓ ", "hit"),
        (False, kinds[1], "+ ", "miss"),
        (None, "", "", "bg"),
    )
    for hit, kind, glyph, fill in looks:
        found = [bar for name, row in rows.items() for bar in _bars_of(name, row, hit)]
        if hit is None and not found:
            continue
        figure.add_bar(
            y=[name for name, _, _ in found],
            x=[one.tokens for _, _, one in found],
            base=[start for _, start, _ in found],
            text=[
                f"{glyph}{one.words}" if one.tokens > _LEAST_SHARE * longest else "" for _, _, one in found
            ],
            hovertext=[" · ".join(filter(None, (f"{one.words}: {one.tokens:,}", kind))) for *_, one in found],
            hoverinfo="text",
            name=f"{glyph}{kind}",
            orientation="h",
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="inside",
            textfont={"color": colours["ink" if hit is None else f"{fill}_label"], "size": 13},
            marker={
                "color": colours[fill],
                "line": {"width": 1.5, "color": colours["line" if hit is None else "bg"]},
                "pattern": {"shape": "/" if hit is False else "", "fillmode": "overlay", "fgopacity": 0.18},
            },
        )
    figure.update_layout(
        barmode="overlay",
        bargap=0.3,
        height=110 + 34 * max(len(rows), 1),
        margin={"l": 8, "r": 24, "t": 30, "b": 44},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )
    figure.update_xaxes(title_text=axis, range=[0, longest * 1.01], fixedrange=True, tickformat=",")
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=list(rows),
        autorange="reversed",
        automargin=True,
        fixedrange=True,
    )
    return figure


def _bars_of(name: str, row: Sequence[Stretch], hit: bool | None) -> list[tuple[str, int, Stretch]]:
    """The stretches of one kind, with their place; empty ones are left out."""
    found, start = [], 0
    for one in row:
        if one.hit == hit and one.tokens > 0:
            found.append((name, start, one))
        start += one.tokens
    return found


def both_rates(rates: Mapping[str, tuple[float, float]], names: tuple[str, str], axis: str) -> go.Figure:
    """A line for each name, from the second rate (hollow) to the first (solid), in percent, best on top."""
    colours, figure = stage_colours(), go.Figure()
    rows = sorted(rates, key=lambda name: rates[name][0])
    for name in rows:
        good, broken = rates[name]
        figure.add_scatter(
            x=[broken, good],
            y=[name, name],
            mode="lines",
            line={"color": colours["line"], "width": 2},
            hoverinfo="skip",
            showlegend=False,
        )
    for place, said in enumerate(names):
        figure.add_scatter(
            x=[rates[name][place] for name in rows],
            y=rows,
            name=said,
            mode="markers+text",
            text=[f"{rates[name][place]:.0f}" for name in rows],
            textposition="middle left" if place else "middle right",
            marker={
                "size": 13,
                "symbol": "circle-open" if place else "circle",
                "color": colours["ink"],
                "line": {"width": 2, "color": colours["ink"]},
            },
            hovertemplate="%{y}: %{x:.1f}<extra>%{fullData.name}</extra>",
            cliponaxis=False,
        )
    figure.update_layout(
        height=130 + 28 * len(rows),
        margin={"l": 8, "r": 24, "t": 40, "b": 44},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        clickmode="none",
    )
    figure.update_xaxes(title_text=axis, range=[-8, 100], tickvals=[0, 25, 50, 75, 100], fixedrange=True)
    figure.update_yaxes(automargin=True, fixedrange=True)
    return figure
