"""Rules of providers, where they differ from an engine's cache: what they store, from when on, at what price.

Such rules change; each is a plain function with its numbers as arguments, and none is used silently.
"""

from __future__ import annotations

from dataclasses import dataclass


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


ANTHROPIC_PRICES = WritePrices()
