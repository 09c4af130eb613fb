"""How many slots running requests hold at most, with prefixes shared and without.

Sharing saves room while requests run, not only work: ten users of one 512-token system prompt and 128 tokens
of their own hold 112 blocks of 16 instead of 400. The pool is taken to be large enough for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.replay.prefix_tree import PrefixTree


@dataclass(frozen=True, slots=True)
class PeakBlocks:
    """The largest numbers of slots held at one moment; the two moments may differ."""

    shared: int
    unshared: int


def peak_blocks(
    tree: PrefixTree, begins: Sequence[float] | None = None, ends: Sequence[float] | None = None
) -> PeakBlocks:
    """Request i holds its prompt's blocks from ``begins[i]`` until just before ``ends[i]``; without times all
    run at once. Begins must not fall (the log's order is the order of arrival). O(runs on all paths).
    """
    count = tree.num_requests
    starts = [0.0] * count if begins is None else list(begins)
    stops = [1.0] * count if ends is None else list(ends)
    # Those who end at a moment let go before others begin then.
    moments = [(stops[i], 0, i) for i in range(count) if stops[i] > starts[i]]
    moments += [(starts[i], 1, i) for i in range(count) if stops[i] > starts[i]]
    held = _HeldBlocks(tree)
    peak = PeakBlocks(0, 0)
    for _, begins_now, request in sorted(moments):
        held.change(request, 1 if begins_now else -1)
        peak = PeakBlocks(max(peak.shared, held.shared), max(peak.unshared, held.unshared))
    return peak


class _HeldBlocks:
    """Counts holders per run, and slots."""

    def __init__(self, tree: PrefixTree) -> None:
        self._tree = tree
        self._holders = [0] * len(tree.length)
        self._has_own_last = _computed_again(tree)
        self.shared = 0
        self.unshared = 0

    def change(self, request: int, by: int) -> None:
        """One request begins (+1) or ends (-1)."""
        tree, holders = self._tree, self._holders
        path = tree.paths[request]
        shared_path = path[:-1] if self._has_own_last[request] else path
        for run in shared_path:
            holders[run] += by
            if holders[run] == (1 if by > 0 else 0):
                self.shared += by * tree.length[run]
        num_private = tree.num_blocks(request) - tree.num_full(request) + self._has_own_last[request]
        self.shared += by * num_private
        self.unshared += by * tree.num_blocks(request)


def _computed_again(tree: PrefixTree) -> list[bool]:
    """Whether the prompt ends in a full block that was there before: it computes a copy of its own."""
    return [
        tree.is_aligned(request) and tree.matched[request] == tree.num_full(request)
        for request in range(tree.num_requests)
    ]
