"""The same log under other settings: block sizes, eviction orders, times to live, requests in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from core.replay.curve import Deviation, capacity_curve, measure, spread
from core.replay.eviction_orders import ORDERS, Order, order_hits
from core.replay.grid import GridPoint, replay_grid
from core.replay.prefix_tree import Progress, build_tree, part_of
from core.replay.ttl_curve import absolute_ttl_hits, held_curve, ttl_curve
from core.traces.model import Trace
from core.traffic.analysis import Analysis, replayed
from core.traffic.examples import gains_least
from core.traffic.settings import Settings, block_sizes, cuts_blocks
from core.types import EngineConfig

MOST_ORDER_BLOCKS = 1_500_000
"""Blocks of all prompts up to which the other eviction orders are computed (a few microseconds each)."""


@dataclass(frozen=True, slots=True)
class SizePoint:
    """One block size: the rate with as many tokens of room as now (``num_slots``), and with room for
    everything and no time to live. ``example``: the request that loses most by this size. ``lower_bound``:
    blocks of the log are cut, so both rates may be higher in truth. ``hits``: tokens of each request."""

    block_size: int
    rate: float
    best_rate: float
    num_slots: int | None = None
    example: int = 0
    lower_bound: bool = False
    hits: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)

    def to_json(self) -> dict[str, object]:
        """As JSON values; what each request hit is left out."""
        return {item.name: getattr(self, item.name) for item in fields(self) if item.name != "hits"}


def sweep_block_sizes(trace: Trace, settings: Settings, progress: Progress | None = None) -> list[SizePoint]:
    """Every size the log can be cut into, and the one that is set; the room in tokens stays the same."""
    requests, sizes = trace.with_identity(), sorted({*block_sizes(trace), settings.block_size})
    found, all_hits = [], []
    for done, size in enumerate(sizes):
        now = part_of(progress, done, len(sizes))
        tree = build_tree(requests, size, progress=part_of(now, 0, 2))
        lengths = np.array(tree.num_tokens, np.int64)
        best = int((np.minimum(tree.matched, (lengths - 1) // size) * size).sum())
        slots = settings.num_slots
        if slots is not None:
            slots = max(slots * settings.block_size // size, tree.largest)
        here = replace(settings, block_size=size, num_slots=slots, in_flight=1)
        hits = replayed(requests, tree, here, part_of(now, 1, 2)).hit_tokens
        total = max(int(lengths.sum()), 1)
        cut = cuts_blocks(trace, size)
        found.append(
            SizePoint(size, int(hits.sum()) / total, best / total, slots, lower_bound=cut, hits=hits)
        )
        all_hits.append(hits)
    return [replace(one, example=at) for one, at in zip(found, gains_least(all_hits), strict=True)]


def deviation_of(analysis: Analysis, count: int = 6, progress: Progress | None = None) -> Deviation | None:
    """How far the curve is from the exact replay at ``count`` capacities; None where it cannot be off."""
    if analysis.curve.exact:
        return None
    return measure(analysis.tree, analysis.curve, spread(analysis.curve, count), progress)


def num_blocks(analysis: Analysis) -> int:
    """Blocks of all prompts together."""
    return sum(analysis.tree.num_blocks(request) for request in range(analysis.tree.num_requests))


def compare_orders(
    analysis: Analysis, count: int = 8, progress: Progress | None = None
) -> dict[Order, list[tuple[int, float]]]:
    """(slots, rate) for each eviction order, over the whole curve. Block by block: only for logs of up to
    ``MOST_ORDER_BLOCKS``, and without a time to live; clairvoyant knows the future and is no true optimum for
    chains."""
    curve = analysis.curve if analysis.curve.ttl is None else capacity_curve(analysis.tree)
    points = spread(curve, count)
    total = max(curve.num_tokens, 1)
    found: dict[Order, list[tuple[int, float]]] = {}
    for done, order in enumerate(ORDERS):
        found[order] = []
        for place, slots in enumerate(points):
            now = part_of(progress, done * len(points) + place, len(points) * len(ORDERS))
            found[order].append((slots, int(order_hits(analysis.tree, slots, order, now).sum()) / total))
    return found


def idle_ttl(analysis: Analysis, most: int = 400) -> list[tuple[float, float]]:
    """(seconds, rate) of the idle-TTL curve with room for everything, thinned to ``most`` points.

    Raises:
        TraceError: the log has no times.
    """
    curve = ttl_curve(analysis.tree)
    places = np.unique(np.linspace(0, max(len(curve.pauses_s) - 1, 0), most).round().astype(int))
    rates = curve.rates
    return [(float(curve.pauses_s[p]), float(rates[p])) for p in places if p < len(rates)]


def held_by_ttl(analysis: Analysis, ttls_s: Sequence[float]) -> list[tuple[float, float]]:
    """(seconds, blocks held on average) at these idle TTLs, with room for everything.

    Raises:
        TraceError: the log has no times.
    """
    curve = held_curve(analysis.tree)
    return [(ttl_s, curve.mean_blocks(ttl_s)) for ttl_s in ttls_s]


def both_ttls(analysis: Analysis, ttl_s: float) -> tuple[float, float]:
    """Hit rates with room for everything if content expires so long after its last use, and if it does so
    after it was computed.

    Raises:
        TraceError: the log has no times.
    """
    absolute = int(absolute_ttl_hits(analysis.tree, ttl_s).sum())
    return ttl_curve(analysis.tree).rate_at(ttl_s), absolute / max(sum(analysis.tree.num_tokens), 1)


def with_pinning(
    analysis: Analysis, in_flight: Sequence[int], count: int = 6, progress: Progress | None = None
) -> dict[int, list[GridPoint]]:
    """The curve where running requests hold their blocks, on the engine, at ``count`` capacities each; at the
    time to live that is set."""
    config = EngineConfig(analysis.settings.block_size, ttl=analysis.settings.ttl)
    found = {}
    for done, number in enumerate(in_flight):
        points = list(spread(analysis.curve, count))
        now = part_of(progress, done, len(in_flight))
        found[number] = replay_grid(
            analysis.requests, config, points, in_flight=number, max_processes=1, progress=now
        )
    return found


def curve_points(analysis: Analysis, most: int = 120) -> list[tuple[int, float]]:
    """(slots, rate) of the exact curve, thinned, the ends and the cliff kept."""
    curve = analysis.curve
    places = set(spread(curve, most))
    cliff = curve.cliff()
    if cliff is not None:
        places |= {min(edge, curve.last) for edge in cliff}
    return [(slots, curve.rate_at(slots)) for slots in sorted(places)]
