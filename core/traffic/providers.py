"""Rules of providers, where they differ from an engine's cache: what they store, from when on, at what price.

Such rules change; each is a plain function with its numbers as arguments, and none is used silently.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def with_minimum(shared: int, minimum: int = 1024, step: int = 128) -> int:
    """A provider that caches nothing below ``minimum`` tokens, and then whole steps (OpenAI's older rule)."""
    return 0 if shared < minimum else minimum + (shared - minimum) // step * step


@dataclass(frozen=True, slots=True)
class WritePrices:
    """Prices relative to an uncached token: of storing one, and of reading one that is stored."""

    write: float = 1.25
    read: float = 0.1

    def cost(self, uses: int) -> float:
        """What ``uses`` requests with one common prompt cost, in prompts at the usual price."""
        return self.write + (uses - 1) * self.read if uses else 0.0

    def share_paid(self, rate: float) -> float:
        """What a log with this hit rate costs, against the usual price; above 1: dearer than without."""
        return rate * self.read + (1 - rate) * self.write


@dataclass(frozen=True, slots=True)
class Rule:
    """By what a log is judged. A prompt of fewer than ``minimum`` tokens is neither stored nor read and costs
    what it costs without a cache; of a hit whole ``step`` tokens count, from the minimum on. ``read_on``: the
    day the rule was read, "" where somebody typed it."""

    rule_id: str = "own"
    minimum: int = 0
    step: int = 1
    prices: WritePrices = WritePrices()
    read_on: str = ""

    def below(self, lengths: Ints) -> NDArray[np.bool_]:
        """Which prompts are too short to be stored."""
        return np.asarray(lengths < self.minimum, np.bool_)

    def cached(self, hits: Ints) -> Ints:
        """What the rule leaves of each request's hit."""
        steps = self.minimum + (hits - self.minimum) // self.step * self.step
        return np.asarray(np.where(hits < max(self.minimum, 1), 0, steps), np.int64)

    def paid(self, lengths: Ints, hits: Ints) -> NDArray[np.float64]:
        """What each request costs, in tokens at the usual price."""
        cached = self.cached(hits)
        with_cache = cached * self.prices.read + (lengths - cached) * self.prices.write
        return np.asarray(np.where(self.below(lengths), lengths, with_cache), np.float64)


ANTHROPIC_PRICES = WritePrices()
