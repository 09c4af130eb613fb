"""Ledger: what happened when and to which request, in arrays that grow. Rows stand in order of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]


class Ledger:
    """Rows: moment in modelled seconds, request number, whole numbers by name; 12 bytes and 4 a name."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._count = 0
        self._at_s = np.zeros(256)
        self._rows: Numbers = np.zeros((1 + len(names), 256), np.int32)

    def __len__(self) -> int:
        return self._count

    def add(self, at_s: float, number: int, *values: int) -> int:
        """Write a row behind the last one, not earlier than it; returns its place."""
        if self._count == len(self._at_s):
            self._at_s = np.concatenate([self._at_s, np.zeros_like(self._at_s)])
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)], axis=1)
        self._at_s[self._count] = at_s
        self._rows[:, self._count] = (number, *values)
        self._count += 1
        return self._count - 1

    def raise_by(self, place: int, name: str, amount: int) -> None:
        """More of the same in a row that is there."""
        self._rows[1 + self._names.index(name), place] += amount

    @property
    def at_s(self) -> NDArray[np.float64]:
        """The moments."""
        return self._at_s[: self._count]

    @property
    def number(self) -> Numbers:
        """The requests."""
        return self._rows[0, : self._count]

    def column(self, name: str) -> Numbers:
        """One of the named numbers, row by row."""
        return self._rows[1 + self._names.index(name), : self._count]

    def between(self, after_s: float, until_s: float) -> slice:
        """The rows with after < moment <= until."""
        low, high = np.searchsorted(self.at_s, [after_s, until_s], side="right").tolist()
        return slice(low, high)

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays."""
        return int(self._at_s.nbytes + self._rows.nbytes)
