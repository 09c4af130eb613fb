"""Scenarios and trade-offs: every panel in both languages, and what its sliders change."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

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
    assert "It does not fit: 1 × A100 has" in texts(at), "hundred people for 300 s, on one GPU"
    few = choose(at, "tradeoff_people", 10)
    assert "It does not fit" not in texts(few)


def test_the_caption_counts_what_the_chart_shows() -> None:
    at = visit("tradeoffs", lang="en")
    assert f"{percent(2048 / 2176)} % of the tokens" in texts(at)


@pytest.mark.parametrize("lang", LANGS)
def test_weights_change_what_is_best(lang: Lang) -> None:
    """On the agents' log blocks of 4 hit most; paid for, they are not the best, and free they are."""
    at = choose(visit("tradeoffs", lang=lang), "tradeoff_panel", "best")
    choose(at, "tradeoff_kind", "agent")
    found = best_sizes(at, lang)
    assert found[0] == 4 < found[1]
    choose(at, "tradeoff_charges.waits", 0)
    assert best_sizes(at, lang) == [4, 4]


def best_sizes(at: AppTest, lang: Lang) -> list[int]:
    """The sizes named: of the highest rate, and after costs."""
    words = {"en": r"blocks of \*\*(\d+)\*\*", "zh": r"每块 \*\*(\d+)\*\*"}[lang]
    return [int(one) for one in re.findall(words, texts(at))]
