"""Prompts as visitors type them: short, empty, odd, equal, long, in any script."""

from __future__ import annotations

from hypothesis import strategies as st

from core.errors import ScenarioError
from tests.strategies import AWKWARD
from ui.course.mine import joined, our_prompt, own_words
from ui.stage.own import OwnPrompts

_KNOWN = ("", "a", "🍜", "为什么？", "Why is that so?", "soup " * 30, "汤" * 60, *AWKWARD[:-2])
_TEXT = st.sampled_from(_KNOWN) | st.text(max_size=40)


def _made(texts: tuple[str, str, str, str]) -> OwnPrompts:
    try:
        return joined(own_words(*texts))
    except ScenarioError:  # refused on the page too
        return our_prompt("en")


PROMPTS: st.SearchStrategy[OwnPrompts] = st.one_of(
    st.tuples(_TEXT, _TEXT, _TEXT, _TEXT).map(_made),
    st.tuples(_TEXT, _TEXT).map(lambda two: _made((two[0], two[1], two[1], two[1]))),
    st.sampled_from((our_prompt("en"), our_prompt("zh"), _made(("汤" * 100, "面", "", "面")))),
)
