"""What the sheet asks about: six ideas, and two situations that nobody has been shown, by name and in order.

A question has four options, and each letter stands for one thought, whatever the numbers and whatever the
order in which the options are shown: one is right, three are what people who get it wrong believe.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LETTERS = ("a", "b", "c", "d")

SIX: Mapping[str, str] = MappingProxyType(
    {"stamp": "c", "part": "b", "hit": "b", "done": "a", "repeat": "c", "speed": "b"}
)
"""The six ideas, each with the letter that is right."""

NEW: Mapping[str, str] = MappingProxyType({"tools": "a", "salts": "b"})
"""Two new situations, asked after the course only."""

RIGHT: Mapping[str, str] = MappingProxyType({**SIX, **NEW})

TIMES: Mapping[str, tuple[str, ...]] = MappingProxyType({"before": tuple(SIX), "after": tuple(RIGHT)})
"""The two times one is asked, and what."""


def wrong_letters(name: str) -> tuple[str, ...]:
    """The three beliefs of a question."""
    return tuple(letter for letter in LETTERS if letter != RIGHT[name])
