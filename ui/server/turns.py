"""Long computing of all visitors takes turns: one piece at a time, whoever has waited longest first.

Threads of one Python process share one lock, so ten visitors' computing side by side is no faster than in
turn, but a page that somebody opens meanwhile would get an eleventh of the processor instead of half. What is
computed for long in the background (a decision sheet, a load made again) goes through here; answers do not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

PIECE_S = 0.05
"""Real seconds that a turn should take at most: then somebody else may."""


class Turns:
    """A line of those who want to compute."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._line: deque[Event] = deque()
        self._taken = False

    @property
    def num_waiting(self) -> int:
        """How many stand in the line."""
        return len(self._line)

    @contextmanager
    def turn(self, patience_s: float) -> Iterator[bool]:
        """A turn, as long as the block lasts. False: it has not come within so many seconds."""
        mine = self._take(patience_s)
        try:
            yield mine
        finally:
            if mine:
                self._give()

    def _take(self, patience_s: float) -> bool:
        with self._lock:
            if not self._taken:
                self._taken = True
                return True
            called = Event()
            self._line.append(called)
        if called.wait(max(patience_s, 0.0)):
            return True
        with self._lock:
            if called.is_set():  # in the same moment
                return True
            self._line.remove(called)
        return False

    def _give(self) -> None:
        with self._lock:
            if self._line:
                self._line.popleft().set()
            else:
                self._taken = False


TURNS = Turns()
"""Of this server."""
