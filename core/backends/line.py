"""The line in front of the one clock: one measures, the others wait and know for how long.

Two measurements at once would disturb each other, so there is one place at the clock. Who is next:

* first come, first served among the short ones (up to ``SHORT_S``), and they go before the long ones;
* a long one lets the short ones in between two of its runs (``let_others``), where nothing is lost: each run
  has warm-ups of its own, and a run is never cut in two;
* after ``PATIENCE`` short ones in a row the first long one has a run, then the short ones go on.

So a short one waits for a run of one long measurement, however many of those stand in line, and a long one
always goes on: nobody waits for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial

from core.backends.progress import Cancelled, never_cancelled, stopped

SHORT_S = 10.0
"""What is expected to take no longer goes first: the chat, one question, one small experiment."""

PATIENCE = 3
"""Short ones in a row while a long one waits."""

LOOK_S = 0.1
"""Seconds between two looks whether who waits is still there."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody stands in line: how many come before, who measures now included, and about how many
    seconds those will take on a quiet machine."""

    ahead: int
    wait_s: float


Told = Callable[[Place | None], None]
"""Told the place while one waits, and None as soon as the clock is there."""


class Turn:
    """One measurement in line, or at the clock. ``fraction``: how much of it is done, told by its work."""

    def __init__(self, expected_s: float, told: Told) -> None:
        self.expected_s = expected_s
        self.fraction = 0.0
        self.told = told

    @property
    def short(self) -> bool:
        """Whether it goes before the long ones."""
        return self.expected_s <= SHORT_S

    @property
    def rest_s(self) -> float:
        """Seconds that it will still take."""
        return self.expected_s * max(0.0, 1 - self.fraction)


_AT_CLOCK: ContextVar[Callable[[], None] | None] = ContextVar("at_clock", default=None)
"""Of the thread that measures: how it lets others in."""


class Line:
    """One per server, like the clock. Safe between threads; ``turn`` belongs on the thread that measures."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._waiting: list[Turn] = []
        self._now: Turn | None = None
        self._in_a_row = 0
        """Short ones that went before a long one since the last of those was at the clock."""

    @contextmanager
    def turn(
        self, expected_s: float, told: Told, cancelled: Cancelled, gone: Cancelled = never_cancelled
    ) -> Iterator[Turn]:
        """Wait for the clock and hold it. ``cancelled``: shall it stop waiting; ``gone``: shall it even where
        it has measured already and lets others in (who is only told to stop keeps what was measured).

        Raises:
            BackendError: stopped while waiting; the place in line is free again.
        """
        mine = Turn(expected_s, told)
        self._wait(mine, cancelled, first=False)
        known = _AT_CLOCK.set(partial(self._give_way, mine, gone))
        try:
            yield mine
        finally:
            _AT_CLOCK.reset(known)
            self._leave(mine)

    def _give_way(self, mine: Turn, gone: Cancelled) -> None:
        with self._change:
            if mine.short or not any(turn.short for turn in self._waiting):
                return
        self._leave(mine)
        self._wait(mine, gone, first=True)

    def _wait(self, mine: Turn, cancelled: Cancelled, *, first: bool) -> None:
        with self._change:
            self._waiting.insert(0 if first else len(self._waiting), mine)
            try:
                while self._now is not None or self._order()[0] is not mine:
                    mine.told(self._place(mine))
                    self._change.wait(LOOK_S)
                    if cancelled():
                        raise stopped()
                self._now = mine
                longs = any(not turn.short for turn in self._waiting)
                self._in_a_row = self._in_a_row + 1 if mine.short and longs else 0
            finally:
                self._waiting.remove(mine)
                self._change.notify_all()
        mine.told(None)

    def _leave(self, mine: Turn) -> None:
        with self._change:
            if self._now is mine:
                self._now = None
            self._change.notify_all()

    def _order(self) -> list[Turn]:
        """Who waits, the next first; in each of the two kinds by arrival."""
        short = [turn for turn in self._waiting if turn.short]
        long = [turn for turn in self._waiting if not turn.short]
        order: list[Turn] = []
        in_a_row = self._in_a_row
        while short or long:
            takes_short = bool(short) and (not long or in_a_row < PATIENCE)
            order.append((short if takes_short else long).pop(0))
            in_a_row = in_a_row + 1 if takes_short else 0
        return order

    def _place(self, mine: Turn) -> Place:
        order = self._order()
        before = ([self._now] if self._now else []) + order[: order.index(mine)]
        return Place(len(before), sum(turn.rest_s for turn in before))


def let_others() -> None:
    """Between two runs of a measurement that stand for themselves: a long one lets short ones go first. Does
    nothing where no clock is held, as in tests and benchmarks.

    Raises:
        BackendError: who measured is gone.
    """
    give_way = _AT_CLOCK.get()
    if give_way is not None:
        give_way()
