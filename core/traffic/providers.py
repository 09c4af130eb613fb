"""Rules of providers, where they differ from an engine's cache: what they store, from when on, at what price.

Such rules change; each is a plain function with its numbers as arguments, and none is used silently.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import ceil


def in_blocks(shared: int, block_size: int) -> int:
    """What whole blocks leave of a shared beginning."""
    return shared // block_size * block_size


def with_minimum(shared: int, minimum: int = 1024, step: int = 128) -> int:
    """A provider that caches nothing below ``minimum`` tokens, and then whole steps (OpenAI's older rule)."""
    return 0 if shared < minimum else minimum + (shared - minimum) // step * step


def identical_prompts(num_tokens: int, block_size: int, uses: int) -> float:
    """The hit rate of the same prompt sent so often: the first is cold, the last token always computed."""
    return (uses - 1) / uses * in_blocks(num_tokens - 1, block_size) / num_tokens


def rounds(length: int, count: int, block_size: int) -> tuple[int, ...]:
    """Hit tokens per round where each round sends all before it and ``length`` new tokens."""
    return tuple(in_blocks(min(r * length, (r + 1) * length - 1), block_size) for r in range(count))


@dataclass(frozen=True, slots=True)
class WritePrices:
    """Prices relative to an uncached token: of storing one, and of reading one that is stored."""

    write: float = 1.25
    read: float = 0.1

    def cost(self, uses: int) -> float:
        """What ``uses`` requests with one common prompt cost, in prompts at the usual price."""
        return self.write + (uses - 1) * self.read if uses else 0.0

    def break_even(self) -> int:
        """From so many uses on it is cheaper to store; at the usual price k uses cost k."""
        return max(ceil((self.write - self.read) / (1 - self.read) + 1e-9), 1) if self.read < 1 else 0

    def share_paid(self, rate: float) -> float:
        """What a log with this hit rate costs, against the usual price; above 1: dearer than without."""
        return rate * self.read + (1 - rate) * self.write


ANTHROPIC_PRICES = WritePrices()


def detected_prefixes(requests: Sequence[Sequence[Hashable]]) -> list[int]:
    """Units each request reads from a provider that stores whole requests, and common beginnings only once
    it has noticed them: a prefix hits from its third request on (its second, if it was a whole request)."""
    stored: set[tuple[Hashable, ...]] = set()
    seen: list[tuple[Hashable, ...]] = []
    found = []
    for units in map(tuple, requests):
        found.append(max((len(prefix) for prefix in stored if units[: len(prefix)] == prefix), default=0))
        common = max((_common(units, other) for other in seen), default=0)
        stored |= {units} | ({units[:common]} if common else set())
        seen.append(units)
    return found


def _common(left: tuple[Hashable, ...], right: tuple[Hashable, ...]) -> int:
    same = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        same += 1
    return same
