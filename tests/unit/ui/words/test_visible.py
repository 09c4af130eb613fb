"""What of a text is seen: the same pieces as the stage's, from the vectors that both are held to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.strategies import any_texts
from ui.words.visible import Piece, visible_diff, visible_pieces

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[3] / "data" / "visible.json").read_text("utf-8")
)


def written(pieces: list[Piece]) -> list[list[Any]]:
    """As the vectors have them: the third value stands only where it is true."""
    return [[shown, kind, True] if differs else [shown, kind] for shown, kind, differs in pieces]


@pytest.mark.parametrize("case", VECTORS["pieces"], ids=lambda case: case["name"])
def test_pieces(case: dict[str, Any]) -> None:
    assert written(visible_pieces(case["text"])) == case["pieces"]


@pytest.mark.parametrize("case", VECTORS["diffs"], ids=lambda case: case["name"])
def test_diffs(case: dict[str, Any]) -> None:
    left, right = visible_diff(case["a"], case["b"])
    assert written(left) == case["of_a"]
    assert written(right) == case["of_b"]


@given(any_texts, any_texts)
def test_texts_that_differ_show_a_mark(left: str, right: str) -> None:
    """Whatever differs, something marked is seen on one side, and the two sides do not look alike."""
    one, two = visible_diff(left, right)
    assert any(differs for _, _, differs in (*one, *two)) == (left != right)
    assert (one == two) == (left == right)


@given(any_texts)
def test_no_text_is_lost(text: str) -> None:
    """Each character is shown by itself or by its sign; nothing is left out."""
    shown = visible_pieces(text)
    assert sum(len(piece) if kind == "text" else 1 for piece, kind, _ in shown) == len(text)
