"""Other eviction orders, for comparison and in replays only: LRU, LFU, FIFO, and one that knows the future.

A plain model, block by block: one slot per content, one request at a time, prompts only. A request hits the
cached blocks from its first one on (never the one with its last token), then all its full blocks are cached;
a last block that is not full takes a slot while the request runs. Blocks of the request at hand are never
evicted. Under LRU this gives the engine's hits, unless a prompt that ends at a block's end comes again (the
engine keeps a copy of its last block).

LRU    the block used longest ago goes first
LFU    the block used least often since it was cached; among equals the one used longest ago
FIFO   the block cached longest ago, used or not; parents go before children, which are then out of reach
clairvoyant   the block whose next use is farthest away. It knows the future and evicts block by block: not a
       true optimum for chains, where a block without its parent is worth nothing
Among equals the deeper block goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import accumulate
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.replay.prefix_tree import TELL_EVERY, PrefixTree, Progress

Order = Literal["lru", "lfu", "fifo", "clairvoyant"]
ORDERS: tuple[Order, ...] = ("lru", "lfu", "fifo", "clairvoyant")

Ints = NDArray[np.int64]
Rank = tuple[int, int]
"""What goes first has the smallest rank."""


def order_hits(tree: PrefixTree, num_usable: int, order: Order, progress: Progress | None = None) -> Ints:
    """Hit tokens of each request with ``num_usable`` slots; a request larger than the pool is left out (0).

    O(blocks of all prompts x log slots): for logs of large blocks, or samples.
    """
    cache = _BlockCache(tree, num_usable, order)
    hits = np.zeros(tree.num_requests, np.int64)
    for request in range(tree.num_requests):
        if tree.num_blocks(request) <= num_usable:
            hits[request] = cache.serve(request) * tree.block_size
        if progress is not None and request % TELL_EVERY == 0:
            progress(request, tree.num_requests)
    return hits


class _BlockCache:
    """Contents in slots, and a heap of (rank, block); an entry counts only while it is the block's latest."""

    def __init__(self, tree: PrefixTree, num_usable: int, order: Order) -> None:
        self._tree = tree
        self._num_usable = num_usable
        self._first_block = [0, *accumulate(tree.length)]  # blocks are numbered run by run
        self._rank: dict[int, Rank] = {}  # of every cached block that is not in use
        self._heap: list[tuple[Rank, int]] = []
        self._num_uses: dict[int, int] = {}  # of every cached block
        self._cached_at: dict[int, int] = {}  # of every cached block
        self._next_use = _next_uses(tree, num_usable) if order == "clairvoyant" else []
        rankings: dict[Order, Callable[[int, int, int], int]] = {
            "lru": lambda block, request, place: request,
            "lfu": lambda block, request, place: self._num_uses[block] * tree.num_requests + request,
            "fifo": lambda block, request, place: self._cached_at[block],
            "clairvoyant": lambda block, request, place: -self._next_use[request][place],
        }
        self._ranking = rankings[order]

    def serve(self, request: int) -> int:
        """One request; returns the blocks it hits."""
        tree = self._tree
        path = tree.paths[request]
        blocks = [b for run in path for b in range(self._first_block[run], self._first_block[run + 1])]
        hit = self._look_up(blocks, (tree.num_tokens[request] - 1) // tree.block_size)
        num_cached_before = len(self._cached_at)
        for block in blocks:
            self._rank.pop(block, None)  # in use: out of eviction's sight
            self._cached_at.setdefault(block, request)
            self._num_uses[block] = self._num_uses.get(block, 0) + 1
        num_new = len(self._cached_at) - num_cached_before
        num_tail = tree.num_blocks(request) - len(blocks)
        self._evict(num_cached_before + num_new + num_tail - self._num_usable)
        self._release(request, path)
        return hit

    def _look_up(self, blocks: Sequence[int], limit: int) -> int:
        for place, block in enumerate(blocks[:limit]):
            if block not in self._cached_at:
                return place
        return min(limit, len(blocks))

    def _evict(self, count: int) -> None:
        while count > 0:
            rank, block = heappop(self._heap)
            if self._rank.get(block) == rank:
                del self._rank[block], self._cached_at[block], self._num_uses[block]
                count -= 1

    def _release(self, request: int, path: Sequence[int]) -> None:
        depth = 0
        for place, run in enumerate(path):
            for block in range(self._first_block[run], self._first_block[run + 1]):
                rank = (self._ranking(block, request, place), -depth)
                self._rank[block] = rank
                heappush(self._heap, (rank, block))
                depth += 1


def _next_uses(tree: PrefixTree, num_usable: int) -> list[tuple[int, ...]]:
    """For each request and each run of its path, the next request that uses the run; one past the last if
    none does. Requests that are left out use nothing."""
    after = dict.fromkeys(range(len(tree.length)), tree.num_requests)
    found: list[tuple[int, ...]] = []
    for request in range(tree.num_requests - 1, -1, -1):
        path = tree.paths[request]
        found.append(tuple(after[run] for run in path))
        if tree.num_blocks(request) <= num_usable:
            after.update(dict.fromkeys(path, request))
    found.reverse()
    return found
