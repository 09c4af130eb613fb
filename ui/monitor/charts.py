"""The strips of a paused load as one Plotly figure: hover, zoom, range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from core.load import Samples
from ui.monitor.looks import FAINT, INKS, RARE, ROWS
from ui.monitor.run import LoadSession
from ui.words.i18n import fill
from ui.words.numbers import digits, percent, seconds
from ui.words.palette import PALETTE, Theme

DASHED = {"hit_rate_total", "expired_per_s", "ttft_p50_without", "ttft_p95_without"}
DASHED |= {"throughput_without", "queue_without", "inside_without"}
THIN = {"ttft_p95_with", "ttft_p95_without", "inside_with", "inside_without", "hit_rate_total", FAINT}
SHARES = {"hit", "room"}
HEIGHT = 940

MOST_LINES = 4
LINE_PX = 16
CHARACTER_SHARE = 0.011
"""Of the chart's width: what one letter of the words above it takes."""

Words = Mapping[str, str]
Moments = Sequence[tuple[float, str]]
"""What a person did: when, and in words."""


def load_figure(
    load: LoadSession, words: Words, moments: Moments, bet: int | None, theme: Theme
) -> go.Figure:
    """All strips over one time axis, in the colours of the live ones. A point stands at the end of a bin."""
    samples, colours = load.run.samples(), PALETTE[theme]
    figure = make_subplots(
        rows=len(ROWS),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.035,
        subplot_titles=[words[f"monitor.strip.{name}"] for name in ROWS],
    )
    for row, (name, curves) in enumerate(ROWS.items(), 1):
        for curve in shown_curves(samples, curves):
            figure.add_trace(_trace(samples, name, curve, words, colours), row=row, col=1)
        if name in SHARES:
            figure.update_yaxes(tickformat=".0%", range=[0, 1.02], row=row, col=1)
        else:
            figure.update_yaxes(rangemode="tozero", row=row, col=1)
    figure.add_trace(_nobody(samples, words, colours), row=1, col=1)
    figure.update_yaxes(type="log", dtick=1, ticksuffix=" s", row=list(ROWS).index("ttft") + 1, col=1)
    if bet is not None:
        text = words["monitor.bet"].replace("{bet}", str(bet))
        look: dict[str, Any] = {"line_dash": "dash", "line_color": colours["ink"], "row": 1, "col": 1}
        figure.add_hline(y=bet / 100, annotation_text=text, **look)
    lines = _mark_moments(figure, load, moments, colours)
    return _finished(figure, axis_words(samples, words), lines)


def shown_curves(samples: Samples, curves: Sequence[str]) -> list[str]:
    """Without those of what is rare and did not occur."""
    return [curve for curve in curves if curve not in RARE or any(samples.curves[curve])]


def row_of(load: LoadSession, curve_number: int) -> str:
    """The strip that a trace of the figure, counted from 0, stands in."""
    samples = load.run.samples()
    names = [name for name, curves in ROWS.items() for _ in shown_curves(samples, curves)]
    return names[curve_number] if curve_number < len(names) else "hit"


def axis_words(samples: Samples, words: Words) -> str:
    """The time axis: how much a point stands for, and since when."""
    if samples.widened_s is None:
        return fill(words["monitor.axis"], {"bin": f"{samples.bin_s:g}"})
    values = {"bin": samples.bin_s, "at": samples.widened_s, "half": samples.bin_s / 2}
    return fill(words["monitor.axis.widened"], {name: f"{value:g}" for name, value in values.items()})


def warm_up() -> None:
    """A figure that nobody sees, drawn while the load runs: what the browser must load and translate for the
    first chart takes seconds, and a pause should not wait for it."""
    figure = go.Figure(go.Scatter(x=[0, 1], y=[1, 2], mode="lines+markers"))
    figure.update_xaxes(rangeslider={"visible": True})
    figure.update_layout(height=120)
    st.plotly_chart(figure, key="load_warm")


