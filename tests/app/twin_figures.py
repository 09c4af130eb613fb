"""Figures built twice, by ``ui.frame.plain_figure`` and by Plotly itself, which must come to the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import plotly.io
from plotly.basedatatypes import BaseFigure

from ui.frame import plain_figure

TRACES = ("Scatter", "Bar", "Heatmap")
VERBS = [name for name in vars(plain_figure.Figure) if name.startswith(("add_", "update_"))]


class TwinTrace(dict[str, Any]):
    """A plain trace that knows Plotly's."""

    real: Any


def trace_maker(kind: str) -> Callable[..., TwinTrace]:
    """What makes a trace of this kind both ways."""
    plain, real = getattr(plain_figure, kind), getattr(go, kind)

    def make(**properties: Any) -> TwinTrace:
        trace = TwinTrace(plain(**properties))
        trace.real = real(**properties)
        return trace

    return make


class TwinFigure(BaseFigure):  # type: ignore[misc]
    """Each call goes to both; the figure is compared when it is asked for."""

    def __init__(self, trace: TwinTrace | None = None) -> None:
        self._both = (PLAIN(trace), go.Figure(None if trace is None else trace.real))

    def to_dict(self) -> dict[str, Any]:
        plain, real = self._both
        assert as_sent(plain) == as_sent(real)
        told: dict[str, Any] = plain.to_dict()
        return told


def as_sent(figure: BaseFigure) -> Any:
    """What the browser gets."""
    return json.loads(plotly.io.to_json(figure.to_dict(), validate=False))


def _verb(name: str) -> Callable[..., TwinFigure]:
    def call(self: TwinFigure, *values: Any, **properties: Any) -> TwinFigure:
        plain, real = self._both
        getattr(plain, name)(*values, **properties)
        getattr(real, name)(*(getattr(value, "real", value) for value in values), **properties)
        return self

    return call


PLAIN = plain_figure.Figure
for verb in VERBS:
    setattr(TwinFigure, verb, _verb(verb))
TWINS = {"Figure": TwinFigure} | {kind: trace_maker(kind) for kind in TRACES}
