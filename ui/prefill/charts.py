"""Plotly figures of real prefill. Ground, letters and colours come from the page's theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ui.frame import plain_figure as go
from ui.traffic.charts import DASHES, SYMBOLS, finished


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of one quantity. ``low`` and ``high``: the spread, if it was measured."""

    xs: Sequence[float]
    ys: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def curves(
    found: Mapping[str, Curve], x_title: str, y_title: str, *, log_y: bool = False, unit: str = ""
) -> go.Figure:
    """Several curves; line styles and marks tell them apart beside the colours."""
    figure = go.Figure()
    for place, (name, curve) in enumerate(found.items()):
        spread = None
        if curve.low:
            above = [high - y for high, y in zip(curve.high, curve.ys, strict=True)]
            below = [y - low for low, y in zip(curve.low, curve.ys, strict=True)]
            spread = {"type": "data", "array": above, "arrayminus": below, "thickness": 1.5, "width": 4}
        figure.add_scatter(
            x=list(curve.xs),
            y=list(curve.ys),
            error_y=spread,
            name=name,
            mode="lines+markers",
            line={"dash": DASHES[place % len(DASHES)], "width": 2.5},
            marker={"size": 8 if curve.low else 5, "symbol": SYMBOLS[place % len(SYMBOLS)]},
            hovertemplate=f"%{{x:,}} · %{{y:,.3~g}}{unit}<extra>%{{fullData.name}}</extra>",
        )
    figure.update_xaxes(title_text=x_title)
    figure.update_yaxes(title_text=y_title, type="log" if log_y else "linear", exponentformat="none")
    if not log_y:
        figure.update_yaxes(rangemode="tozero")
    return finished(figure, True)


def claim_bars(
    names: Sequence[str], shares: Sequence[float], claim: tuple[float, float], y_title: str, words: str
) -> go.Figure:
    """What was saved in several cases, and the band that a claim promises."""
    figure = go.Figure()
    figure.add_bar(
        x=list(names),
        y=list(shares),
        text=[f"{share:.0%}" for share in shares],
        textposition="outside",
        hovertemplate="%{x} · %{y:.1%}<extra></extra>",
        cliponaxis=False,
    )
    figure.add_hrect(*claim, line_width=1.5, line_dash="dot", fillcolor="gray", opacity=0.18, layer="below")
    place = {"xref": "paper", "x": 0.01, "y": claim[1], "xanchor": "left", "yanchor": "bottom"}
    figure.add_annotation(**place, text=words, showarrow=False)
    figure.update_yaxes(tickformat=".0%", range=[0, max(0.8, *shares) + 0.1], title_text=y_title)
    figure.update_xaxes(type="category")
    return finished(figure, False)
