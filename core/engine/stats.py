"""Prefix cache statistics: lifetime, the last 1,000 requests, resumed requests apart.

The engine keeps one of them; another one, fed with the request events of its log, holds the same sums. All
counts in tokens except ``requests``. One hit rate is one definition (docs/metrics.md): here hit tokens /
query tokens of admitted requests that did a look-up, as vLLM counts (rules 44-46).
"""

from __future__ import annotations

from collections import deque
from typing import TypedDict

from core.engine.events import CacheReset, ClockAdvanced, Event, RequestAdmitted

WINDOW_REQUESTS = 1000
"""Requests that vLLM's logged "Prefix cache hit rate" looks back on."""

Sums = tuple[int, int, int]


class Totals(TypedDict):
    """Everything that is summed up since the beginning, as a frame shows it. Tokens: queries, hits, and what
    the model computed: of prompts, of answers (decoded), again (recomputed). Blocks: stored, evicted. The
    rest are counts."""

    requests: int
    queries: int
    hits: int
    computed: int
    decoded: int
    recomputed: int
    preempted: int
    stored: int
    evicted: int


class Statistics:
    """vLLM's ``PrefixCacheStats`` and the ``CachingMetrics`` that are made of them. Ask any time.

    >>> statistics = Statistics()
    >>> statistics.count(num_tokens=16, hit_tokens=12)
    >>> statistics.window, statistics.hit_rate
    ((1, 16, 12), 0.75)
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

    # -- counting: O(1) each, amortised ---------------------------------------------------------------

    def add(self, event: Event) -> None:
        """Take one event of a log into account; they come in order."""
        match event:
            case ClockAdvanced():
                self.begin_command()
            case RequestAdmitted(counted=True):
                self.count(event.num_tokens, event.hit_tokens)
            case RequestAdmitted(resumed=True, looked_up=True):
                self.count_resumed(event.num_tokens, event.hit_tokens)
            case CacheReset(ok=True):
                self.reset()

    def begin_command(self) -> None:
        """What is counted from now on is one entry of the window."""
        self._entry_open = False

    def count(self, num_tokens: int, hit_tokens: int) -> None:
        """A request was admitted after a look-up (rule 44)."""
        one = (1, num_tokens, hit_tokens)
        self._lifetime = _sum(self._lifetime, one)
        self._window = _sum(self._window, one)
        if self._entry_open:
            self._entries[-1] = _sum(self._entries[-1], one)
        else:
            self._entries.append(one)
            self._entry_open = True
        self._drop_old()

    def count_resumed(self, num_tokens: int, hit_tokens: int) -> None:
        """A preempted request was admitted again after a look-up (rule 45)."""
        self._preempted = _sum(self._preempted, (1, num_tokens, hit_tokens))

    def reset(self) -> None:
        """The cache was reset: the window is empty, the sums since the beginning go on (rule 46)."""
        self._entries.clear()
        self._entry_open = False
        self._window = (0, 0, 0)

    def _drop_old(self) -> None:
        """vLLM drops whole steps from the old end while more than the window is left, but never the last."""
        while self._window[0] > self._window_requests and len(self._entries) > 1:
            requests, queries, hits = self._entries.popleft()
            self._window = _sum(self._window, (-requests, -queries, -hits))


def _sum(left: Sums, right: Sums) -> Sums:
    return (left[0] + right[0], left[1] + right[1], left[2] + right[2])
