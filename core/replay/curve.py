"""The capacity curve: hit rate at every cache size, exactly, in one pass over a log.

Read side: works on a ``PrefixTree`` alone. Under LRU a smaller cache always holds a part of what a larger
one holds, so each block of each prompt has one number, its stack distance: how many different blocks stand
behind it in the free queue when it is asked for again. A request counts as one access and lets go of its
blocks tail first, so all blocks last used by one earlier request are one stretch of numbers, and a Fenwick
tree over the requests counts what lies behind the stretch.

Capacity is usable slots (vLLM's pool has one more, the null block), from the largest prompt upward: a
smaller pool would refuse it. A last block that is not full takes a slot while it is computed and leaves it
without content, so the next request finds one cached block less: with P slots a block is hit if its
distance is at most P - 1 after a prompt that ended in such a block, at most P after one that did not
(distances count the block itself). This equals the engine on every request, unless a prompt that ends
exactly at a block's end comes again while all of it is cached: then the engine keeps a copy of its last
block, which no stack distance knows. ``num_repeats`` counts those; ``measure`` says what they change.

With an idle time to live a block is hit if its distance allows it and its pause does: whatever was used
after a block that is still alive is alive itself, so what expires changes no distance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import TraceError
from core.replay.prefix_tree import TELL_EVERY, PrefixTree, Progress, part_of
from core.replay.runs import num_expired, replay_runs

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CapacityCurve:
    """Hits at every capacity from ``first`` (slots of the largest prompt) to ``last`` (nothing is gained
    beyond it). ``hit_blocks[i]``: full blocks hit by the whole log with ``first + i`` usable slots.

    The stretches say it per request: of request ``request[k]``, ``count[k]`` blocks in a row are hit from
    ``need[k]``, ``need[k] + 1``, … slots upward. ``ttl``: the idle time to live in ticks, None without one.
    """

    block_size: int
    num_tokens: int
    first: int
    hit_blocks: Ints
    num_requests: int
    num_repeats: int
    request: Ints
    need: Ints
    count: Ints
    ttl: int | None = None

    @property
    def last(self) -> int:
        """The capacity from which on more slots change nothing."""
        return self.first + len(self.hit_blocks) - 1

    @property
    def exact(self) -> bool:
        """Whether the curve equals the engine on every request, at every capacity."""
        return self.num_repeats == 0

    @property
    def capacities(self) -> Ints:
        """Usable slots, one per entry of ``rates``."""
        return np.arange(self.first, self.last + 1, dtype=np.int64)

    @property
    def rates(self) -> NDArray[np.float64]:
        """Hit tokens / prompt tokens (vLLM's rule), from 0 to 1, one per capacity; never falling."""
        return np.asarray(self.hit_blocks * self.block_size / max(self.num_tokens, 1), np.float64)

    def rate_at(self, num_usable: int) -> float:
        """The hit rate with so many usable slots.

        Raises:
            TraceError: fewer slots than the largest prompt needs.
        """
        self._check(num_usable)
        return float(self.rates[min(num_usable, self.last) - self.first])

    def hits_at(self, num_usable: int) -> Ints:
        """Full blocks hit by each request with so many usable slots.

        Raises:
            TraceError: fewer slots than the largest prompt needs.
        """
        self._check(num_usable)
        hits = np.clip(num_usable - self.need + 1, 0, self.count)
        return np.bincount(self.request, hits, self.num_requests).astype(np.int64)

    def enough_for(self, rate: float) -> int | None:
        """The smallest capacity with at least this hit rate; None if no capacity reaches it."""
        place = int(np.searchsorted(self.rates, rate - 1e-12))
        return self.first + place if place < len(self.hit_blocks) else None

    def cliff(self) -> tuple[int, int] | None:
        """(c, 2c): the doubling of the capacity that gains most, or None if no capacity gains anything."""
        half = np.minimum(self.capacities * 2, self.last) - self.first
        gains = self.hit_blocks[half] - self.hit_blocks
        place = int(gains.argmax())
        return (self.first + place, 2 * (self.first + place)) if gains[place] > 0 else None

    def _check(self, num_usable: int) -> None:
        if num_usable < self.first:
            message = (
                f"The curve begins at {self.first} slots, which the largest prompt needs; "
                f"{num_usable} are fewer. Ask for {self.first} or more."
            )
            raise TraceError("trace.capacity", message, capacity=num_usable, first=self.first)


def capacity_curve(
    tree: PrefixTree, progress: Progress | None = None, *, ttl: int | None = None
) -> CapacityCurve:
    """The whole curve. O(runs on all paths x log requests), plus one step per different block.

    Raises:
        TraceError: a time to live, and the log has no times.
    """
    distances = _StackDistances(tree, num_expired(tree, ttl))
    for request in range(tree.num_requests):
        distances.access(request)
        if progress is not None and request % TELL_EVERY == 0:
            progress(request, tree.num_requests)
    need = np.array(distances.need, np.int64)
    count = np.array(distances.count, np.int64)
    return CapacityCurve(
        tree.block_size,
        sum(tree.num_tokens),
        tree.largest,
        _hits_from(tree.largest, need, count),
        tree.num_requests,
        num_aligned_repeats(tree),
        np.array(distances.request, np.int64),
        need,
        count,
        ttl,
    )


def num_aligned_repeats(tree: PrefixTree) -> int:
    """Prompts that end at a block's end and stood in the log before, whole: where copies arise."""
    return sum(
        tree.is_aligned(request) and tree.matched[request] == tree.num_full(request)
        for request in range(tree.num_requests)
    )


def _hits_from(first: int, need: Ints, count: Ints) -> Ints:
    """Sum the stretches: one more block from each of need, need + 1, … need + count - 1 slots upward."""
    last = int(max((need + count - 1).max(initial=0), first))
    steps = np.zeros(last + 2, np.int64)
    np.add.at(steps, need, 1)
    np.add.at(steps, need + count, -1)
    hits: Ints = np.cumsum(np.cumsum(steps))[first : last + 1]
    return hits


class _StackDistances:
    """Goes through a log; collects the stretches (request, slots needed by its first block, blocks)."""

    def __init__(self, tree: PrefixTree, num_expired: list[int]) -> None:
        self._tree = tree
        self._num_expired = num_expired
        self._used_at = [-1] * len(tree.length)  # the request that used the run last
        self._behind = [0] * (tree.num_requests + 1)  # Fenwick tree: blocks by their last use
        self._num_seen = 0
        self._tail = 0  # slots without content that the last request left behind
        self.request: list[int] = []
        self.need: list[int] = []
        self.count: list[int] = []

    def access(self, request: int) -> None:
        """One prompt: measure what it finds, then put its whole path on top of the stack."""
        tree, used_at = self._tree, self._used_at
        stretches = self._stretches(request)
        oldest = self._num_expired[request]
        for time, length, never_hit in stretches:
            if length > never_hit and time >= oldest:
                self.request.append(request)
                self.need.append(self._num_later(time) + 1 + self._tail)
                self.count.append(length - never_hit)
        for time, length, _ in stretches:
            self._add(time, -length)
        for run in tree.paths[request]:
            used_at[run] = request
        num_full = tree.num_full(request)
        self._add(request, num_full)
        self._num_seen += num_full - sum(length for _, length, _ in stretches)
        self._tail = 0 if tree.is_aligned(request) else 1

    def _stretches(self, request: int) -> list[tuple[int, int, int]]:
        """(last use, blocks, how many of them are never hit) of what the path finds, head first.

        What an earlier request left of its path is one stretch, and this path takes its beginning.
        """
        tree, used_at, length = self._tree, self._used_at, self._tree.length
        path = tree.paths[request]
        found: list[tuple[int, int, int]] = []
        for run in path:
            time = used_at[run]
            if time < 0:
                return found
            if found and found[-1][0] == time:
                found[-1] = (time, found[-1][1] + length[run], 0)
            else:
                found.append((time, length[run], 0))
        if found and tree.is_aligned(request):  # the last token must be computed
            found[-1] = (found[-1][0], found[-1][1], 1)
        return found

    def _num_later(self, time: int) -> int:
        """Blocks used after request ``time``."""
        place, before = time + 1, 0
        while place:
            before += self._behind[place]
            place &= place - 1
        return self._num_seen - before

    def _add(self, time: int, num_blocks: int) -> None:
        place, size = time + 1, len(self._behind)
        while place < size:
            self._behind[place] += num_blocks
            place += place & -place


@dataclass(frozen=True, slots=True)
class Deviation:
    """The curve beside an exact replay, one entry per capacity: both rates, and how many requests differ."""

    capacities: tuple[int, ...]
    curve_rates: tuple[float, ...]
    exact_rates: tuple[float, ...]
    num_different: tuple[int, ...]

    @property
    def largest(self) -> float:
        """The largest difference of the rates, as a fraction."""
        return max(map(abs, np.subtract(self.curve_rates, self.exact_rates)), default=0.0)


def measure(
    tree: PrefixTree, curve: CapacityCurve, capacities: Sequence[int], progress: Progress | None = None
) -> Deviation:
    """Replay the log exactly at the given capacities and say how far the curve is off.

    Raises:
        TraceError: a capacity below the curve's first.
    """
    exact, different = [], []
    for done, capacity in enumerate(capacities):
        ours = curve.hits_at(capacity)
        now = part_of(progress, done, len(capacities))
        theirs = replay_runs(tree, capacity, now, ttl=curve.ttl).hit_tokens // tree.block_size
        exact.append(int(theirs.sum()) * tree.block_size / max(curve.num_tokens, 1))
        different.append(int((ours != theirs).sum()))
    rates = tuple(curve.rate_at(capacity) for capacity in capacities)
    return Deviation(tuple(capacities), rates, tuple(exact), tuple(different))


def spread(curve: CapacityCurve, count: int) -> tuple[int, ...]:
    """Up to ``count`` capacities over the whole curve, each the same factor above the one before."""
    ends = (max(curve.first, 1), max(curve.last, 1))
    points = np.geomspace(*ends, num=count).round().astype(np.int64)
    return tuple(int(point) for point in np.unique(np.clip(points, curve.first, curve.last)))
