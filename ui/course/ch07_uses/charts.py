"""Chapter 7's figures: hit rates of all kinds of use, and the map over both lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ui.course.grid import stage_colours
from ui.frame import plain_figure as go
from ui.frame.session import say
from ui.words.numbers import never_full


def _percent(number: str) -> str:
    return say("course.ch06.percent", change=number)


def rate_bars(rates: Mapping[str, float], axis: str, chosen: str) -> go.Figure:
    """One bar per kind of use, from the top; the one that the visitor looks at is outlined."""
    colours = stage_colours()
    names = list(rates)
    figure = go.Figure(
        go.Bar(
            x=[rates[name] for name in names],
            y=names,
            orientation="h",
            text=[_percent(f"{100 * rates[name]:.1f}") for name in names],
            textposition="outside",
            hovertemplate="%{y} · %{x:.1%}<extra></extra>",
            marker={
                "color": colours["hit"],
                "line": {
                    "color": colours["ink"],
                    "width": [3 if name == chosen else 0 for name in names],
                },
            },
        )
    )
    figure.update_layout(height=90 + 30 * len(names), margin={"l": 8, "r": 24, "t": 8, "b": 44}, bargap=0.3)
    figure.update_xaxes(title_text=axis, tickformat=".0%", range=[0, 1.12], tickvals=[0, 0.25, 0.5, 0.75, 1])
    figure.update_xaxes(fixedrange=True)
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, tickfont={"size": 14})
    return figure


def length_map(
    shares: Sequence[Sequence[float]],
    prefixes: Sequence[int],
    suffixes: Sequence[int],
    chosen: tuple[int, int],
    axes: tuple[str, str],
) -> go.Figure:
    """A square per pair of lengths, in the colour of hits, with its share in it; ``chosen``: column, row."""
    colours = stage_colours()
    hover = f"{axes[0]} %{{customdata[0]}}<br>{axes[1]} %{{customdata[1]}}<br>%{{z:.2%}}<extra></extra>"
    figure = go.Figure(
        go.Heatmap(
            z=[list(row) for row in shares],
            zmin=0,
            zmax=1,
            colorscale=[(0.0, colours["surface"]), (1.0, colours["hit"])],
            showscale=False,
            xgap=2,
            ygap=2,
            text=[[_percent(never_full(share, 0)) for share in row] for row in shares],
            texttemplate="%{text}",
            textfont={"size": 13},
            customdata=[[[f"{p:,}", f"{s:,}"] for p in prefixes] for s in suffixes],
            hovertemplate=hover,
        )
    )
    across, down = chosen
    figure.add_shape(
        type="rect",
        x0=across - 0.5,
        x1=across + 0.5,
        y0=down - 0.5,
        y1=down + 0.5,
        line={"width": 4, "color": colours["ink"]},
    )
    figure.update_xaxes(
        title_text=axes[0],
        tickvals=list(range(len(prefixes))),
        ticktext=[f"{n:,}" for n in prefixes],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        title_text=axes[1],
        tickvals=list(range(len(suffixes))),
        ticktext=[f"{n:,}" for n in suffixes],
        autorange="reversed",
        automargin=True,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_layout(height=110 + 34 * len(suffixes), margin={"l": 8, "r": 8, "t": 8, "b": 48})
    return figure
