"""Prompts as people type them, for the properties of bets; and what hits where there is room for all."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import assume
from hypothesis import strategies as st

from core.errors import ScenarioError
from tests.strategies import AWKWARD
from ui.course.mine import joined, own_words
from ui.stage.own import OwnPrompts

TEXTS = (
    st.sampled_from(AWKWARD[:-2])
    | st.text(max_size=60)
    | st.sampled_from(("汤" * 100, "soup " * 30, "", "a"))
)
_FOUR = (
    st.tuples(TEXTS, TEXTS, TEXTS, TEXTS)
    | TEXTS.map(lambda one: (one or "a", "", "", ""))
    | st.tuples(TEXTS, TEXTS).map(lambda two: (two[0], two[1], two[1], two[1]))
)


@st.composite
def typed_prompts(draw: st.DrawFn) -> OwnPrompts:
    """What ``my_prompt`` gives: odd, short, long, equal and empty questions."""
    try:
        return joined(own_words(*draw(_FOUR)))
    except ScenarioError:
        assume(False)
        raise


def hits_by_comparing(prompts: Sequence[Sequence[int]], block: int) -> list[int]:
    """Tokens that each prompt hits after the ones before it, found without the engine: whole blocks of the
    longest beginning that one of those has, and never the last token."""
    found = []
    for number, prompt in enumerate(prompts):
        equal = max((_equal(prompt, before) for before in prompts[:number]), default=0)
        found.append(min(equal, len(prompt) - 1) // block * block)
    return found


def _equal(one: Sequence[int], other: Sequence[int]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
