"""The strips of a paused load as one Plotly figure: hover, zoom, range, and points that lead to a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from core.load import Samples
from ui.monitor.pick import Picker
from ui.monitor.run import LoadSession

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

MOST_LINES = 4
LINE_PX = 16
CHARACTER_SHARE = 0.011
"""Of the chart's width: what one letter of the words above it takes."""

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
    return _finished(figure, words, _mark_moments(figure, load, moments))


def warm_up() -> None:
    """A figure that nobody sees, drawn while the load runs: what the browser must load and translate for the
    first chart takes seconds, and a pause should not wait for it."""
    figure = go.Figure(go.Scatter(x=[0, 1], y=[1, 2], mode="lines+markers"))
    figure.update_xaxes(rangeslider={"visible": True})
    figure.update_layout(height=120)
    st.plotly_chart(figure, key="load_warm")


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


def _mark_moments(figure: go.Figure, load: LoadSession, moments: Moments) -> int:
    """What a person did, and which request was looked at: lines through all rows, words above them. Returns
    how many lines of words stand there: near ones stand one above the other."""
    above: dict[str, Any] = {"y": 1, "yref": "paper", "showarrow": False, "xanchor": "left"}
    marks = [(at_s, text, False) for at_s, text in moments]
    if load.picked is not None:
        marks.append((load.picked[1], f"<b>{load.picked[0]}</b>", True))
    lines = word_lines([(at_s, text) for at_s, text, _ in marks], load.run.now_s)
    for (at_s, text, strong), line in zip(marks, lines, strict=True):
        look: dict[str, Any] = {"line_width": 2.5, "line_color": PURPLE} if strong else {}
        figure.add_vline(x=at_s, **(look or {"line_dash": "dot", "line_width": 1, "line_color": GREY}))
        if line is not None:
            figure.add_annotation(x=at_s, yshift=18 + LINE_PX * line, text=text, **above)
    return 1 + max((line for line in lines if line is not None), default=-1)


def word_lines(marks: Moments, end_s: float) -> list[int | None]:
    """For each mark the lowest line above the chart on which its words meet no others; None: the lines are
    full. The last mark always has one. Words are taken to be as wide as they would be on a small screen."""
    free = [0.0] * MOST_LINES
    lines: list[int | None] = []
    for at_s, text in marks:
        left = at_s / max(end_s, 1.0)
        width = sum(1 if char.isascii() else 2 for char in text) * CHARACTER_SHARE
        line = next((place for place, taken in enumerate(free) if left >= taken), None)
        if line is None and len(lines) == len(marks) - 1:
            line = MOST_LINES
        elif line is not None:
            free[line] = left + width
        lines.append(line)
    return lines


def _finished(figure: go.Figure, words: Words, num_lines: int) -> go.Figure:
    last = len(ROWS)
    for title in figure.layout.annotations[:last]:
        title.update(x=0, xanchor="left", font={"size": 14})
    figure.update_xaxes(ticksuffix=" s")
    figure.update_xaxes(title_text=words["monitor.axis"], row=last, col=1)
    figure.update_xaxes(rangeslider={"visible": True, "thickness": 0.04}, row=last, col=1)
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 8, "t": 36 + LINE_PX * num_lines, "b": 40},
        clickmode="event+select",
        hovermode="closest",
        legend={"tracegroupgap": 22},
    )
    return figure
