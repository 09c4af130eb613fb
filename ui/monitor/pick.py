"""Which request a point of a curve leads to. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.load import LoadRun

_Numbers = NDArray[np.int64]


class Picker:
    """Times sorted once, so that a whole figure can ask.

    Times to first token: of those answered in the bin, the one whose own time is nearest to the curve. Hit
    rates: of those admitted in the bin, the one whose own rate is nearest. Everything else, and bins in
    which nobody was admitted: the last one admitted before the bin's end.
    """

    def __init__(self, run: LoadRun) -> None:
        records, count = run.records, run.records.num_arrived
        self._prompt = records.num_prompt[:count]
        self._arrival = {
            "with": records.cached.arrival_s[:count],
            "without": records.plain.arrival_s[:count],
        }
        self._hit = records.cached.hit[:count]
        self._admitted = _Sorted(records.cached.admitted_s[:count])
        self._first = {
            "with": _Sorted(records.cached.first_s[:count]),
            "without": _Sorted(records.plain.first_s[:count]),
        }

    def at(self, end_s: float, width_s: float, curve: str, value: float | None) -> str | None:
        """The request of the bin (end - width, end], or None."""
        if curve.startswith("ttft"):
            answered = self._first[curve.rpartition("_")[2]].between(end_s - width_s, end_s)
            answered = answered[self._hit[answered] >= 0]  # the stage shows the server with the cache
            waits = self._waits(curve, answered)
            return _nearest(answered, waits, value)
        inside = self._admitted.between(end_s - width_s, end_s)
        if curve.startswith("hit") and value is not None and len(inside):
            return _nearest(inside, self._hit[inside] / self._prompt[inside], value)
        return _name(self._admitted.last_before(end_s))

    def _waits(self, curve: str, numbers: _Numbers) -> NDArray[np.float64]:
        side = curve.rpartition("_")[2]
        waits: NDArray[np.float64] = self._first[side].times[numbers] - self._arrival[side][numbers]
        return waits


class _Sorted:
    """Request numbers in order of a time that not everybody has."""

    def __init__(self, times: NDArray[np.float64]) -> None:
        self.times = times
        known = np.flatnonzero(~np.isnan(times))
        self._numbers: _Numbers = known[np.argsort(times[known], kind="stable")]
        self._ordered = times[self._numbers]

    def between(self, after: float, until: float) -> _Numbers:
        low, high = np.searchsorted(self._ordered, [after, until], side="right")
        return self._numbers[low:high]

    def last_before(self, until: float) -> int | None:
        place = int(np.searchsorted(self._ordered, until, side="right"))
        return int(self._numbers[place - 1]) if place else None


def _nearest(numbers: _Numbers, own: NDArray[np.float64], value: float | None) -> str | None:
    if value is None or not len(numbers):
        return None
    return _name(int(numbers[np.argmin(np.abs(own - value))]))


def _name(number: int | None) -> str | None:
    return None if number is None else f"R{number}"
