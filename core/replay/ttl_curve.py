"""Hit rate against the time to live of cached content, with room for everything.

Idle TTL: content expires when nobody used it for longer. What survives a short TTL survives a longer one, so
each run of blocks has one number, the pause before its use, and one pass gives every TTL at once. Absolute
TTL: content expires that long after it was computed, used or not; then one block may go before the block
behind it, and every TTL needs a pass of its own.

The clock is the log's, in whole milliseconds (``PrefixTree.arrival_ticks``), as for the engine's replay: both
give the same hits at every TTL, at ties too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.replay.prefix_tree import TICKS_PER_S, PrefixTree, ticks_of

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TtlCurve:
    """Idle TTL. ``pauses``: ticks, rising; ``hit_tokens[i]``: hits of the whole log if content lives
    ``pauses[i]`` ticks or longer, but not as long as the next."""

    num_tokens: int
    pauses: Ints
    hit_tokens: Ints

    @property
    def pauses_s(self) -> NDArray[np.float64]:
        """The pauses in seconds."""
        return np.asarray(self.pauses / TICKS_PER_S, np.float64)

    @property
    def rates(self) -> NDArray[np.float64]:
        """Hit tokens / prompt tokens, one per entry of ``pauses``; never falling."""
        return np.asarray(self.hit_tokens / max(self.num_tokens, 1), np.float64)

    def rate_at(self, ttl_s: float) -> float:
        """The hit rate if content expires when its age exceeds ``ttl_s``."""
        place = int(np.searchsorted(self.pauses, ticks_of(ttl_s), side="right"))
        return float(self.rates[place - 1]) if place else 0.0


@dataclass(frozen=True, slots=True)
class HeldCurve:
    """What an idle TTL costs in memory. ``stays``: ticks, rising; how long content stood unused, until it was
    used again or the log ended. ``num_blocks[i]`` blocks did so for ``stays[i]`` ticks. ``total``: ticks from
    the first request to the last. Each content counts once, whoever reads it."""

    total: int
    stays: Ints
    num_blocks: Ints

    def block_s(self, ttl_s: float) -> float:
        """Blocks x seconds held if content expires when nobody used it for longer: sum of min(stay, TTL)."""
        ttl = ticks_of(ttl_s)
        place = int(np.searchsorted(self.stays, ttl, side="right"))
        short = int((self.stays[:place] * self.num_blocks[:place]).sum())
        return (short + ttl * int(self.num_blocks[place:].sum())) / TICKS_PER_S

    def mean_blocks(self, ttl_s: float) -> float:
        """Blocks held on average between the first request and the last; 0 if all came at one moment."""
        return self.block_s(ttl_s) * TICKS_PER_S / self.total if self.total else 0.0


def held_curve(tree: PrefixTree) -> HeldCurve:
    """Memory against the idle TTL, with room for everything; the other side of ``ttl_curve``.
    O(runs on all paths).

    Raises:
        TraceError: the log has no times.
    """
    ticks = tree.arrival_ticks
    used_at: list[int | None] = [None] * len(tree.length)
    stays: list[int] = []
    blocks: list[int] = []
    for request, now in enumerate(ticks):
        for run in tree.paths[request]:
            before = used_at[run]
            if before is not None:
                stays.append(now - before)
                blocks.append(tree.length[run])
            used_at[run] = now
    end = max(ticks, default=0)
    stays += [end - at for at in used_at if at is not None]
    blocks += [tree.length[run] for run, at in enumerate(used_at) if at is not None]
    different, inverse = np.unique(np.array(stays, np.int64), return_inverse=True)
    sums = np.bincount(inverse, blocks, len(different)).astype(np.int64)
    return HeldCurve(end - min(ticks, default=0), different, sums)


def ttl_curve(tree: PrefixTree) -> TtlCurve:
    """The whole curve for idle TTLs. O(runs on all paths).

    Raises:
        TraceError: the log has no times.
    """
    used_at: list[int | None] = [None] * len(tree.length)
    pauses, tokens = [], []
    for request, now in enumerate(tree.arrival_ticks):
        path = tree.paths[request]
        last = path[-1] if tree.is_aligned(request) else None
        for run in path:
            before = used_at[run]
            if before is not None and run != last:
                pauses.append(now - before)
                tokens.append(tree.length[run] * tree.block_size)
            used_at[run] = now
    different, inverse = np.unique(np.array(pauses, np.int64), return_inverse=True)
    sums = np.bincount(inverse, tokens, len(different)).astype(np.int64)
    return TtlCurve(sum(tree.num_tokens), different, np.cumsum(sums))


def absolute_ttl_hits(tree: PrefixTree, ttl_s: float) -> Ints:
    """Hit tokens of each request if content expires when it was computed more than ``ttl_s`` seconds ago.

    Raises:
        TraceError: the log has no times.
    """
    ttl = ticks_of(ttl_s)
    computed_at: list[int | None] = [None] * len(tree.length)
    hits = np.zeros(tree.num_requests, np.int64)
    for request, now in enumerate(tree.arrival_ticks):
        path = tree.paths[request]
        last = path[-1] if tree.is_aligned(request) else None
        found = True
        for run in path:
            since = computed_at[run]
            found = found and run != last and since is not None and now - since <= ttl
            if found:
                hits[request] += tree.length[run] * tree.block_size
            else:
                computed_at[run] = now  # from the first miss on everything is computed anew
    return hits
