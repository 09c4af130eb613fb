"""What the panels share: two charts side by side, sliders, and long work cut into pieces."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import streamlit as st

from ui.frame import plain_figure as go
from ui.frame.kept import LastFew
from ui.frame.session import say
from ui.frame.shared import Shared
from ui.machine.machine import MACHINE
from ui.traffic.charts import finished, lines

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
Points = Sequence[tuple[float, float]]
HEIGHT = 340
COMPUTED = Shared(256)
_OWN = LastFew("tradeoff_own", 64)
"""With a visitor's own numbers for model or GPU: nobody else's business."""


def number(name: str, least: int, most: int, value: int, step: int = 1) -> int:
    """A slider."""
    return st.slider(say(f"tradeoff.{name}"), least, most, value, step, key=f"tradeoff_{name}")


def share(name: str, value: int, most: int = 100, step: int = 5) -> float:
    """A slider in percent; its value from 0 to 1."""
    found = st.slider(say(f"tradeoff.{name}"), 0, most, value, step, format="%d%%", key=f"tradeoff_{name}")
    return found / 100


def in_pieces(keys: Sequence[K], make: Callable[[K], T]) -> list[T]:
    """One result for each key, on the machine chosen, with a bar while anything is computed. Any other widget
    stops it; what is done by then stays done."""
    machine = MACHINE.get()
    runs: Shared | LastFew = COMPUTED if machine.is_listed else _OWN
    place = st.empty()
    found: list[T] = []
    for done, key in enumerate(keys):
        if done:
            place.progress(done / len(keys), say("tradeoff.running", n=done, of=len(keys)))
        found.append(runs.get((key, machine.cost()), partial(make, key)))
    place.empty()
    return found


def two_sides(name: str, gives: go.Figure, costs: go.Figure, basis: tuple[str, str]) -> None:
    """Gain on the left, cost on the right, each with where its numbers come from (``tradeoff.basis.…``)."""
    for place, side, figure, of_it in zip(
        st.columns(2, gap="medium"), ("gives", "costs"), (gives, costs), basis, strict=True
    ):
        with place:
            title = say(f"tradeoff.{name}.{side}")
            st.markdown(f"**{say(f'tradeoff.{side}')}** · {title}")
            st.plotly_chart(figure.update_layout(height=HEIGHT), key=f"tradeoff_{side}_{name}")
            st.caption(say(f"tradeoff.basis.{of_it}"))


def rates(
    curves: Mapping[str, Points],
    x_title: str,
    y_title: str,
    *,
    log_x: bool = False,
    percent_x: bool = False,
) -> go.Figure:
    """Shares over one quantity."""
    figure = lines(curves, say(x_title), say(y_title), log_x=log_x, markers=len(curves) < 4)
    return figure.update_xaxes(tickformat=".0%") if percent_x else figure


def amounts(
    curves: Mapping[str, Points],
    x_title: str,
    y_title: str,
    *,
    log_x: bool = False,
    percent_x: bool = False,
    ticks: Sequence[float] | None = None,
) -> go.Figure:
    """Anything from zero up over one quantity."""
    figure = lines(
        curves, say(x_title), say(y_title), log_x=log_x, markers=len(curves) < 4, shares=False, ticks=ticks
    )
    return figure.update_xaxes(tickformat=".0%") if percent_x else figure


def bars(curves: Mapping[str, Sequence[float]], x: Sequence[str], x_title: str, y_title: str) -> go.Figure:
    """Bars on top of each other, as shares of a whole."""
    figure = go.Figure()
    for place, (name, values) in enumerate(curves.items()):
        figure.add_bar(
            x=list(x),
            y=list(values),
            name=name,
            marker={"pattern": {"shape": ("", "/", ".")[place % 3], "fgopacity": 0.6}},
            hovertemplate="%{x} · %{y:.1%}<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(barmode="stack")
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02], title_text=say(y_title))
    figure.update_xaxes(title_text=say(x_title), type="category")
    return finished(figure, True)
