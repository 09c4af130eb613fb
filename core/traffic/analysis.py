"""One log under one setting: everything the page and the report show, computed once.

Hits come from the fast replay where it equals the engine, else from the engine (requests in flight);
``way`` says which. Only requests with identity take part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.cost import CostModel, Figure, Prices
from core.replay.curve import CapacityCurve, capacity_curve
from core.replay.held_blocks import PeakBlocks, peak_blocks
from core.replay.hit_definitions import HitRate, hit_rates
from core.replay.prefix_tree import PrefixTree, Progress, build_tree, part_of
from core.replay.replay import replay
from core.replay.runs import ReplayResult, replay_runs
from core.traces.model import Trace, TraceRequest
from core.traffic.misses import Miss, find_misses
from core.traffic.settings import Settings, cuts_blocks, room_for_all
from core.types import EngineConfig

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Analysis:
    """``hits``: hit tokens per request; ``roomy``: with room for everything; ``possible``: with no time to
    live either. Rates are by vLLM's rule. ``start_s``: when the log begins. ``lower_bound``: blocks of the
    log are cut, and what differs inside one counts from its first token: every rate may be higher in
    truth."""

    settings: Settings
    name: str
    requests: tuple[TraceRequest, ...]
    tree: PrefixTree
    curve: CapacityCurve
    definitions: tuple[HitRate, ...]
    result: ReplayResult
    roomy: Ints
    possible: Ints
    start_s: float | None = None
    lower_bound: bool = False

    @property
    def hits(self) -> Ints:
        """Hit tokens per request."""
        return self.result.hit_tokens

    @property
    def lengths(self) -> Ints:
        """Prompt tokens per request."""
        return self.result.num_tokens

    @property
    def hit_rate(self) -> float | None:
        """Hit tokens / prompt tokens of the requests that were admitted."""
        return self.result.hit_rate

    @property
    def best_rate(self) -> float:
        """The same with room for everything and no time to live."""
        return int(self.possible.sum()) / max(int(self.lengths.sum()), 1)

    @property
    def num_slots(self) -> int:
        """Usable slots of this setting."""
        return self.settings.slots_for(self.tree)


def analyse(trace: Trace, settings: Settings, progress: Progress | None = None) -> Analysis:
    """Build the tree, replay, measure.

    Raises:
        TraceError: no request has identity, the log cannot be cut into such blocks, or a time to live is
        asked
            for and not every request has a time.
    """
    requests = trace.with_identity()
    tree = build_tree(requests, settings.block_size, progress=part_of(progress, 0, 3))
    size = settings.block_size
    full = np.minimum(tree.matched, (np.array(tree.num_tokens, np.int64) - 1) // size)
    possible = np.asarray(full * size, np.int64)
    curve = capacity_curve(tree, part_of(progress, 1, 3), ttl=settings.ttl)
    result = replayed(requests, tree, settings, part_of(progress, 2, 3))
    return Analysis(
        settings,
        trace.name,
        requests,
        tree,
        curve,
        hit_rates(tree),
        result,
        _with_room(requests, tree, settings, result.hit_tokens, possible),
        possible,
        trace.start_s,
        cuts_blocks(trace, settings.block_size),
    )


def _with_room(
    requests: Sequence[TraceRequest], tree: PrefixTree, settings: Settings, hits: Ints, possible: Ints
) -> Ints:
    """Hits with room for everything, at the same time to live."""
    if settings.ttl_s is None:
        return possible
    return (
        hits
        if settings.num_slots is None
        else replay_runs(tree, room_for_all(tree), ttl=settings.ttl).hit_tokens
    )


def replayed(
    requests: Sequence[TraceRequest], tree: PrefixTree, settings: Settings, progress: Progress | None = None
) -> ReplayResult:
    """The log through one cache: fast where that is exact.

    Raises:
        TraceError: a time to live for a log without times.
    """
    ttl, slots = settings.ttl, slots_of(tree, settings)
    if settings.in_flight == 1:
        return replay_runs(tree, slots, progress, ttl=ttl)
    if ttl is not None:
        tree.check_times()
    config = EngineConfig(settings.block_size, slots + 1, ttl=ttl)  # it makes each of them
    return replay(
        requests, config, in_flight=settings.in_flight, count_evicted=ttl is not None, progress=progress
    )


def slots_of(tree: PrefixTree, settings: Settings) -> int:
    """The same as ``Settings.slots_for``, never more than is of any use."""
    return min(settings.slots_for(tree), room_for_all(tree, settings.in_flight))


def misses_of(analysis: Analysis, progress: Progress | None = None) -> list[Miss]:
    """Why each request of the log reused no more."""
    return find_misses(
        analysis.requests,
        analysis.tree,
        analysis.hits.tolist(),
        admitted=analysis.result.admitted.tolist(),
        ttl_s=analysis.settings.ttl_s,
        progress=progress,
    )


# -- savings -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Saved:
    """What the hits of a log save; seconds and money by the hour are modelled, each prompt on an idle GPU.
    ``linear_ratio``: what counting tokens promises; ``ratio``: what the model says."""

    tokens: Figure
    gpu_seconds: Figure
    share: float
    linear_share: float
    money_by_hour: Figure
    money_by_token: Figure


def savings(analysis: Analysis, cost: CostModel, prices: Prices) -> Saved:
    """Money and seconds. Equal (length, hit) pairs are modelled once."""
    pairs, counts = np.unique(np.stack([analysis.lengths, analysis.hits]), axis=1, return_counts=True)
    full = hit = 0.0
    for (length, reused), count in zip(pairs.T.tolist(), counts.tolist(), strict=True):
        times = cost.compare(length, reused)
        full += count * times.full_s
        hit += count * times.hit_s
    tokens = int(analysis.hits.sum())
    return Saved(
        Figure(tokens, "tokens", "counted", "formula.saved_tokens"),
        Figure(full - hit, "s", "modelled", "formula.saved_s"),
        (full - hit) / full if full else 0.0,
        tokens / max(int(analysis.lengths.sum()), 1),
        prices.of_gpu_time(full - hit, cost.num_gpus),
        prices.of_cached_tokens(tokens),
    )


def held(analysis: Analysis, hold_s: float | None = None) -> PeakBlocks:
    """Most slots held at once: by all requests together, or where each holds its blocks for ``hold_s``."""
    arrivals = analysis.tree.arrivals_s
    if hold_s is None or arrivals is None:
        return peak_blocks(analysis.tree)
    return peak_blocks(analysis.tree, arrivals, [arrival + hold_s for arrival in arrivals])


# -- over time -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some requests in a row: the first one's number, when it begins (seconds, or the number), the rate."""

    first: int
    begins: float
    num_requests: int
    hit_tokens: int
    num_tokens: int

    @property
    def rate(self) -> float:
        """Hit tokens / prompt tokens of these requests."""
        return self.hit_tokens / max(self.num_tokens, 1)


def over_time(analysis: Analysis, count: int = 40) -> tuple[Stretch, ...]:
    """The log in up to ``count`` stretches of equally many requests."""
    arrivals = analysis.tree.arrivals_s
    total = analysis.tree.num_requests
    edges = np.unique(np.linspace(0, total, min(count, total) + 1).round().astype(int)).tolist()
    found = []
    for begin, end in pairwise(edges):
        begins = float(begin) if arrivals is None else arrivals[begin]
        hits, tokens = int(analysis.hits[begin:end].sum()), int(analysis.lengths[begin:end].sum())
        found.append(Stretch(begin, begins, end - begin, hits, tokens))
    return tuple(found)
