"""That plain figures are Plotly's is seen wherever a page is opened; here: that the comparison can fail."""

from __future__ import annotations

import json

import plotly.io
import pytest
from plotly.io import to_json

from tests.app.test_course_savings import FOLDED, unfolded
from tests.app.twin_figures import TWINS, TwinFigure
from tests.app.visit import visit
from ui.frame import plain_figure as go

WITH_CHARTS = (
    "finish",
    "ch02",
    "ch04",
    "ch06",
    "ch07",
    "ch08",
    "ch09",
    "ch10",
    "traffic",
    "tradeoffs",
)


@pytest.mark.parametrize("page", WITH_CHARTS)
def test_a_page_with_charts_draws_twins_over_the_theme(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[TwinFigure] = []
    compare = TwinFigure.to_dict
    monkeypatch.setattr(TwinFigure, "to_dict", lambda figure: (drawn.append(figure), compare(figure))[1])
    at = unfolded(page) if page in FOLDED else visit(page)
    specs = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]
    drawn = drawn[-len(specs) :]  # of the last run
    assert len(specs) == len(drawn) > 0
    theme = json.loads(to_json(plotly.io.templates["streamlit"].layout))
    assert all(spec["layout"]["template"]["layout"] == theme for spec in specs)


def test_a_property_that_plotly_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="widht"):
        TWINS["Scatter"](x=[1], line={"widht": 2})
    with pytest.raises(ValueError, match="titel"):
        go.Figure().update_xaxes(titel_text="a")


def test_a_plain_figure_that_says_something_else_is_caught() -> None:
    figure = go.Figure(go.Bar(x=[1]))
    assert figure.to_dict()["data"] == [{"type": "bar", "x": [1]}]
    figure.to_dict()["data"][0]["x"] = [2]
    with pytest.raises(AssertionError):
        figure.to_dict()
