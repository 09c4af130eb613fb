"""What one turn of a chat brings: the answer with the plan behind it, and the times of its first token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.backends.base import Difference, Floats
from core.backends.experiments.hit_end import HitEnd
from core.backends.experiments.measure import Timing
from core.backends.plan import Plan

Ended = Literal["model", "length", "pool", "positions", "stopped"]
"""What ended an answer: the model itself, the length that was asked for, the pool, the model's longest text,
or the reader."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """One answer. ``plan`` is what the engine decided for the prompt, ``table`` are the blocks of prompt and
    answer together, ``token_ids`` the answer's. ``logits`` are those of the prompt's last token.

    ``pieces`` are the texts of all tokens, the prompt's and the answer's.
    """

    text: str
    pieces: tuple[str, ...]
    plan: Plan
    table: tuple[int, ...]
    token_ids: tuple[int, ...]
    logits: Floats
    ended: Ended
    hit_end: HitEnd

    @property
    def num_prompt(self) -> int:
        """Tokens of the whole prompt, marks included."""
        return len(self.plan.token_ids)

    @property
    def hit_tokens(self) -> int:
        """Tokens whose K/V stood in the cache."""
        return self.plan.num_cached

    @property
    def num_tokens(self) -> int:
        """Tokens of the answer."""
        return len(self.token_ids)


@dataclass(frozen=True, slots=True)
class Clock:
    """The first token of one prompt over the cache and without any: both warmed, in turn, medians.

    ``ratio`` (median, smallest, largest) takes each round with itself. Without a hit both sides are one and
    the same work, which is timed once, and the ratio is 1. ``difference``: how far the logits lie apart.
    """

    hit: Timing
    full: Timing
    ratio: tuple[float, float, float]
    difference: Difference
