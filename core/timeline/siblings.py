"""Siblings: the cached contents under one parent, asked for the one that comes nearest to another block.

Read side. From the first question on an index says who has which token in which place, so a question costs
what there is in common, not a walk through all siblings. Most parents have one child, are never asked, and
pay nothing.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from itertools import chain

Tokens = tuple[int, ...]


class Siblings:
    """Contents by number, each with its tokens: who became known first has the smallest number."""

    def __init__(self) -> None:
        self._tokens_of: dict[int, Tokens] = {}
        self._having: list[dict[int, list[int]]] = []  # for each place: token -> numbers, in order

    def add(self, number: int, tokens: Tokens) -> None:
        """A content is cached. O(tokens x log siblings)."""
        self._tokens_of[number] = tokens
        if self._having:
            self._list(number, tokens)

    def _list(self, number: int, tokens: Tokens) -> None:
        for having, token in zip(self._having, tokens, strict=True):
            insort(having.setdefault(token, []), number)

    def remove(self, number: int) -> None:
        """A content is cached no more. O(tokens x log siblings)."""
        tokens = self._tokens_of.pop(number)
        for having, token in zip(self._having, tokens):  # noqa: B905 - none before the first question
            numbers = having[token]
            del numbers[bisect_left(numbers, number)]
            if not numbers:
                del having[token]

    def nearest(self, tokens: Tokens) -> int | None:
        """The one with most equal tokens in place, at least one; then with the longest common beginning; then
        the one known first. O(tokens in common), but for those that all siblings have."""
        if not self._having:
            self._having = [{} for _ in tokens]
            for number, own in self._tokens_of.items():
                self._list(number, own)
        shared = [
            having[token] for having, token in zip(self._having, tokens, strict=True) if token in having
        ]
        telling = [numbers for numbers in shared if len(numbers) < len(self._tokens_of)]
        counts = Counter(chain.from_iterable(telling))
        if not counts:  # all come equally near
            return shared[0][0] if shared else None
        most = max(counts.values())
        best = [number for number, count in counts.items() if count == most]
        for place, token in enumerate(tokens):
            longer = [number for number in best if self._tokens_of[number][place] == token]
            if not longer:
                break
            best = longer
        return min(best)
