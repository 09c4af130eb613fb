"""BlockManager · 块管理器: the physical blocks (slots) and the one free queue. Knows nothing of content.

Free blocks, cached or not, stand in one queue: the front is taken next, the back is safest. The order of
this queue *is* the eviction order; there is no time stamp. An ``OrderedDict`` gives every move in O(1)
(a ``deque`` would need O(n) to take a block out of the middle).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from core.types import BlockId


class BlockManager:
    """Blocks 1 … N-1 and their free queue; block 0, the null block, is never handed out (vLLM rule 10)."""

    __slots__ = ("_queue", "num_blocks")

    def __init__(self, num_blocks: int) -> None:
        self.num_blocks = num_blocks
        self._queue: OrderedDict[BlockId, None] = OrderedDict.fromkeys(range(1, num_blocks))

    # -- questions: change nothing ----------------------------------------------------------------

    @property
    def num_free(self) -> int:
        """Blocks nobody holds, cached ones included."""
        return len(self._queue)

    @property
    def num_held(self) -> int:
        """Blocks some request holds."""
        return self.num_blocks - 1 - len(self._queue)

    def queue(self) -> tuple[BlockId, ...]:
        """The free queue, front first. O(n)."""
        return tuple(self._queue)

    def is_free(self, block_id: BlockId) -> bool:
        """Whether nobody holds the block."""
        return block_id in self._queue

    # -- moves ------------------------------------------------------------------------------------

    def pop(self, count: int) -> list[BlockId]:
        """Take ``count`` blocks from the front. The caller has checked that there are enough. O(count)."""
        popitem = self._queue.popitem
        return [popitem(False)[0] for _ in range(count)]

    def take_out(self, block_id: BlockId) -> None:
        """Take one block out from wherever it stands (a free block was hit). O(1)."""
        del self._queue[block_id]

    def put_front(self, block_ids: Sequence[BlockId]) -> None:
        """Put blocks at the front as one run: the first of them is taken next. O(len)."""
        queue = self._queue
        for block_id in reversed(block_ids):
            queue[block_id] = None
            queue.move_to_end(block_id, last=False)

    def put_back(self, block_ids: Iterable[BlockId]) -> None:
        """Append blocks at the back, in order. O(len)."""
        self._queue.update(dict.fromkeys(block_ids))

    def move_to_front(self, block_id: BlockId) -> None:
        """Let a free block be the very next one taken. O(1)."""
        self._queue.move_to_end(block_id, last=False)

    def check(self) -> None:
        """Raise AssertionError unless the queue holds distinct usable blocks only."""
        assert all(0 < block_id < self.num_blocks for block_id in self._queue), self.queue()
