"""HashTable: which block carries which content, both ways. What vLLM calls the map from hashes to blocks."""

from __future__ import annotations

from collections.abc import Sequence

from core.types import BlockHash, BlockId


class HashTable:
    """Contents and the blocks that carry them (vLLM's ``BlockHashToBlockMap``).

    A content may stand in several blocks, which are never merged: the oldest copy serves look-ups, further
    copies wait in a second table (rule 17). ``hash_of`` has one entry per block id.
    """

    __slots__ = ("_copies", "hash_of", "oldest")

    def __init__(self, num_blocks: int) -> None:
        self.hash_of: list[BlockHash | None] = [None] * num_blocks
        self.oldest: dict[BlockHash, BlockId] = {}
        self._copies: dict[BlockHash, list[BlockId]] = {}  # of contents with more than one, oldest first

    def carriers(self, digest: BlockHash) -> tuple[BlockId, ...]:
        """All blocks that carry this hash, oldest first."""
        if digest in self._copies:
            return tuple(self._copies[digest])
        block_id = self.oldest.get(digest)
        return () if block_id is None else (block_id,)

    def add(self, block_ids: Sequence[BlockId], hashes: Sequence[BlockHash]) -> None:
        """Blocks that carry nothing get the content of the same place. O(len)."""
        hash_of, set_oldest = self.hash_of, self.oldest.setdefault
        for block_id, digest in zip(block_ids, hashes, strict=True):
            hash_of[block_id] = digest
            original = set_oldest(digest, block_id)
            if original != block_id:
                self._copies.setdefault(digest, [original]).append(block_id)

    def remove(self, block_ids: Sequence[BlockId]) -> list[BlockHash]:
        """Blocks drop the content that each of them carries; returns it. Other copies stay: the next oldest
        serves from now on. O(len)."""
        hash_of, oldest, copies = self.hash_of, self.oldest, self._copies
        contents = [digest for block_id in block_ids if (digest := hash_of[block_id]) is not None]
        for block_id, digest in zip(block_ids, contents, strict=True):
            hash_of[block_id] = None
            if digest in copies:
                self._remove_copy(block_id, digest)
            else:
                del oldest[digest]
        return contents

    def _remove_copy(self, block_id: BlockId, digest: BlockHash) -> None:
        copies = self._copies[digest]
        copies.remove(block_id)
        self.oldest[digest] = copies[0]
        if len(copies) == 1:
            del self._copies[digest]

    def check(self) -> None:
        """Raise AssertionError unless both ways agree. O(blocks)."""
        listed: list[BlockHash | None] = [None] * len(self.hash_of)
        for digest in self.oldest:
            for block_id in self.carriers(digest):
                assert listed[block_id] is None, block_id
                listed[block_id] = digest
        assert listed == self.hash_of
        assert all(len(copies) > 1 for copies in self._copies.values())
        assert all(self.oldest[digest] == copies[0] for digest, copies in self._copies.items())
