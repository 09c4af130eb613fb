"""Hit rate against the time to live of cached content, with room for everything.

Idle TTL: content expires when nobody used it for longer. What survives a short TTL survives a longer one, so
each run of blocks has one number, the pause before its use, and one pass gives every TTL at once. Absolute
TTL: content expires that long after it was computed, used or not; then one block may go before the block
behind it, and every TTL needs a pass of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import TraceError
from core.replay.prefix_tree import PrefixTree

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TtlCurve:
    """Idle TTL. ``pauses_s``: seconds, rising; ``hit_tokens[i]``: hits of the whole log if content lives
    ``pauses_s[i]`` seconds or longer, but not as long as the next."""

    num_tokens: int
    pauses_s: NDArray[np.float64]
    hit_tokens: Ints

    @property
    def rates(self) -> NDArray[np.float64]:
        """Hit tokens / prompt tokens, one per entry of ``pauses_s``; never falling."""
        return np.asarray(self.hit_tokens / max(self.num_tokens, 1), np.float64)

    def rate_at(self, ttl_s: float) -> float:
        """The hit rate if content expires when its age exceeds ``ttl_s``."""
        place = int(np.searchsorted(self.pauses_s, ttl_s, side="right"))
        return float(self.rates[place - 1]) if place else 0.0


def ttl_curve(tree: PrefixTree) -> TtlCurve:
    """The whole curve for idle TTLs. O(runs on all paths).

    Raises:
        TraceError: the log has no times.
    """
    arrivals = _arrivals(tree)
    used_at: list[float | None] = [None] * len(tree.length)
    pauses, tokens = [], []
    for request, now in enumerate(arrivals):
        path = tree.paths[request]
        last = path[-1] if tree.is_aligned(request) else None
        for run in path:
            before = used_at[run]
            if before is not None and run != last:
                pauses.append(max(now - before, 0.0))
                tokens.append(tree.length[run] * tree.block_size)
            used_at[run] = now
    seconds, inverse = np.unique(np.array(pauses, np.float64), return_inverse=True)
    sums = np.bincount(inverse, tokens, len(seconds)).astype(np.int64)
    return TtlCurve(sum(tree.num_tokens), seconds, np.cumsum(sums))


def absolute_ttl_hits(tree: PrefixTree, ttl_s: float) -> Ints:
    """Hit tokens of each request if content expires when it was computed more than ``ttl_s`` seconds ago.

    Raises:
        TraceError: the log has no times.
    """
    computed_at: list[float | None] = [None] * len(tree.length)
    hits = np.zeros(tree.num_requests, np.int64)
    for request, now in enumerate(_arrivals(tree)):
        path = tree.paths[request]
        last = path[-1] if tree.is_aligned(request) else None
        found = True
        for run in path:
            since = computed_at[run]
            found = found and run != last and since is not None and now - since <= ttl_s
            if found:
                hits[request] += tree.length[run] * tree.block_size
            else:
                computed_at[run] = now  # from the first miss on everything is computed anew
    return hits


def _arrivals(tree: PrefixTree) -> list[float]:
    if tree.arrivals_s is None:
        message = "The log has no arrival times, so nothing can expire. Use a log with a time in every row."
        raise TraceError("trace.no_times", message)
    return tree.arrivals_s
