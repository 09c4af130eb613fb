"""Figures as plain dictionaries, under the names that ``plotly.graph_objects`` gives them.

Plotly checks every property of a figure while it is built; on a page with charts that takes half of an
answer's time. These are the few calls that our charts make, without the checks: a test builds every figure
of every page both ways and finds them equal.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Self

import plotly.graph_objects
import streamlit  # noqa: F401 - lays the page's theme under every figure
from plotly.basedatatypes import BaseFigure

Trace = dict[str, Any]

_WHOLE = ("error_x", "error_y")
"""Names that keep their underscore; everywhere else ``title_text`` is the title's text."""


def Scatter(**properties: Any) -> Trace:  # noqa: N802 - plotly's name
    """Points and lines."""
    return {"type": "scatter", **_tree(properties)}


def Bar(**properties: Any) -> Trace:  # noqa: N802
    """Bars."""
    return {"type": "bar", **_tree(properties)}


def Heatmap(**properties: Any) -> Trace:  # noqa: N802
    """A grid of coloured cells."""
    return {"type": "heatmap", **_tree(properties)}


class Figure(BaseFigure):  # type: ignore[misc]
    """A figure with one pair of axes. Streamlit checks what is no ``BaseFigure``, so this is one by name: of
    what it would inherit only ``to_dict`` is ever asked for."""

    def __init__(self, trace: Trace | None = None) -> None:
        self._plain: dict[str, Any] = {
            "data": [] if trace is None else [trace],
            "layout": {"template": _template()},
        }

    def to_dict(self) -> dict[str, Any]:
        """The figure as the browser gets it; not to be changed."""
        return self._plain

    def add_trace(self, trace: Trace) -> Self:
        self._plain["data"].append(trace)
        return self

    def add_bar(self, **properties: Any) -> Self:
        return self.add_trace(Bar(**properties))

    def add_scatter(self, **properties: Any) -> Self:
        return self.add_trace(Scatter(**properties))

    def update_traces(self, **properties: Any) -> Self:
        for trace in self._plain["data"]:
            _merge(trace, _tree(properties))
        return self

    def update_layout(self, **properties: Any) -> Self:
        _merge(self._plain["layout"], _tree(properties))
        return self

    def update_xaxes(self, **properties: Any) -> Self:
        return self.update_layout(xaxis=_tree(properties))

    def update_yaxes(self, **properties: Any) -> Self:
        return self.update_layout(yaxis=_tree(properties))

    def add_annotation(self, **properties: Any) -> Self:
        return self._add("annotations", properties)

    def add_shape(self, **properties: Any) -> Self:
        return self._add("shapes", properties)

    def add_vline(self, x: float, **look: Any) -> Self:
        """A line from top to bottom."""
        return self.add_shape(type="line", x0=x, x1=x, xref="x", y0=0, y1=1, yref="y domain", **look)

    def add_hline(self, y: float, **look: Any) -> Self:
        """A line from left to right."""
        return self.add_shape(type="line", x0=0, x1=1, xref="x domain", y0=y, y1=y, yref="y", **look)

    def add_hrect(self, y0: float, y1: float, **look: Any) -> Self:
        """A band from left to right."""
        return self.add_shape(type="rect", x0=0, x1=1, xref="x domain", y0=y0, y1=y1, yref="y", **look)

    def _add(self, kind: str, properties: dict[str, Any]) -> Self:
        self._plain["layout"].setdefault(kind, []).append(_tree(properties))
        return self


@cache
def _template() -> dict[str, Any]:
    """What lies under every figure: the page's theme."""
    template: dict[str, Any] = plotly.graph_objects.Figure().to_dict()["layout"]["template"]
    return template


def _tree(properties: dict[str, Any]) -> dict[str, Any]:
    """``{"title_text": "a"}`` -> ``{"title": {"text": "a"}}``; what is None is not said."""
    tree: dict[str, Any] = {}
    for name, value in properties.items():
        if value is None:
            continue
        above, _, below = (name, "", "") if name in _WHOLE else name.partition("_")
        _merge(tree, {above: _tree({below: value}) if below else value})
    return tree


def _merge(into: dict[str, Any], new: dict[str, Any]) -> None:
    for name, value in new.items():
        if isinstance(value, dict):
            _merge(into.setdefault(name, {}), value)
        else:
            into[name] = value
