"""The strips of a paused load as one Plotly figure: hover, zoom, range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
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
PLOT_PX, HEAD_PX = 100, 66
"""A strip's own height, and above it its title and what its curves are: one line, two on a phone."""
TOOLBAR_PX, FOOT_PX = 26, 76
"""Above all words: the tools that come with the figure. Below: time axis, slider, what a point stands for."""

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
    share = HEAD_PX / (len(ROWS) * PLOT_PX + (len(ROWS) - 1) * HEAD_PX)
    figure = make_subplots(rows=len(ROWS), cols=1, shared_xaxes=True, vertical_spacing=share)
    for row, (name, curves) in enumerate(ROWS.items(), 1):
        for curve in shown_curves(samples, curves):
            figure.add_trace(_trace(samples, name, curve, words, colours), row=row, col=1)
        if name in SHARES:
            figure.update_yaxes(tickformat=".0%", range=[0, 1.02], row=row, col=1)
        else:
            figure.update_yaxes(rangemode="tozero", row=row, col=1)
    figure.add_trace(_nobody(samples, words, colours), row=1, col=1)
    if bet is not None:
        text = words["monitor.bet"].replace("{bet}", str(bet))
        look: dict[str, Any] = {"line_dash": "dash", "line_color": colours["ink"], "row": 1, "col": 1}
        figure.add_hline(y=bet / 100, annotation_text=text, **look)
    lines = _mark_moments(figure, load, moments, words, colours)
    return _finished(figure, words, axis_words(samples, words), lines, colours["ink"])


def time_axis(figure: go.Figure) -> None:
    """The axis of times to first token: whole decades around all that is drawn on it, in the words of the
    live strips."""
    row = list(ROWS).index("ttft") + 1
    drawn = [y for trace in figure.data if trace.yaxis == f"y{row}" for y in trace.y if y]
    low, high = floor(log10(min(drawn, default=0.1))), ceil(log10(max(drawn, default=0.1)))
    high = max(high, low + 1)
    ticks = [10.0**power for power in range(low, high + 1)]
    figure.update_yaxes(
        type="log", range=[low, high], tickvals=ticks, ticktext=[tick_words(t) for t in ticks], row=row, col=1
    )


def tick_words(time_s: float) -> str:
    """A power of ten seconds, as the live strips write it."""
    return f"{time_s * 1e3:g} ms" if time_s < 1 else f"{time_s:g} s"


def shown_curves(samples: Samples, curves: Sequence[str]) -> list[str]:
    """Without those of what is rare and did not occur."""
    return [curve for curve in curves if curve not in RARE or any(samples.curves[curve])]


def strip_of(load: LoadSession, curve_number: int) -> str | None:
    """The strip that a trace of the figure, counted from 0, stands in; None: it belongs to a kept run."""
    samples = load.run.samples()
    names = [name for name, curves in ROWS.items() for _ in shown_curves(samples, curves)]
    names.append("hit")  # where nobody was let in
    return names[curve_number] if curve_number < len(names) else None


def legend_of(row: str) -> str:
    """The key in the layout of what stands above a strip: each has its own."""
    place = list(ROWS).index(row)
    return f"legend{place + 1}" if place else "legend"


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
    colour, faint = colours[INKS[curve]], curve == FAINT
    points = list(zip(samples.curves[curve], samples.end_s, strict=True))
    lines: dict[str, Any] = {"width": 1.2 if curve in THIN else 2.4, "color": colour}
    if curve in DASHED:
        lines["dash"] = "dash"
    stack: dict[str, Any] = {}
    if row == "room":  # in a stack, what is not known would be drawn as 0
        points = [point for point in points if point[0] is not None]
        stack = {"stackgroup": "room", "fillcolor": colour}
        lines = {"width": 0.8, "color": colours["line"]}
    name = fill(words[f"monitor.curve.{curve}"], {"bin": f"{samples.bin_s:g}"})
    return go.Scatter(
        x=[end for _, end in points],
        y=[value for value, _ in points],
        text=[hover_words(row, name, value, end, samples.bin_s, words) for value, end in points],
        name=name,
        mode="lines+markers",
        marker={"size": 4, "color": colours["ink"] if row == "room" else colour},
        line=lines,
        opacity=0.55 if faint else 1,
        connectgaps=not faint,
        legend=legend_of(row),
        hovertemplate="%{text}<extra></extra>",
        **stack,
    )


