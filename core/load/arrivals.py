"""When requests arrive: a Poisson stream whose rate may rise for a while. Knows nothing of contents."""

from __future__ import annotations

import numpy as np

from core.load.spec import Burst


class Arrivals:
    """Arrival times one by one. The same seed and bursts give the same times, whenever a burst was announced,
    as long as it was announced before its start was reached."""

    def __init__(self, seed: int, rate: float, bursts: tuple[Burst, ...] = ()) -> None:
        self._dice = np.random.default_rng([seed, 1])
        self._rate = rate
        self._bursts = list(bursts)
        self.at_s = 0.0  # of the last arrival

    def add(self, burst: Burst) -> None:
        """Announce a burst that lies ahead."""
        self._bursts.append(burst)

    def next(self) -> float:
        """The time of the next arrival: unit exponential waiting, spent at whatever rate holds meanwhile."""
        left = float(self._dice.exponential())
        now = self.at_s
        while True:
            rate, until = self._rate_at(now)
            if until is None or left <= rate * (until - now):
                self.at_s = now + left / rate
                return self.at_s
            left -= rate * (until - now)
            now = until

    def _rate_at(self, now: float) -> tuple[float, float | None]:
        """The rate from now on, and until when it holds (None: for good)."""
        rate = self._rate
        edges = []
        for burst in self._bursts:
            end = burst.start_s + burst.seconds
            if burst.start_s <= now < end:
                rate *= burst.factor
            edges += [edge for edge in (burst.start_s, end) if edge > now]
        return rate, min(edges, default=None)
