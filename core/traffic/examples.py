"""Which request a point of a chart leads to: one that shows what the point is about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.replay.curve import CapacityCurve
from core.replay.prefix_tree import PrefixTree, ticks_of
from core.traffic.analysis import Analysis

Ints = NDArray[np.int64]


def loses_most(analysis: Analysis, curve: CapacityCurve, slots: int) -> int:
    """The request that with so many slots (LRU) misses most of what the log would allow it."""
    hits = curve.hits_at(max(slots, curve.first)) * curve.block_size
    return int(np.argmax(analysis.possible - hits))


def gains_least(hits: Sequence[Ints]) -> list[int]:
    """For each setting the request that is furthest behind its own best among all the settings."""
    best = np.max(np.stack(list(hits)), axis=0)
    return [int(np.argmax(best - one)) for one in hits]


def after_pauses(tree: PrefixTree, pauses_s: Sequence[float]) -> list[int]:
    """For each pause the request that comes back to most blocks after just that long, or nearly: with any
    shorter idle time to live it would lose them.

    Raises:
        TraceError: the log has no times.
    """
    used_at: dict[int, int] = {}
    found: dict[tuple[int, int], int] = {}
    for request, now in enumerate(tree.arrival_ticks):
        for run in tree.paths[request]:
            if run in used_at:
                key = (now - used_at[run], request)
                found[key] = found.get(key, 0) + tree.length[run]
            used_at[run] = now
    rows = sorted((pause, blocks, request) for (pause, request), blocks in found.items())
    times = np.array([pause for pause, _, _ in rows])
    places = np.searchsorted(times, [ticks_of(pause) for pause in pauses_s], side="right") - 1
    return [rows[max(int(place), 0)][2] if rows else 0 for place in places]
