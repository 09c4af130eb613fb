"""Charts: right sizes in the right order, and the page's theme decides about every colour."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from ui.frame.charts import PATTERNS, Bar, bars_beside, waterfall

BARS = [Bar("reused", 8, "8", "8 tokens"), Bar("new", 19, "19", "19 tokens"), Bar("tail", 2, "2", "2 tokens")]


def test_each_bar_of_a_waterfall_starts_where_the_one_before_ended() -> None:
    figure = go.Figure(waterfall(BARS, "tokens").to_dict())
    assert [(bar.base[0], bar.x[0]) for bar in figure.data] == [(0, 8), (8, 19), (27, 2)]
    assert [bar.y[0] for bar in figure.data] == ["reused  <b>8</b>", "new  <b>19</b>", "tail  <b>2</b>"]
    assert figure.layout.yaxis.autorange == "reversed"


def test_bars_beside_share_one_zero() -> None:
    assert [tuple(bar.base) for bar in go.Figure(bars_beside(BARS, "ms").to_dict()).data] == [
        (0,),
        (0,),
        (0,),
    ]


@pytest.mark.parametrize("draw", [waterfall, bars_beside])
def test_the_theme_decides_about_colours(draw: type) -> None:
    """No ground, no letter, no bar has a colour of ours: the page's theme, light or dark, gives all."""
    figure = go.Figure(draw(BARS, "tokens").to_dict())
    assert figure.layout.paper_bgcolor is None
    assert figure.layout.plot_bgcolor is None
    assert figure.layout.font.color is None
    assert [bar.marker.color for bar in figure.data] == [None] * len(BARS)


@pytest.mark.parametrize("draw", [waterfall, bars_beside])
def test_bars_differ_by_pattern_too(draw: type) -> None:
    bars = [Bar(str(place), 1, "", "") for place in range(len(PATTERNS))]
    assert len({bar.marker.pattern.shape for bar in go.Figure(draw(bars, "").to_dict()).data}) == len(
        PATTERNS
    )


@pytest.mark.parametrize("draw", [waterfall, bars_beside])
def test_nothing_to_draw_is_no_error(draw: type) -> None:
    assert draw([], "tokens").to_dict()["data"] == []
