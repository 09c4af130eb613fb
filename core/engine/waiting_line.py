"""WaitingLine: the requests that wait, by rank, the smallest first; anybody's place in line can be told.

A sorted list in pieces, so that among many who wait nobody is searched for and little is moved. (A heap
could not tell a place, one long list moves all who stand behind, a deque walks to its middle.)
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from itertools import chain, islice

from core.engine.sequence import Sequence

MOST_IN_PIECE = 2_000


class WaitingLine:
    """Requests of different ranks. A rank must not change while its request stands in line."""

    __slots__ = ("_num", "_pieces")

    def __init__(self) -> None:
        self._pieces: list[list[Sequence]] = []
        self._num = 0

    def __len__(self) -> int:
        return self._num

    def __iter__(self) -> Iterator[Sequence]:
        return chain.from_iterable(self._pieces)

    def first(self) -> Sequence:
        """Who is next. Somebody must be waiting."""
        return self._pieces[0][0]

    def add(self, sequence: Sequence) -> None:
        """Let a request stand where its rank belongs. O(log waiting), but for moves inside one piece."""
        self._num += 1
        if not self._pieces:
            self._pieces.append([sequence])
            return
        at = min(self._piece_of(sequence), len(self._pieces) - 1)
        piece = self._pieces[at]
        insort(piece, sequence, key=_rank)
        if len(piece) > MOST_IN_PIECE:
            half = len(piece) // 2
            self._pieces[at : at + 1] = [piece[:half], piece[half:]]

    def remove(self, sequence: Sequence) -> None:
        """Let a request leave the line. Cost as for ``add``."""
        at = self._piece_of(sequence)
        piece = self._pieces[at]
        del piece[bisect_left(piece, sequence.rank, key=_rank)]
        if not piece:
            del self._pieces[at]
        self._num -= 1

    def place_of(self, sequence: Sequence) -> int:
        """How many stand before a request in line. O(pieces)."""
        at = self._piece_of(sequence)
        before = sum(map(len, islice(self._pieces, at)))
        return before + bisect_left(self._pieces[at], sequence.rank, key=_rank)

    def _piece_of(self, sequence: Sequence) -> int:
        """The first piece that reaches as far as the request's rank; one past the end if none does."""
        return bisect_left(self._pieces, sequence.rank, key=lambda piece: piece[-1].rank)


def _rank(sequence: Sequence) -> tuple[int, int]:
    return sequence.rank
