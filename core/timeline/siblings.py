"""Siblings: the cached contents under one parent, asked for the one that comes nearest to another block.

Read side. Contents come and go as they are cached and evicted. From the first question on their tokens lie
as columns of a matrix: a question is one comparison of numbers, not a walk through all of them. Most parents
have one child, are never asked, and pay nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.types import BlockHash

Tokens = tuple[int, ...]


class Siblings:
    """Contents by hash, each with its tokens and its number: who became known first has the smallest."""

    def __init__(self) -> None:
        self._place_of: dict[BlockHash, int] = {}
        self._entries: list[tuple[BlockHash, Tokens, int]] = []  # by place
        # A column for each place, and some to spare: its tokens, then its number.
        self._matrix: NDArray[np.uint32] | None = None

    def add(self, digest: BlockHash, tokens: Tokens, number: int) -> None:
        """A content is cached. O(tokens)."""
        self._place_of[digest] = len(self._entries)
        self._entries.append((digest, tokens, number))
        self._write(len(self._entries) - 1)

    def remove(self, digest: BlockHash) -> None:
        """A content is cached no more; the last one moves into the gap. O(tokens)."""
        place, last = self._place_of.pop(digest), self._entries.pop()
        if place < len(self._entries):
            self._entries[place] = last
            self._place_of[last[0]] = place
            self._write(place)

    def _write(self, place: int) -> None:
        if self._matrix is None:
            return
        if place == self._matrix.shape[1]:
            self._matrix = np.hstack((self._matrix, np.empty_like(self._matrix)))
        _, tokens, number = self._entries[place]
        self._matrix[:, place] = (*tokens, number)

    def nearest(self, tokens: Tokens) -> BlockHash | None:
        """The one with most equal tokens in place, at least one; then with the longest common beginning; then
        the one known first. O(siblings x tokens), as numbers in a row."""
        if not self._entries:
            return None
        if self._matrix is None:
            columns = [(*own, number) for _, own, number in self._entries]
            self._matrix = np.array(columns, np.uint32).T.copy()
        matrix = self._matrix[:, : len(self._entries)]
        equal = matrix[:-1] == np.array(tokens, np.uint32)[:, None]
        counts = equal.sum(axis=0, dtype=np.uint32)
        if not counts.any():
            return None
        best = np.flatnonzero(counts == counts.max())
        first_diff = equal[:, best].argmin(axis=0)
        best = best[first_diff == first_diff.max()]
        digest, _, _ = self._entries[int(best[matrix[-1, best].argmin()])]
        return digest
