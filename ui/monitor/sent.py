"""What of a run the browser may lack. Pure.

A busy browser draws the last of several messages and never sees the others. So each message holds all that
the last few held too; a browser that missed more than these asks for everything.
"""

from __future__ import annotations

AGAIN, MOST_AGAIN = 8, 128


class Sent:
    """How far the last messages reached, as (generation, number of bins). ``again``: how many of them may be
    lost without a trace. That many come whole after new bins, after merged ones, and when asked; each time a
    browser asks it is twice as many, for its line is worse than was thought."""

    def __init__(self) -> None:
        self.again = AGAIN
        self._reached: list[tuple[int, int]] = []

    def forget(self) -> None:
        """What was drawn may be gone: the next messages hold everything."""
        self._reached.clear()

    def asked(self) -> None:
        """The browser lacks bins."""
        self.again = min(2 * self.again, MOST_AGAIN)
        self.forget()

    def since(self, generation: int, num_bins: int) -> int:
        """The first bin of the message that goes out now, with so many bins. 0: it is whole."""
        oldest = self._reached[0] if len(self._reached) >= self.again else (generation, 0)
        self._reached = [*self._reached, (generation, num_bins)][-self.again :]
        return oldest[1] if oldest[0] == generation else 0
