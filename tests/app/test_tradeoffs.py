"""Scenarios and trade-offs: every panel in both languages, and what its sliders change."""

from __future__ import annotations

import pytest

from tests.app.visit import choose, texts, visit
from ui.words.i18n import LANGS, Lang, t
from ui.words.numbers import percent

PANELS = ("lengths", "turns", "prefixes", "threshold", "ttl", "cap", "pots", "decode", "best")


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("panel", PANELS)
def test_every_panel(panel: str, lang: Lang) -> None:
    at = choose(visit("tradeoffs", lang=lang), "tradeoff_panel", panel)
    assert t(f"tradeoff.{panel}.intro", lang) in texts(at)
    assert len(at.get("plotly_chart")) == (3 if panel == "decode" else 2)


def test_a_slider_changes_the_sentence() -> None:
    at = choose(visit("tradeoffs", lang="en"), "tradeoff_panel", "ttl")
    choose(at, "tradeoff_pause", 100)
    assert t("tradeoff.ttl.words", "en", pause=100, triple=300) in texts(at)


def test_the_caption_counts_what_the_chart_shows() -> None:
    at = visit("tradeoffs", lang="en")
    assert f"{percent(2048 / 2176)} % of the tokens" in texts(at)
