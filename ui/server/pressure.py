"""How busy the server is: how long answers waited for their turn, beside the time they were worked on."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from threading import Lock

LOOK_BACK_S = 20.0
FEWEST = 4
"""Answers from which on a median says something."""

BUSY_S = 2.0
"""Seconds of waiting from which on a visitor is told."""


class Pressure:
    """Answers of the last seconds, of everybody. ``clock``: seconds; ``work``: CPU seconds of this thread.

    What an answer took beyond its own CPU time, it waited: for other threads, or for a machine that is busy
    otherwise. An answer that ran all by itself waited for nobody, whatever it took.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, work: Callable[[], float] = time.thread_time
    ) -> None:
        self._clock = clock
        self._work = work
        self._lock = Lock()
        self._waits: deque[tuple[float, float]] = deque(maxlen=500)
        self._running = 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Around the making of one answer."""
        begun, work = self._clock(), self._work()
        with self._lock:
            self._running += 1
            crowd = self._running
        try:
            yield
        finally:
            now = self._clock()
            waited = max(now - begun - (self._work() - work), 0.0)
            with self._lock:
                crowd = max(crowd, self._running)
                self._running -= 1
                self._waits.append((now, waited if crowd > 1 else 0.0))

    @property
    def is_idle(self) -> bool:
        """No answer is being made."""
        return self._running == 0

    def wait_s(self) -> float:
        """Seconds that half of the last answers waited at least; 0 if there were too few to tell."""
        since = self._clock() - LOOK_BACK_S
        with self._lock:
            waits = [waited for when, waited in self._waits if when >= since]
        return median(waits) if len(waits) >= FEWEST else 0.0


PRESSURE = Pressure()
"""Of this server."""
