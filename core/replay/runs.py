"""The fast loop: replay a log, one request at a time, through an LRU cache that is stored as runs.

Equal to the engine on every request, hits and evictions, for prompts only, served one after another. It
rests on one fact. A request that finishes puts its path at the back of the free queue, tail first. So the
queue is ordered by (time of last release, deeper first), and of all blocks released last at time t some
later request can only have taken a *beginning* of the path, and eviction only an *end* of it: what is left
is one stretch. Eviction is a finger that walks each old path upwards from its end, once.

Two kinds of slot stand outside the tree. Slots without content (never used, or freed by a last block that
was not full) stand at the front of the queue and are taken first. Copies: a prompt that ends exactly at a
block's end computes its last block again although it is cached; the copy joins the queue at its own place
and serves when the older one is gone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.replay.prefix_tree import NOWHERE, TELL_EVERY, PrefixTree, Progress

Ints = NDArray[np.int64]
Way = Literal["runs", "engine"]


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What a replay gave, one entry per request in each array.

    ``way`` says which code ran: the fast one (runs) or the engine; then ``reasons`` names why, as stable
    codes (core/replay/replay.py). ``admitted``: False where the pool was too small; such a request changes
    nothing and does not count.
    """

    way: Way
    reasons: tuple[str, ...]
    num_tokens: Ints
    hit_tokens: Ints
    evicted_blocks: Ints
    admitted: NDArray[np.bool_]

    @property
    def query_tokens(self) -> int:
        """Prompt tokens of all admitted requests."""
        return int(self.num_tokens[self.admitted].sum())

    @property
    def num_refused(self) -> int:
        """Requests the pool was too small for."""
        return len(self.admitted) - int(self.admitted.sum())

    @property
    def hit_rate(self) -> float | None:
        """Hit tokens / prompt tokens of admitted requests, from 0 to 1; None if nothing was admitted."""
        queries = self.query_tokens
        return int(self.hit_tokens.sum()) / queries if queries else None


def replay_runs(
    tree: PrefixTree, num_usable: int, progress: Progress | None = None, *, ttl: int | None = None
) -> ReplayResult:
    """Replay the whole log with ``num_usable`` slots. O(runs on all paths).

    ``ttl``: content that nobody used for more ticks expires (``PrefixTree.arrival_ticks``); it is not counted
    as evicted.

    Raises:
        TraceError: a time to live, and the log has no times.
    """
    cache = _RunCache(tree, num_usable)
    oldest = num_expired(tree, ttl)
    num_requests = tree.num_requests
    hits, evicted = [0] * num_requests, [0] * num_requests
    admitted = [True] * num_requests
    for request in range(num_requests):
        cache.expire(oldest[request])
        if tree.num_blocks(request) > num_usable:
            admitted[request] = False
        else:
            hits[request], evicted[request] = cache.serve(request)
        if progress is not None and request % TELL_EVERY == 0:
            progress(request, num_requests)
    return ReplayResult(
        "runs",
        (),
        np.array(tree.num_tokens, np.int64),
        np.array(hits, np.int64) * tree.block_size,
        np.array(evicted, np.int64),
        np.array(admitted, np.bool_),
    )


def num_expired(tree: PrefixTree, ttl: int | None) -> list[int]:
    """For each request, how many of the first ones came so long before it that what they used last is gone.

    Raises:
        TraceError: a time to live, and the log has no times.
    """
    if ttl is None:
        return [0] * tree.num_requests
    clock = np.array(tree.arrival_ticks, np.int64)
    return [int(place) for place in np.searchsorted(clock, clock - ttl, side="left")]


class _RunCache:
    """Which beginning of each run is cached, and since which request it stands in the queue."""

    def __init__(self, tree: PrefixTree, num_usable: int) -> None:
        self._tree = tree
        self._num_empty = num_usable  # slots without content, all of them at the front of the queue
        self._kept = [0] * len(tree.length)  # blocks of the run that are cached: always a beginning
        self._time = [-1] * len(tree.length)  # the request that released them last
        self._oldest = 0  # the finger: this request's path is being evicted …
        self._finger = NOWHERE  # … and this run of it is next
        # Copies of a run of one block, beyond the one in _kept: for each run the times of its copies, and
        # all copies in the order of the queue. A copy that has begun to serve leaves only the former.
        self._copies: dict[int, deque[int]] = {}
        self._copy_queue: deque[tuple[int, int]] = deque()

    def serve(self, request: int) -> tuple[int, int]:
        """Look up, take slots, store, release. Returns (blocks hit, blocks evicted)."""
        tree, length, kept, time = self._tree, self._tree.length, self._kept, self._time
        path: Sequence[int] = tree.paths[request]
        aligned = tree.is_aligned(request)
        last = path[-1] if aligned else NOWHERE
        hit = 0
        for run in path:
            if run == last:
                break  # never hit: the last token must be computed
            hit += kept[run]
            if kept[run] < length[run]:
                break
        for run in path:
            # Held from now on, which eviction sees by the time; blocks that were missing come to be stored.
            if run != last:
                kept[run] = length[run]
                time[run] = request
        num_evicted = self._take(tree.num_blocks(request) - hit)
        if aligned:
            self._store_last(last, request)
        else:
            self._num_empty += 1  # the last block, not full: back to the front of the queue
        return hit, num_evicted

    def _take(self, count: int) -> int:
        """Take slots from the front of the queue; returns how many of them had content to forget."""
        num_evicted = max(count - self._num_empty, 0)
        self._num_empty -= count - num_evicted
        left = num_evicted
        while left:
            left -= self._evict_copy() or self._evict_stretch(left)
        return num_evicted

    def expire(self, before: int) -> None:
        """Forget what the requests before number ``before`` used last: it stands at the front of the
        queue."""
        while self._oldest < before:
            self._num_empty += self._evict_copy() or self._evict_stretch(self._tree.num_distinct)

    def _store_last(self, run: int, request: int) -> None:
        """The last block of an aligned prompt has been computed: the only one of its content, or a copy."""
        if self._kept[run]:
            self._copies.setdefault(run, deque()).append(request)
            self._copy_queue.append((request, run))
        else:
            self._kept[run] = 1
            self._time[run] = request

    def _evict_copy(self) -> int:
        """Evict the first copy if it stands before everything in the tree; returns how many, 1 or 0."""
        queue, copies = self._copy_queue, self._copies
        while queue:
            time, run = queue[0]
            if run not in copies or copies[run][0] != time:
                queue.popleft()  # it serves by now and stands in the tree
            elif time <= self._oldest:
                queue.popleft()
                self._drop_first_copy(run)
                return 1
            else:
                return 0
        return 0

    def _drop_first_copy(self, run: int) -> int:
        times = self._copies[run]
        first = times.popleft()
        if not times:
            del self._copies[run]
        return first

    def _evict_stretch(self, most: int) -> int:
        """Evict up to ``most`` blocks from the end of the oldest path, within one run; returns how many."""
        oldest, kept = self._oldest, self._kept
        run = self._tree.end[oldest] if self._finger == NOWHERE else self._finger
        if self._time[run] != oldest:
            self._oldest += 1  # what is left of this path was used again later, or it is the root
            self._finger = NOWHERE
            return 0
        count = min(kept[run], most)
        kept[run] -= count
        self._finger = run
        if kept[run] == 0:
            self._finger = self._tree.parent[run]
            if run in self._copies:  # the next copy serves; what lies above is at least as young
                kept[run] = 1
                self._time[run] = self._drop_first_copy(run)
        return count
