"""BlockManager · 块管理器: the physical blocks (slots) and the one free queue. Knows nothing of content.

Free blocks, cached or not, stand in one queue: the front is taken next, the back is safest. The order of
this queue *is* the eviction order; there is no time stamp.

The queue is a ring through two lists: who stands behind a block, who before it. The null block, which nobody
ever gets, closes the ring: behind it is the front, before it the back. Every move is O(1) and makes no
object; an ``OrderedDict`` would cost about three times as much a block, and a ``deque`` O(n) to take a block
out of the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.types import BlockId

NULL_BLOCK: BlockId = 0


class BlockManager:
    """Blocks 1 … N-1 and their free queue (vLLM's ``FreeKVCacheBlockQueue``). Block 0, the null block, is
    never handed out (rule 10)."""

    __slots__ = ("_before", "_behind", "num_blocks", "num_free")

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self.num_free = num_blocks - 1  # blocks nobody holds, cached ones included
        self._behind: list[BlockId] = [*range(1, num_blocks), NULL_BLOCK]
        self._before: list[BlockId] = [num_blocks - 1, *range(num_blocks - 1)]

    # -- questions: change nothing ----------------------------------------------------------------

    @property
    def num_held(self) -> int:
        """Blocks some request holds."""
        return self.num_blocks - 1 - self.num_free

    def queue(self) -> tuple[BlockId, ...]:
        """The free queue, front first. O(n)."""
        behind, block_id = self._behind, NULL_BLOCK
        return tuple([block_id := behind[block_id] for _ in range(self.num_free)])

    # -- moves ------------------------------------------------------------------------------------

    def pop(self, count: int) -> list[BlockId]:
        """Take ``count`` blocks from the front. The caller has checked that there are enough. O(count)."""
        assert count <= self.num_free, (count, self.num_free)
        behind, block_id = self._behind, NULL_BLOCK
        taken = [block_id := behind[block_id] for _ in range(count)]
        self._join(NULL_BLOCK, behind[block_id])
        self.num_free -= count
        return taken

    def take_out(self, block_id: BlockId) -> None:
        """Take one free block out from wherever it stands (it was hit). O(1)."""
        self._join(self._before[block_id], self._behind[block_id])
        self.num_free -= 1

    def put_front(self, block_ids: Sequence[BlockId]) -> None:
        """Put blocks at the front as one run: the first of them is taken next. O(len)."""
        self._put(block_ids, NULL_BLOCK, self._behind[NULL_BLOCK])

    def put_back(self, block_ids: Sequence[BlockId]) -> None:
        """Append blocks at the back, in order. O(len)."""
        self._put(block_ids, self._before[NULL_BLOCK], NULL_BLOCK)

    def move_to_front(self, block_id: BlockId) -> None:
        """Let a free block be the very next one taken. O(1)."""
        self.take_out(block_id)
        self.put_front((block_id,))

    def _join(self, one: BlockId, other: BlockId) -> None:
        self._behind[one] = other
        self._before[other] = one

    def _put(self, block_ids: Sequence[BlockId], last: BlockId, then: BlockId) -> None:
        """Blocks that nobody holds any more, in order, between ``last`` and ``then``."""
        behind, before = self._behind, self._before
        for block_id in block_ids:
            behind[last] = block_id
            before[block_id] = last
            last = block_id
        self._join(last, then)
        self.num_free += len(block_ids)

    def check(self) -> None:
        """Raise AssertionError unless the ring is whole and holds distinct usable blocks only. O(n)."""
        queue = self.queue()
        assert all(0 < block_id < self.num_blocks for block_id in queue), queue
        ring = (NULL_BLOCK, *queue, NULL_BLOCK)
        for one, other in pairwise(ring):  # so none comes twice: a walk that meets one again never ends
            assert (self._behind[one], self._before[other]) == (other, one), (one, other)
