"""When requests arrive: a Poisson stream whose rate may rise for a while. Knows nothing of contents."""

from __future__ import annotations

from collections.abc import Sequence

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
        self.at_s = spent(self.at_s, float(self._dice.exponential()), self._rate, self._bursts)
        return self.at_s


def spent(since_s: float, amount: float, rate: float, bursts: Sequence[Burst]) -> float:
    """When an amount has been spent that goes down by ``rate`` a second, and faster in a burst."""
    left, now = amount, since_s
    while True:
        speed, until = _speed_at(now, rate, bursts)
        if until is None or left <= speed * (until - now):
            return now + left / speed
        left -= speed * (until - now)
        now = until


def _speed_at(now: float, speed: float, bursts: Sequence[Burst]) -> tuple[float, float | None]:
    """The speed from now on, and until when it holds (None: for good)."""
    edges = []
    for burst in bursts:
        end = burst.start_s + burst.seconds
        if burst.start_s <= now < end:
            speed *= burst.factor
        edges += [edge for edge in (burst.start_s, end) if edge > now]
    return speed, min(edges, default=None)
