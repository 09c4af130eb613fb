"""Time bins: what is counted while a run goes on, in a bounded number of equal bins.

When time outgrows the last bin, bins are merged in pairs and become twice as wide. Sums are added up, levels
keep the later value. So a run of any length fits; ``generation`` counts how often all bins have changed.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]


class Bins:
    """Named columns over equal time bins. Bin i covers (i x width, (i + 1) x width]; time 0 is in bin 0."""

    def __init__(self, width_s: float, most: int, sums: Iterable[str], levels: Iterable[str]) -> None:
        self.width_s = width_s
        self.generation = 0
        self.widened_s: float | None = None  # when the bins last became wider
        self._most = most + most % 2  # pairs
        self.sums: dict[str, Column] = {name: np.zeros(self._most) for name in sums}
        self.levels: dict[str, Column] = {name: np.full(self._most, np.nan) for name in levels}

    def index(self, at_s: float) -> int:
        """The bin of a moment; makes room for it."""
        while at_s > self.width_s * self._most:
            self._merge()
        index = max(int(at_s / self.width_s), 0)
        return index - 1 if index and index * self.width_s >= at_s else index

    def add(self, name: str, at_s: float, amount: float = 1.0) -> None:
        """Count something that happened at a moment."""
        index = self.index(at_s)
        self.sums[name][index] += amount

    def edges(self, count: int) -> Column:
        """The borders of the first ``count`` bins: one more than there are bins."""
        return np.array([place * self.width_s for place in range(count + 1)], dtype=np.float64)

    def _merge(self) -> None:
        half = self._most // 2
        self.widened_s = self.width_s * self._most
        for name, column in self.sums.items():
            merged = np.zeros(self._most)
            merged[:half] = column[0::2] + column[1::2]
            self.sums[name] = merged
        for name, column in self.levels.items():
            merged = np.full(self._most, np.nan)
            merged[:half] = np.where(np.isnan(column[1::2]), column[0::2], column[1::2])
            self.levels[name] = merged
        self.width_s *= 2
        self.generation += 1