def _nobody(samples: Samples, words: Words, colours: Mapping[str, str]) -> go.Scatter:
    """Marks on the axis: bins in which nobody was let in. A line that is not there could be zero as well."""
    ends = [end for end, value in zip(samples.end_s, samples.curves[FAINT], strict=True) if value is None]
    name = words["monitor.nobody"]
    return go.Scatter(
        x=ends,
        y=[0] * len(ends),
        text=[f"<b>{name}</b><br>{end - samples.bin_s:g}–{end:g} s" for end in ends],
        name=name,
        mode="markers",
        marker={"symbol": "square", "size": 5, "color": colours["line"]},
        showlegend=bool(ends),
        legend=legend_of("hit"),
        hovertemplate="%{text}<extra></extra>",
    )


def hover_words(row: str, name: str, value: float | None, end: float, bin_s: float, words: Words) -> str:
    """Which curve, how much of what, and when."""
    if value is None:
        return ""
    if row in SHARES:
        told = fill(words["unit.percent"], {"n": percent(value)})
    elif row == "ttft":
        told = seconds(value)
    else:
        told = fill(
            words[f"monitor.hover.{row}"], {"n": digits(int(value) if value == int(value) else value)}
        )
    return f"<b>{name}</b><br>{told} · {end - bin_s:g}–{end:g} s"


def _mark_moments(
    figure: go.Figure, load: LoadSession, moments: Moments, words: Words, colours: Mapping[str, str]
) -> int:
    """What a person did, the bin that was clicked, and which request was looked at: through all rows, words
    above them. Returns how many lines of words stand there: near ones stand one above the other."""
    above: dict[str, Any] = {
        "y": 1,
        "yref": "paper",
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom",
    }
    dotted = {"line_dash": "dot", "line_width": 1, "line_color": colours["ink"]}
    marks = list(moments)
    for at_s, _ in moments:
        figure.add_vline(x=at_s, **dotted)
    if (asked := load.asked) is not None:
        begin, end = asked.end_s - asked.width_s, asked.end_s
        look = {"fillcolor": colours["ink"], "opacity": 0.2, "line_width": 2, "line_color": colours["ink"]}
        figure.add_vrect(x0=begin, x1=end, **look)
        span = fill(words["monitor.bin.mark"], {"begin": f"{begin:g}", "end": f"{end:g}"})
        marks.append((begin, f"<b>{span}</b>"))
    if load.picked is not None:
        if asked is None:
            figure.add_vline(x=load.picked[1], line_width=2.5, line_color=colours["ink"])
        marks.append((load.picked[1], f"<b>{load.picked[0]}</b>"))
    lines = word_lines(marks, load.run.now_s)
    for (at_s, text), line in zip(marks, lines, strict=True):
        if line is not None:
            figure.add_annotation(x=at_s, yshift=HEAD_PX + LINE_PX * line, text=text, **above)
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


def _finished(figure: go.Figure, words: Words, axis: str, num_lines: int, ink: str) -> go.Figure:
    last = len(ROWS)
    figure.update_xaxes(ticksuffix=" s")
    figure.update_xaxes(title_text=axis, row=last, col=1)
    figure.update_xaxes(rangeslider={"visible": True, "thickness": 0.04}, row=last, col=1)
    top = TOOLBAR_PX + HEAD_PX + LINE_PX * num_lines
    legends = {legend_of(row): _legend(figure, row, words, ink) for row in ROWS}
    figure.update_layout(
        height=last * (PLOT_PX + HEAD_PX) + top + FOOT_PX,
        margin={"l": 8, "r": 8, "t": top, "b": 40},
        clickmode="event+select",
        hovermode="closest",
        uirevision=True,  # a click marks a bin and leaves the zoom as it was
        **legends,
    )
    return figure


def _legend(figure: go.Figure, row: str, words: Words, ink: str) -> dict[str, Any]:
    """A strip's title, and under it its curves: above the strip, so that it may be as wide as the page."""
    place = list(ROWS).index(row) + 1
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": figure.layout[f"yaxis{place if place > 1 else ''}"].domain[1],
        "yanchor": "bottom",
        "title": {
            "text": f"<b>{words[f'monitor.strip.{row}']}</b>",
            "side": "top",
            "font": {"size": 13, "color": ink},
        },
        "font": {"size": 12, "color": ink},
        "bgcolor": "rgba(0,0,0,0)",
        "traceorder": "normal",
    }
