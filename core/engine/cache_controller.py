"""CacheController · 缓存控制器: hash table, ref counts, eviction. What vLLM calls the block pool.

It decides which block carries which content, and moves blocks in and out of the free queue through the
BlockManager below it. Rule numbers are those of ``docs/fidelity.md`` (vLLM 0.33); there is nothing here that
vLLM does not have. Policies of our own stand around it (``policy_cache``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from itertools import islice

from core.engine import events as ev
from core.engine.block_manager import BlockManager
from core.engine.events import Event, EvictionCause, Place
from core.engine.hash_table import HashTable
from core.engine.kv_events import Describe, KVCleared, KVRemoved, Publish
from core.engine.lesson import BlockNotes
from core.engine.sequence import Sequence
from core.types import BlockHash, BlockId, EngineConfig, RequestId

Emit = Callable[[Event], None]
BlockState = tuple[int, BlockHash | None, int | None, int]
"""Ref count, content, clock of the last use, tokens left behind."""


class CacheController:
    """Contents of blocks and who holds them (vLLM's ``BlockPool``). All sizes in blocks."""

    def __init__(self, config: EngineConfig, blocks: BlockManager) -> None:
        self._blocks = blocks
        self._loose_place: Place = "back" if config.queue_rule == "all_to_back" else "front"
        self.notes = BlockNotes(config.num_blocks, config.block_size)
        self.emit: Emit | None = None  # None: nobody listens
        self._publish: Publish | None = None  # the same, of KV events
        self._describe: Describe | None = None  # who knows the tokens of what is stored
        self.num_cached = 0  # blocks that carry content, copies included
        # Totals since the beginning, for those who do not listen to block events.
        self.num_stored = 0
        self.num_evicted: dict[EvictionCause, int] = {"reused": 0, "cap": 0, "ttl": 0, "forced": 0}
        # One entry per block id; index 0, the null block, is never used.
        self._ref_count = [0] * config.num_blocks
        self._table = HashTable(config.num_blocks)

    # -- questions: change nothing ----------------------------------------------------------------

    def match(self, hashes: SequenceOf[BlockHash], limit: int) -> list[BlockId]:
        """The blocks that carry the first ``limit`` hashes, up to the first miss (rules 20-22). O(hits)."""
        found: list[BlockId] = []
        get, append = self._table.oldest.get, found.append
        for digest in islice(hashes, limit):
            block_id = get(digest)
            if block_id is None:
                break
            append(block_id)
        return found

    def carriers(self, digest: BlockHash) -> tuple[BlockId, ...]:
        """All blocks that carry this hash, oldest first."""
        return self._table.carriers(digest)

    def is_cached(self, digest: BlockHash) -> bool:
        """Whether any block carries this hash."""
        return digest in self._table.oldest

    def idle(self, block_ids: Iterable[BlockId]) -> list[BlockId]:
        """Which of these blocks carry content and are held by nobody: they would leave the free queue when
        touched (rule 24)."""
        ref_count, hash_of = self._ref_count, self._table.hash_of
        return [b for b in block_ids if ref_count[b] == 0 and hash_of[b] is not None]

    def ref_count(self, block_id: BlockId) -> int:
        """How many requests hold the block."""
        return self._ref_count[block_id]

    def hash_of(self, block_id: BlockId) -> BlockHash | None:
        """The content the block carries, if any."""
        return self._table.hash_of[block_id]

    def states(self) -> Iterator[BlockState]:
        """Every usable block, in order of ids, from block 1 on."""
        notes, hash_of = self.notes, self._table.hash_of
        return islice(zip(self._ref_count, hash_of, notes.last_access, notes.left, strict=True), 1, None)

    def hashes(self) -> tuple[BlockHash, ...]:
        """Every content in the cache, in order of first storing."""
        return tuple(self._table.oldest)

    def publish_to(self, publish: Publish | None, describe: Describe) -> None:
        """From now on tell ``publish`` which content comes and goes; ``describe`` words what comes."""
        self._publish, self._describe = publish, describe

    # -- a request comes, grows, goes ---------------------------------------------------------------

    def touch(self, request_id: RequestId, block_ids: SequenceOf[BlockId]) -> None:
        """Hold hit blocks, head to tail: +1 each; idle ones leave the free queue (rule 16). O(len)."""
        ref_count, take_out, emit = self._ref_count, self._blocks.take_out, self.emit
        last_access, clock = self.notes.last_access, self.notes.clock
        for index, block_id in enumerate(block_ids):
            before = ref_count[block_id]
            if before == 0:
                take_out(block_id)
            ref_count[block_id] = before + 1
            last_access[block_id] = clock
            if emit is not None:
                emit(ev.BlockTouched(request_id, index, block_id, before + 1, before == 0))

    def allocate(self, request_id: RequestId, first_index: int, count: int) -> list[BlockId]:
        """Take ``count`` blocks from the front of the free queue, for block ``first_index`` and following.

        Content they carry is evicted now, not when they were freed (rule 12). The caller has checked that
        there are enough. O(count).
        """
        ref_count, hash_of = self._ref_count, self._table.hash_of
        last_access, clock = self.notes.last_access, self.notes.clock
        taken = self._blocks.pop(count)
        evicted = [block_id for block_id in taken if hash_of[block_id] is not None]
        contents = self._evict(evicted, "reused")
        for block_id in taken:
            ref_count[block_id] = 1
            last_access[block_id] = clock
        if self.emit:
            self._tell_taken(request_id, first_index, taken, dict(zip(evicted, contents, strict=True)))
        return taken

    def _tell_taken(
        self, request_id: RequestId, first: int, taken: SequenceOf[BlockId], evicted: dict[BlockId, BlockHash]
    ) -> None:
        assert self.emit is not None
        for index, block_id in enumerate(taken, first):
            if block_id in evicted:
                self.emit(ev.BlockEvicted(block_id, evicted[block_id], "reused", False))
            self.emit(ev.BlockAllocated(request_id, index, block_id))

    def offer(self, sequence: Sequence, start: int, end: int) -> None:
        """An admitted request offers contents ``start`` … ``end``-1. Only a policy would count that."""

    def store(self, sequence: Sequence, start: int, end: int) -> None:
        """Give blocks ``start`` … ``end``-1 of a table their content: from now on they can be hit (rule 31).

        A content that another block carries already is stored again, never merged (rule 17). O(end - start).
        """
        self._table.add(sequence.table[start:end], sequence.hashes[start:end])
        self.num_cached += end - start
        self.num_stored += end - start
        if self.emit:
            self._tell_stored(sequence, start, end)
        if self._publish and self._describe:
            self._publish(self._describe(sequence.request_id, start, end))

    def _tell_stored(self, sequence: Sequence, start: int, end: int) -> None:
        assert self.emit is not None
        parent = sequence.hashes[start - 1] if start else None
        for index in range(start, end):
            block_id, digest = sequence.table[index], sequence.hashes[index]
            original = self._table.oldest[digest]
            copy_of = None if original == block_id else original
            self.emit(ev.BlockStored(sequence.request_id, index, block_id, digest, parent, copy_of))
            parent = digest

    def release(
        self, request_id: RequestId, block_ids: SequenceOf[BlockId], num_computed: int | None = None
    ) -> None:
        """Let go of a whole table, from its last block to its first (rule 13). O(len).

        Blocks that reach ref count 0 join the free queue: those without content at the front, as one run;
        those with content at the back, so that the tail of a chain is evicted before its head.
        ``num_computed`` says how many tokens stand in the table's blocks (all that have room, if None).
        """
        ref_count, hash_of, emit = self._ref_count, self._table.hash_of, self.emit
        last_access, clock = self.notes.last_access, self.notes.clock
        front: list[BlockId] = []
        back: list[BlockId] = []
        index = len(block_ids)
        for block_id in reversed(block_ids):
            index -= 1
            holders = ref_count[block_id] - 1
            ref_count[block_id] = holders
            last_access[block_id] = clock
            place: Place = "held"
            if holders == 0:
                if hash_of[block_id] is not None:
                    place = "back"
                    back.append(block_id)
                else:
                    place = self._loose_place
                    (front if place == "front" else back).append(block_id)
                    self.notes.leave(block_id, index, num_computed)
            if emit is not None:
                offset = len(front) - 1 if place == "front" else 0
                emit(ev.BlockReleased(request_id, index, block_id, holders, place, offset))
        self._blocks.put_front(front)
        self._blocks.put_back(back)

    # -- content leaves -----------------------------------------------------------------------------

    def _evict(self, block_ids: SequenceOf[BlockId], cause: EvictionCause) -> list[BlockHash]:
        """Blocks lose the content that each of them carries; returns it. Where they stand is not changed."""
        contents = self._table.remove(block_ids)
        self.num_cached -= len(contents)
        self.num_evicted[cause] += len(contents)
        if self._publish:
            for digest in contents:
                self._publish(KVRemoved(digest))
        return contents

    def evict(self, block_ids: Iterable[BlockId]) -> None:
        """Drop the content of named blocks, held or free, without moving them (rule 47), one after the other
        as they are named. (vLLM takes them as a set and goes in the order in which Python iterates it: of
        several blocks only the outcome can be compared, not the order of the news.)"""
        for block_id in block_ids:
            if self._table.hash_of[block_id] is not None:
                self._drop(block_id, "forced", to_front=False)

    def drop_idle(self, block_id: BlockId, cause: EvictionCause) -> None:
        """Drop an idle block's content; the block becomes the very next one to be taken."""
        self._blocks.move_to_front(block_id)
        self._drop(block_id, cause, to_front=True)

    def _drop(self, block_id: BlockId, cause: EvictionCause, *, to_front: bool) -> None:
        (digest,) = self._evict((block_id,), cause)
        self.notes.empty((block_id,))
        if self.emit:
            self.emit(ev.BlockEvicted(block_id, digest, cause, to_front))

    def reset(self) -> int | None:
        """Drop all content; the queue keeps its order (rule 42). Returns how many blocks lost theirs, or
        None, with nothing changed, if any block is held."""
        if self._blocks.num_held:
            return None
        cached = [block_id for block_id, digest in enumerate(self._table.hash_of) if digest is not None]
        self._table.remove(cached)
        self.notes.empty(cached)
        self.num_cached = 0
        if self._publish:
            self._publish(KVCleared())
        return len(cached)

    # -- self-check -----------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise AssertionError unless table, ref counts and queue agree. O(blocks)."""
        self._blocks.check()
        hash_of = self._table.hash_of
        free = [False] * len(hash_of)
        for block_id in self._blocks.queue():
            free[block_id] = True
        for block_id in range(1, len(hash_of)):
            assert (self._ref_count[block_id] == 0) == free[block_id], block_id
        self._table.check()
        assert len(hash_of) - hash_of.count(None) == self.num_cached, self.num_cached
