"""Byte-pair merging: neighbours become one token, the best pair of the whole piece first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

Order = Callable[[str, str], float | None]
"""Where a pair stands in line, the smallest first; None for a pair that is never merged."""


def merge(symbols: Sequence[str], order: Order) -> list[str]:
    """Merge until no pair is left that may be; of equal pairs the leftmost first. O(n log n).

    One pair at a time, as ``tokenizers`` and llama.cpp do: a pair that a merge has just made may stand before
    another of the kind that was merged.
    """
    parts = list(symbols)
    after = [*range(1, len(parts)), -1]
    before = list(range(-1, len(parts) - 1))
    line: list[tuple[float, int, str, str]] = []

    def offer(left: int) -> None:
        if left >= 0 and after[left] >= 0:
            pair = parts[left], parts[after[left]]
            place = order(*pair)
            if place is not None:
                heapq.heappush(line, (place, left, *pair))

    for left in range(len(parts) - 1):
        offer(left)
    while line:
        _, left, one, other = heapq.heappop(line)
        right = after[left]
        if right < 0 or parts[left] != one or parts[right] != other:
            continue  # one of the two has been merged with another neighbour meanwhile
        parts[left], parts[right] = one + other, ""
        after[left] = after[right]
        if after[right] >= 0:
            before[after[right]] = left
        offer(left)
        offer(before[left])
    return [part for part in parts if part]
