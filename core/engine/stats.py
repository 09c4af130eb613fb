"""Prefix cache statistics, folded from request events: lifetime, the last 1,000 requests, resumed apart.

Read side. All counts in tokens except ``requests``. One hit rate is one definition (docs/metrics.md): here
hit tokens / query tokens of admitted requests that did a look-up, as vLLM counts (rules 44-46).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from core.engine.events import CacheReset, ClockAdvanced, Event, RequestAdmitted

WINDOW_REQUESTS = 1000
"""Requests that vLLM's logged "Prefix cache hit rate" looks back on."""

Sums = tuple[int, int, int]


class Statistics:
    """Feed it events in order; ask any time.

    >>> Statistics().window
    (0, 0, 0)
    """

    def __init__(self, window_requests: int = WINDOW_REQUESTS) -> None:
        self._window_requests = window_requests
        self._entries: deque[Sums] = deque()  # one per command that admitted anybody
        self._entry_open = False
        self._window: Sums = (0, 0, 0)
        self._lifetime: Sums = (0, 0, 0)
        self._preempted: Sums = (0, 0, 0)

    @property
    def window(self) -> Sums:
        """(requests, query tokens, hit tokens) of the most recent requests; emptied by a reset."""
        return self._window

    @property
    def lifetime(self) -> tuple[int, int]:
        """(query tokens, hit tokens) since the beginning; never reset."""
        return self._lifetime[1:]

    @property
    def num_requests(self) -> int:
        """Requests counted since the beginning."""
        return self._lifetime[0]

    @property
    def preempted(self) -> tuple[int, int]:
        """(query tokens, hit tokens) of resumed requests, kept apart (rule 45)."""
        return self._preempted[1:]

    @property
    def hit_rate(self) -> float | None:
        """Lifetime hit tokens / query tokens, from 0 to 1; None before the first request."""
        _, queries, hits = self._lifetime
        return hits / queries if queries else None

    def add(self, event: Event) -> None:
        """Take one event into account. O(1) amortised."""
        if isinstance(event, ClockAdvanced):
            self._close_entry()
        elif isinstance(event, RequestAdmitted):
            self._admit(event)
        elif isinstance(event, CacheReset) and event.ok:
            self._entries.clear()
            self._entry_open = False
            self._window = (0, 0, 0)

    def add_all(self, events: Iterable[Event]) -> Statistics:
        """Take many events into account; returns itself."""
        for event in events:
            self.add(event)
        return self

    def _admit(self, event: RequestAdmitted) -> None:
        one = (1, event.num_tokens, event.hit_tokens)
        if event.resumed and event.looked_up:
            self._preempted = _sum(self._preempted, one)
        if not event.counted:
            return
        self._lifetime = _sum(self._lifetime, one)
        self._window = _sum(self._window, one)
        if self._entry_open:
            self._entries[-1] = _sum(self._entries[-1], one)
        else:
            self._entries.append(one)
            self._entry_open = True
        self._drop_old()

    def _close_entry(self) -> None:
        self._entry_open = False

    def _drop_old(self) -> None:
        """vLLM drops whole steps from the old end while more than the window is left, but never the last."""
        while self._window[0] > self._window_requests and len(self._entries) > 1:
            requests, queries, hits = self._entries.popleft()
            self._window = _sum(self._window, (-requests, -queries, -hits))


def _sum(left: Sums, right: Sums) -> Sums:
    return (left[0] + right[0], left[1] + right[1], left[2] + right[2])
