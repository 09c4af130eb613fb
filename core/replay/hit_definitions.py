"""Six hit rates of one log, each called "the hit rate" somewhere. Infinite cache, one run, arithmetic kept.

They differ in what they count (tokens, blocks, requests' own ratios), in whether the last block, not full,
counts, and in which requests. Only ``tokens_full`` is what vLLM reports: full blocks, at most n - 1 tokens of
a prompt of n. The others count what stood in the log before; where the log does not name the last blocks,
those count as never seen. None can exceed 100 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.replay.prefix_tree import PrefixTree

Name = Literal[
    "blocks", "tokens_full", "tokens_tail", "full_blocks", "mean_of_ratios", "last_half", "last_half_full"
]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HitRate:
    """hits / total, in the definition's own unit: tokens, blocks, or requests for the mean of ratios."""

    name: Name
    hits: float
    total: int

    @property
    def rate(self) -> float | None:
        """From 0 to 1; None where there is nothing to count."""
        return self.hits / self.total if self.total else None


def hit_rates(tree: PrefixTree) -> tuple[HitRate, ...]:
    """The six rates, in the order of their names, then the last half once more by vLLM's rule.

    ``blocks``: all blocks, last ones included. ``tokens_full``: tokens in full blocks (vLLM's rule).
    ``tokens_tail``: tokens, those of the last block included. ``full_blocks``: full blocks among full blocks.
    ``mean_of_ratios``: the mean of each request's ratio of blocks, last one included. ``last_half``: as
    ``tokens_tail``, over the later half of the requests, when the cache is warm.
    """
    size = tree.block_size
    tokens = np.array(tree.num_tokens, np.int64)
    tail = np.array(tree.tail_matched, np.int64)
    full = np.array(tree.matched, np.int64)
    found = full + tail
    blocks = -(-tokens // size)
    usable = np.minimum(full, (tokens - 1) // size) * size
    found_tokens = np.minimum(found * size, tokens)
    half = len(tokens) // 2
    return (
        _ratio("blocks", found, blocks),
        _ratio("tokens_full", usable, tokens),
        _ratio("tokens_tail", found_tokens, tokens),
        _ratio("full_blocks", full, tokens // size),
        HitRate("mean_of_ratios", float((found / blocks).sum()), len(tokens)),
        _ratio("last_half", found_tokens[half:], tokens[half:]),
        _ratio("last_half_full", usable[half:], tokens[half:]),
    )


def _ratio(name: Name, hits: Ints, total: Ints) -> HitRate:
    return HitRate(name, int(hits.sum()), int(total.sum()))