def _trace(samples: Samples, row: str, curve: str, words: Words, colours: Mapping[str, str]) -> go.Scatter:
    values, colour, faint = samples.curves[curve], colours[INKS[curve]], curve == FAINT
    points = zip(values, samples.end_s, strict=True)
    lines: dict[str, Any] = {"width": 1.2 if curve in THIN else 2.4, "color": colour}
    if curve in DASHED:
        lines["dash"] = "dash"
    stack: dict[str, Any] = {}
    if row == "room":
        stack = {"stackgroup": "room", "fillcolor": colour}
        lines = {"width": 0.8, "color": colours["line"]}
    return go.Scatter(
        x=samples.end_s,
        y=values,
        text=[_hover(row, value, end, samples.bin_s, words) for value, end in points],
        name=fill(words[f"monitor.curve.{curve}"], {"bin": f"{samples.bin_s:g}"}),
        mode="lines+markers",
        marker={"size": 4, "color": colours["ink"] if row == "room" else colour},
        line=lines,
        opacity=0.55 if faint else 1,
        connectgaps=not faint,
        legendgroup=row,
        legendgrouptitle={"text": words[f"monitor.strip.{row}"]},
        hovertemplate="%{text}<extra>%{fullData.name}</extra>",
        **stack,
    )


def _nobody(samples: Samples, words: Words, colours: Mapping[str, str]) -> go.Scatter:
    """Marks on the axis: bins in which nobody was let in. A line that is not there could be zero as well."""
    ends = [end for end, value in zip(samples.end_s, samples.curves[FAINT], strict=True) if value is None]
    span = [f"{end - samples.bin_s:g}–{end:g} s" for end in ends]
    return go.Scatter(
        x=ends,
        y=[0] * len(ends),
        text=span,
        name=words["monitor.nobody"],
        mode="markers",
        marker={"symbol": "square", "size": 5, "color": colours["line"]},
        legendgroup="hit",
        hovertemplate="%{text}<extra>%{fullData.name}</extra>",
    )


def _hover(row: str, value: float | None, end: float, bin_s: float, words: Words) -> str:
    if value is None:
        return ""
    if row in SHARES:
        told = fill(words["unit.percent"], {"n": percent(value)})
    else:
        told = seconds(value) if row == "ttft" else digits(int(value) if value == int(value) else value)
    return f"{told} · {end - bin_s:g}–{end:g} s"


def _mark_moments(figure: go.Figure, load: LoadSession, moments: Moments, colours: Mapping[str, str]) -> int:
    """What a person did, and which request was looked at: lines through all rows, words above them. Returns
    how many lines of words stand there: near ones stand one above the other."""
    above: dict[str, Any] = {"y": 1, "yref": "paper", "showarrow": False, "xanchor": "left"}
    marks = [(at_s, text, False) for at_s, text in moments]
    if load.picked is not None:
        marks.append((load.picked[1], f"<b>{load.picked[0]}</b>", True))
    lines = word_lines([(at_s, text) for at_s, text, _ in marks], load.run.now_s)
    for (at_s, text, strong), line in zip(marks, lines, strict=True):
        look: dict[str, Any] = {"line_width": 2.5, "line_color": colours["ink"]} if strong else {}
        figure.add_vline(
            x=at_s, **(look or {"line_dash": "dot", "line_width": 1, "line_color": colours["ink"]})
        )
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


def _finished(figure: go.Figure, axis: str, num_lines: int) -> go.Figure:
    last = len(ROWS)
    for title in figure.layout.annotations[:last]:
        title.update(x=0, xanchor="left", font={"size": 14})
    figure.update_xaxes(ticksuffix=" s")
    figure.update_xaxes(title_text=axis, row=last, col=1)
    figure.update_xaxes(rangeslider={"visible": True, "thickness": 0.04}, row=last, col=1)
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 8, "t": 36 + LINE_PX * num_lines, "b": 40},
        clickmode="event+select",
        hovermode="closest",
        legend={"tracegroupgap": 22},
    )
    return figure
