"""The strips of a paused load as one Plotly figure: hover, zoom, range, and points that lead to a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.load import Samples
from ui.monitor_pick import Picker
from ui.monitor_run import LoadSession

ROWS: dict[str, tuple[str, ...]] = {
    "hit": ("hit_rate_window", "hit_rate_total"),
    "room": ("in_use", "cached", "not_full", "empty"),
    "evict": ("evicted_per_s", "expired_per_s"),
    "ttft": ("ttft_p50_with", "ttft_p95_with", "ttft_p50_without", "ttft_p95_without"),
    "rate": ("throughput_with", "throughput_without"),
    "queue": ("queue_with", "queue_without"),
}
DASHED = {"hit_rate_total", "expired_per_s", "ttft_p50_without", "ttft_p95_without"}
DASHED |= {"throughput_without", "queue_without"}
THIN = {"ttft_p95_with", "ttft_p95_without", "hit_rate_total"}
SHARES = {"hit", "room"}
HEIGHT = 940

# The strips' hues, each dark enough for a white ground and light enough for a black one.
BLUE, ORANGE, PURPLE, GREY = "#2B8CC4", "#B87400", "#B0588C", "#76828F"
COLOURS = {
    "hit_rate_total": GREY,
    "in_use": GREY,
    "not_full": "#A9B4C0",
    "empty": "rgba(128,128,128,0.25)",
    "evicted_per_s": PURPLE,
    "expired_per_s": GREY,
}

Words = Mapping[str, str]
Moments = Sequence[tuple[float, str]]
"""What a person did: when, and in words."""


def load_figure(load: LoadSession, words: Words, moments: Moments, bet: int | None) -> go.Figure:
    """All strips over one time axis. Each point carries the id of the request it leads to."""
    samples, picker = load.run.samples(), Picker(load.run)
    figure = make_subplots(
        rows=len(ROWS),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.035,
        subplot_titles=[words[f"monitor.strip.{name}"] for name in ROWS],
    )
    for row, (name, curves) in enumerate(ROWS.items(), 1):
        for curve in curves:
            figure.add_trace(_trace(picker, samples, name, curve, words), row=row, col=1)
        if name in SHARES:
            figure.update_yaxes(tickformat=".0%", range=[0, 1.02], row=row, col=1)
        else:
            figure.update_yaxes(rangemode="tozero", row=row, col=1)
    figure.update_yaxes(type="log", ticksuffix=" s", row=list(ROWS).index("ttft") + 1, col=1)
    if bet is not None:
        text = words["monitor.bet"].replace("{bet}", str(bet))
        look: dict[str, Any] = {"line_dash": "dash", "line_color": GREY, "row": 1, "col": 1}
        figure.add_hline(y=bet / 100, annotation_text=text, **look)
    _mark_moments(figure, load, moments)
    return _finished(figure, load, words)


def _trace(picker: Picker, samples: Samples, row: str, curve: str, words: Words) -> go.Scatter:
    points = zip(samples.end_s, samples.curves[curve], strict=True)
    requests = [picker.at(end, samples.bin_s, curve, value) or "" for end, value in points]
    usual = ORANGE if curve.endswith("without") else BLUE
    lines: dict[str, Any] = {"width": 1.2 if curve in THIN else 2.4, "color": COLOURS.get(curve, usual)}
    if curve in DASHED:
        lines["dash"] = "dash"
    return go.Scatter(
        x=samples.end_s,
        y=samples.curves[curve],
        customdata=requests,
        name=words[f"monitor.curve.{curve}"],
        mode="lines+markers",
        marker={"size": 4},
        line=lines,
        stackgroup="room" if row == "room" else None,
        connectgaps=True,
        legendgroup=row,
        legendgrouptitle={"text": words[f"monitor.strip.{row}"]},
        hovertemplate="%{y} · %{customdata}<extra>%{fullData.name}</extra>",
    )


def _mark_moments(figure: go.Figure, load: LoadSession, moments: Moments) -> None:
    """What a person did, and which request was looked at: lines through all rows."""
    above: dict[str, Any] = {"y": 1, "yref": "paper", "showarrow": False, "xanchor": "left"}
    for at_s, text in moments:
        figure.add_vline(x=at_s, line_dash="dot", line_width=1, line_color=GREY)
        figure.add_annotation(x=at_s, yshift=18, text=text, **above)
    if load.picked is not None:
        name, at_s = load.picked
        figure.add_vline(x=at_s, line_width=2.5, line_color=PURPLE)
        figure.add_annotation(x=at_s, yshift=34, text=f"<b>{name}</b>", **above)


def _finished(figure: go.Figure, load: LoadSession, words: Words) -> go.Figure:
    last = len(ROWS)
    for title in figure.layout.annotations[:last]:
        title.update(x=0, xanchor="left", font={"size": 14})
    figure.update_xaxes(ticksuffix=" s")
    figure.update_xaxes(title_text=words["monitor.axis"], row=last, col=1)
    figure.update_xaxes(rangeslider={"visible": True, "thickness": 0.04}, row=last, col=1)
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 8, "t": 64 if load.run.flags or load.picked else 34, "b": 40},
        clickmode="event+select",
        hovermode="closest",
        legend={"tracegroupgap": 22},
    )
    return figure
