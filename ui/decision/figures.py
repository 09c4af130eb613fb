"""Both curves of a sheet as Plotly figures: hover, zoom. Colours that are seen on both grounds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.decision import Band
from ui.decision.asked import Asked
from ui.decision.axes import size_ticks
from ui.decision.curves import Curve
from ui.frame import plain_figure as go

BLUE, AMBER, GREY = "#2B8CC4", "#B87400", "#76828F"
_BAND, _ZONE = "rgba(43,140,196,0.24)", "rgba(230,159,0,0.16)"
HEIGHT = 296


def curve_figure(asked: Asked, curve: Curve) -> go.Figure:
    """A curve with its band, the knee, and, where it is about times, the service level."""
    figure = go.Figure()
    _draw_band(figure, asked, curve)
    if curve.is_log:
        _draw_level(figure, asked, curve)
    _draw_knee(figure, asked, curve)
    sizes = size_ticks(curve.sizes)
    figure.update_xaxes(type="log", tickvals=sizes, ticktext=[f"{gib:g}" for gib in sizes])
    figure.update_xaxes(title_text=asked.say("axis.gib"), title_font_size=12, tickfont_size=12)
    words = [asked.short_time(tick) if curve.is_log else asked.percent(tick, 0) for tick in curve.ticks]
    figure.update_yaxes(tickvals=list(curve.ticks), ticktext=words, tickfont_size=12)
    ends = [curve.low, curve.high]
    if curve.is_log:
        figure.update_yaxes(type="log", range=[math.log10(end) for end in ends])
    else:
        figure.update_yaxes(range=ends)
    figure.update_layout(
        height=HEIGHT, margin={"l": 8, "r": 8, "t": 4, "b": 8}, showlegend=False, hovermode="x unified"
    )
    return figure


def _draw_band(figure: go.Figure, asked: Asked, curve: Curve) -> None:
    line = {"width": 0, "color": BLUE}
    quiet = {"mode": "lines", "line": line, "hoverinfo": "skip"}
    sizes = list(curve.sizes)
    figure.add_scatter(x=sizes, y=[band.high for band in curve.bands], **quiet)
    figure.add_scatter(
        x=sizes, y=[band.low for band in curve.bands], fill="tonexty", fillcolor=_BAND, **quiet
    )
    figure.add_scatter(
        x=sizes,
        y=[band.mid for band in curve.bands],
        mode="lines+markers",
        line={"width": 2.5, "color": BLUE},
        marker={"size": 6},
        name="",
        text=_words(asked, curve.bands, curve.is_log),
        hovertemplate="%{x:g} GiB: %{text}<extra></extra>",
    )


def _words(asked: Asked, bands: Sequence[Band], is_log: bool) -> list[str]:
    if is_log:
        return [asked.with_unit(band) for band in bands]
    return [f"{asked.share(band)} ({asked.percent(band.low)} – {asked.percent(band.high)})" for band in bands]


def _draw_level(figure: go.Figure, asked: Asked, curve: Curve) -> None:
    level = asked.choice.level_s
    if level < curve.high:
        figure.add_hrect(level, curve.high, fillcolor=_ZONE, line={"width": 0}, layer="below")
    figure.add_hline(level, line={"width": 2, "dash": "dash", "color": AMBER})
    figure.add_annotation(
        x=1, xref="x domain", xanchor="right", y=math.log10(level), yref="y", yanchor="bottom",
        text=asked.say("level.line", level=asked.level), showarrow=False, font={"size": 12},
    )  # fmt: skip


def _draw_knee(figure: go.Figure, asked: Asked, curve: Curve) -> None:
    gib = asked.knee_gib
    band = dict(zip(curve.sizes, curve.bands, strict=True)).get(gib) if gib is not None else None
    if gib is None or band is None:
        return
    figure.add_vline(gib, line={"width": 1.5, "dash": "dot", "color": GREY})
    figure.add_scatter(
        x=[gib],
        y=[band.mid],
        mode="markers",
        marker={"size": 13, "color": "rgba(0,0,0,0)", "line": {"width": 3, "color": GREY}},
        hoverinfo="skip",
    )
    right = gib > math.sqrt(curve.sizes[0] * curve.sizes[-1])
    figure.add_annotation(
        x=math.log10(gib), xref="x", xanchor="right" if right else "left", xshift=-6 if right else 6,
        y=int(curve.is_log), yref="y domain", yanchor="top" if curve.is_log else "bottom",
        text=asked.say("knee.at", gib=f"{gib:g}"), showarrow=False, font={"size": 12},
    )  # fmt: skip
