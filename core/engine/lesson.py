"""What lessons show and no rule of vLLM asks for: when a block was last used, what was left in it, and a
check of tokens that finds the collisions of a weak hash."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

from core.engine.events import Event, HashCollision
from core.types import BlockHash, BlockId, RequestId

Carriers = Callable[[BlockHash], tuple[BlockId, ...]]


class BlockNotes:
    """Notes on each block; index 0, the null block, is never used. ``clock``: logical time in ticks.

    ``last_access`` is the clock of the last touch, allocation or release. Nobody sorts by it: the cached part
    of the free queue *is* in order of last release, and that is the eviction order (rule 11). ``left`` says
    of a free block without content how many tokens stand in it (of others nothing): a tail, as a rule.
    """

    __slots__ = ("_block_size", "clock", "last_access", "left")

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.clock = 0
        self.last_access: list[int | None] = [None] * num_blocks
        self.left = [0] * num_blocks
        self._block_size = block_size

    def empty(self, block_ids: Iterable[BlockId]) -> None:
        """These blocks lost their content, and with it, if they are free, their tokens."""
        for block_id in block_ids:
            self.left[block_id] = 0

    def leave(self, block_id: BlockId, index: int, num_computed: int | None) -> None:
        """A table's block ``index`` is free again and carries no content. ``num_computed``: tokens that stand
        in the table's blocks (all that have room, if None)."""
        size = self._block_size
        self.left[block_id] = size if num_computed is None else max(min(num_computed - index * size, size), 0)


class TokenCheck:
    """Remembers the tokens behind stored blocks and compares them (``verify_tokens``, for lessons only: the
    bytes kept grow with the square of a prompt's length)."""

    def __init__(self, block_size: int) -> None:
        self._block_size = block_size
        self._text_of: dict[BlockId, bytes] = {}  # all tokens up to the end of what was stored there last

    def remember(self, block_ids: Sequence[BlockId], tokens: array[int], start: int, end: int) -> None:
        """Blocks ``start`` … ``end``-1 of a table are about to be stored."""
        for index in range(start, end):
            self._text_of[block_ids[index]] = self._text(tokens, index)

    def match(
        self,
        request_id: RequestId,
        hashes: Sequence[BlockHash],
        tokens: array[int],
        carriers: Carriers,
        emit: Callable[[Event], None] | None,
    ) -> list[BlockId]:
        """As ``CacheController.match``, with every hit's tokens compared, from the first one on: a block with
        the right tokens behind a wrong parent is wrong too."""
        found: list[BlockId] = []
        for index, digest in enumerate(hashes):
            wanted, copies = self._text(tokens, index), carriers(digest)
            right = next((block_id for block_id in copies if self._text_of[block_id] == wanted), None)
            if right is None:
                if copies and emit:
                    emit(HashCollision(request_id, index, copies[0], digest))
                break
            found.append(right)
        return found

    def _text(self, tokens: array[int], index: int) -> bytes:
        return tokens[: (index + 1) * self._block_size].tobytes()
