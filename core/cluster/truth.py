"""What caches hold, what all of them together could hold, and how a router's belief differs from the
former."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from core.cluster.router import Mark
from core.engine.engine import Engine
from core.types import BlockHash

Difference = Literal["unknown", "agrees", "headless", "over_capacity", "stale", "head_lost", "never_told"]
DIFFERENCES: tuple[Difference, ...] = (
    "unknown", "agrees", "headless", "over_capacity", "stale", "head_lost", "never_told",
)  # fmt: skip
"""unknown: the router has no idea of caches. It believes too much: headless, for it counts later blocks
although it knows that the first is gone; over_capacity, for it believes more of this worker than its pool
can hold; stale, for what it once learnt was evicted since. It believes too little: head_lost, for its index
dropped the first block and kept later ones; never_told, for it did not learn it, or has dropped it all."""


def held_blocks(engine: Engine, chain: Sequence[BlockHash], num_tokens: int) -> int:
    """Blocks that a prompt would hit if it were let in now; the last token is always computed (rule 20)."""
    carried = engine.view.is_cached
    most = (num_tokens - 1) // engine.config.block_size
    return next((at for at, digest in enumerate(chain[:most]) if not carried(digest)), min(most, len(chain)))


class Available:
    """All reuse there is: one cache without end for everybody, in which a request's blocks lie, its
    answer's too, as soon as the request has been sent. No placement hits more: on every worker who came
    earlier is let in earlier. O(blocks) a request."""

    def __init__(self, block_size: int) -> None:
        self._size = block_size
        self._seen: set[BlockHash] = set()

    def tokens(self, chain: Sequence[BlockHash], num_tokens: int) -> int:
        """Tokens that such a prompt could reuse, at most all but one."""
        most = min((num_tokens - 1) // self._size, len(chain))
        seen = self._seen
        return self._size * next((at for at in range(most) if chain[at] not in seen), most)

    def add(self, chain: Iterable[BlockHash]) -> None:
        """A request has been sent."""
        self._seen.update(chain)


def difference(
    believed: int | None, held: int, mark: Mark, believed_total: int | None, capacity: int
) -> Difference:
    """One kind. All in tokens, the belief in whole blocks of the engine."""
    if believed is None:
        return "unknown"
    if believed == held:
        return "agrees"
    if believed > held:
        if mark == "headless":
            return "headless"
        return "over_capacity" if believed_total is not None and believed_total > capacity else "stale"
    return "head_lost" if mark == "head_lost" else "never_told"
