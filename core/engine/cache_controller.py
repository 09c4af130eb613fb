"""CacheController · 缓存控制器: hash table, ref counts, last access, eviction, versions.

It decides which block carries which content, and moves blocks in and out of the free queue through the
BlockManager below it. Rule numbers are those of ``docs/fidelity.md`` (vLLM 0.33).

``last_access`` is shown to people but nobody sorts by it: the cached part of the free queue *is* in order
of last release, and that is the eviction order (rule 11).
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from core.engine.block_manager import BlockManager
from core.engine.events import (
    BlockAllocated,
    BlockEvicted,
    BlockNotStored,
    BlockReleased,
    BlockStored,
    BlockTouched,
    Event,
    EvictionCause,
    HashCollision,
    Place,
)
from core.engine.kv_events import Describe, KVCleared, KVRemoved, Publish
from core.engine.policies import CachePolicy, HotPrefixAdmission, TimeToLive, VersionNamespace, policies_for
from core.types import BlockHash, BlockId, EngineConfig, RequestId

Emit = Callable[[Event], None]


class CacheController:
    """Contents of blocks and who holds them. All sizes in blocks."""

    def __init__(self, config: EngineConfig, blocks: BlockManager) -> None:
        self._blocks = blocks
        self._emit: Emit | None = None  # None: nobody listens
        self._publish: Publish | None = None  # the same, of KV events
        self._describe: Describe | None = None  # who knows the tokens of what is stored
        self._unpublished: tuple[RequestId, int, int] | None = None  # stored just now: blocks start … end-1
        self._config = config
        self.clock = 0
        # Totals since the beginning, for those who do not listen to block events.
        self.num_stored = 0
        self.num_evicted: dict[EvictionCause, int] = {"reused": 0, "cap": 0, "ttl": 0, "forced": 0}
        self._num_cleared = 0  # by resets
        # One entry per block id; index 0, the null block, is never used.
        self._ref_count = [0] * config.num_blocks
        self._hash_of: list[BlockHash | None] = [None] * config.num_blocks
        self._last_access: list[int | None] = [None] * config.num_blocks
        # The hash table: the oldest copy serves look-ups; further copies wait in the second table (rule 17).
        self._oldest: dict[BlockHash, BlockId] = {}
        self._copies: dict[BlockHash, list[BlockId]] = {}
        self._text_of: dict[BlockId, bytes] = {}  # all tokens up to the block's end; only with verify_tokens
        self._left_in: dict[BlockId, int] = {}  # tokens left in free blocks that carry no content
        self._policies: list[CachePolicy] = []
        self._selective = False  # some policy may keep content out
        self._kept_out: set[RequestId] = set()  # whose table has a block that a policy kept out
        self._idle: OrderedDict[BlockId, None] | None = (
            None  # idle cached blocks, only if a policy needs them
        )
        self._use_policies(policies_for(config, self._age_mark))

    # -- questions: change nothing ----------------------------------------------------------------

    def match(self, hashes: Sequence[BlockHash], limit: int) -> list[BlockId]:
        """The blocks that carry the first ``limit`` hashes, up to the first miss (rules 20-22). O(hits)."""
        found: list[BlockId] = []
        get, append = self._oldest.get, found.append
        for digest in islice(hashes, limit):
            block_id = get(digest)
            if block_id is None:
                break
            append(block_id)
        return found

    def match_checked(
        self, request_id: RequestId, hashes: Sequence[BlockHash], limit: int, tokens: array[int]
    ) -> list[BlockId]:
        """As ``match``, with every hit's tokens compared: what catches the collisions of a weak hash.

        All tokens from the first one on: a block with the right tokens behind a wrong parent is wrong too.
        """
        found: list[BlockId] = []
        size = self._config.block_size
        for index, digest in enumerate(hashes[:limit]):
            wanted = tokens[: (index + 1) * size].tobytes()
            copies = self.carriers(digest)
            right = next((block for block in copies if self._text_of[block] == wanted), None)
            if right is None:
                if copies and self._emit:
                    self._emit(HashCollision(request_id, index, copies[0], digest))
                break
            found.append(right)
        return found

    def carriers(self, digest: BlockHash) -> tuple[BlockId, ...]:
        """All blocks that carry this hash, oldest first."""
        if digest in self._copies:
            return tuple(self._copies[digest])
        block_id = self._oldest.get(digest)
        return () if block_id is None else (block_id,)

    def num_idle(self, block_ids: Iterable[BlockId]) -> int:
        """How many of these blocks nobody holds: they would leave the free queue when touched (rule 24)."""
        ref_count = self._ref_count
        return sum(1 for block_id in block_ids if ref_count[block_id] == 0)

    def ref_count(self, block_id: BlockId) -> int:
        """How many requests hold the block."""
        return self._ref_count[block_id]

    def hash_of(self, block_id: BlockId) -> BlockHash | None:
        """The content the block carries, if any."""
        return self._hash_of[block_id]

    def last_access(self, block_id: BlockId) -> int | None:
        """Clock of the last touch, allocation or release; None if never used."""
        return self._last_access[block_id]

    def hashes(self) -> tuple[BlockHash, ...]:
        """Every content in the cache, in order of first storing."""
        return tuple(self._oldest)

    @property
    def num_cached(self) -> int:
        """Blocks that carry content, copies included."""
        return self.num_stored - sum(self.num_evicted.values()) - self._num_cleared

    def left_in(self, block_id: BlockId) -> int:
        """Tokens left behind in a free block that carries no content: a not-full tail, as a rule."""
        return self._left_in.get(block_id, 0)

    @property
    def num_left(self) -> int:
        """Free blocks that carry no content although tokens were left in them."""
        return len(self._left_in)

    def listen(self, emit: Emit | None) -> None:
        """From now on tell ``emit``."""
        self._emit = emit

    def publish_to(self, publish: Publish | None, describe: Describe) -> None:
        """From now on tell ``publish`` which content comes and goes; ``describe`` words what comes."""
        self._publish, self._describe = publish, describe

    def namespace(self) -> str:
        """The version under which new requests are hashed."""
        return "".join(policy.namespace() for policy in self._policies)

    # -- a request comes, grows, goes ---------------------------------------------------------------

    def touch(self, request_id: RequestId, block_ids: Sequence[BlockId]) -> None:
        """Hold hit blocks, head to tail: +1 each; idle ones leave the free queue (rule 16). O(len)."""
        ref_count, last_access, clock = self._ref_count, self._last_access, self.clock
        take_out, idle, emit = self._blocks.take_out, self._idle, self._emit
        for index, block_id in enumerate(block_ids):
            before = ref_count[block_id]
            if before == 0:
                take_out(block_id)
                if idle is not None:
                    del idle[block_id]
            ref_count[block_id] = before + 1
            last_access[block_id] = clock
            if emit is not None:
                emit(BlockTouched(request_id, index, block_id, before + 1, before == 0))

    def allocate(self, request_id: RequestId, first_index: int, count: int) -> list[BlockId]:
        """Take ``count`` blocks from the front of the free queue, for block ``first_index`` and following.

        Content they carry is evicted now, not when they were freed (rule 12). The caller has checked that
        there are enough. O(count).
        """
        ref_count, hash_of, last_access, clock = self._ref_count, self._hash_of, self._last_access, self.clock
        taken = self._blocks.pop(count)
        evicted = [block_id for block_id in taken if hash_of[block_id] is not None]
        if len(evicted) < count and self._left_in:
            for block_id in taken:
                if hash_of[block_id] is None:
                    self._left_in.pop(block_id, None)
        contents = self._evict(evicted, "reused")
        for block_id in taken:
            ref_count[block_id] = 1
            last_access[block_id] = clock
        if self._emit:
            self._tell_taken(request_id, first_index, taken, dict(zip(evicted, contents, strict=True)))
        return taken

    def _tell_taken(
        self, request_id: RequestId, first: int, taken: Sequence[BlockId], evicted: dict[BlockId, BlockHash]
    ) -> None:
        assert self._emit is not None
        for index, block_id in enumerate(taken, first):
            if block_id in evicted:
                self._emit(BlockEvicted(block_id, evicted[block_id], "reused", False))
            self._emit(BlockAllocated(request_id, index, block_id))

    def offer(self, hashes: Sequence[BlockHash], start: int, end: int) -> None:
        """An admitted request offers contents ``start`` … ``end``-1: each one is a sighting for a policy."""
        for policy in self._policies:
            for digest in islice(hashes, start, end):
                policy.offered(digest, self.clock)

    def store(
        self,
        request_id: RequestId,
        block_ids: Sequence[BlockId],
        hashes: Sequence[BlockHash],
        start: int,
        end: int,
    ) -> None:
        """Give blocks ``start`` … ``end``-1 of a table their content: from now on they can be hit (rule 31).

        A content that another block carries already is stored again, never merged (rule 17). O(end - start).
        """
        if self._selective:
            for index in range(start, end):  # one by one: a cap asks how many are cached by now
                if self._may_store(request_id, index, hashes[index]):
                    self._store(request_id, block_ids, hashes, index, index + 1)
        else:
            self._store(request_id, block_ids, hashes, start, end)
        self._publish_stored()

    def _store(
        self,
        request_id: RequestId,
        block_ids: Sequence[BlockId],
        hashes: Sequence[BlockHash],
        start: int,
        end: int,
    ) -> None:
        hash_of, set_oldest, stored = self._hash_of, self._oldest.setdefault, block_ids[start:end]
        for block_id, digest in zip(stored, hashes[start:end], strict=True):
            hash_of[block_id] = digest
            original = set_oldest(digest, block_id)
            if original != block_id:
                self._copies.setdefault(digest, [original]).append(block_id)
        self.num_stored += end - start
        for policy in self._policies:
            for block_id in stored:
                policy.stored(block_id, self.clock)
        if self._publish:
            first = self._unpublished[1] if self._unpublished else start
            self._unpublished = (request_id, first, end)
        if self._emit:
            self._tell_stored(request_id, block_ids, hashes, start, end)

    def _publish_stored(self) -> None:
        """One event for what a caching call has stored without an eviction in between."""
        if self._publish and self._describe and self._unpublished:
            stored, self._unpublished = self._unpublished, None
            self._publish(self._describe(*stored))

    def _tell_stored(
        self,
        request_id: RequestId,
        block_ids: Sequence[BlockId],
        hashes: Sequence[BlockHash],
        start: int,
        end: int,
    ) -> None:
        assert self._emit is not None
        parent = hashes[start - 1] if start else None
        for index in range(start, end):
            block_id, digest = block_ids[index], hashes[index]
            original = self._oldest[digest]
            copy_of = None if original == block_id else original
            self._emit(BlockStored(request_id, index, block_id, digest, parent, copy_of))
            parent = digest

    def _may_store(self, request_id: RequestId, index: int, digest: BlockHash) -> bool:
        """Ask the policies. Behind a block that was kept out all later ones of its request are kept out too:
        nobody could reach them. Room is made last, when everything else has said yes."""
        refusing = next((policy for policy in self._policies if not policy.admits(digest, self.clock)), None)
        if refusing is None and request_id in self._kept_out:
            refusing = [policy for policy in self._policies if policy.selective][-1]
        if refusing is None:
            refusing = next((policy for policy in self._policies if not self._make_room(policy)), None)
        if refusing is None:
            return True
        self._kept_out.add(request_id)
        if self._emit:
            seen, needed = refusing.sightings(digest, self.clock)
            self._emit(BlockNotStored(request_id, index, digest, refusing.refusal, seen, needed))
        return False

    def _make_room(self, policy: CachePolicy) -> bool:
        """Drop idle content until one more cached block is allowed. False: everything cached is held."""
        if policy.cause != "cap":
            return True
        if policy.num_over(1) > 0:
            return False  # a cap of nothing
        self._drop_over(policy, coming=1)
        return policy.num_over(self.num_cached + 1) == 0

    def _drop_over(self, policy: CachePolicy, coming: int) -> None:
        idle = self._idle
        assert idle is not None
        while idle and policy.num_over(self.num_cached + coming) > 0:
            self._drop_idle(next(iter(idle)), policy.cause)

    def remember_tokens(self, block_ids: Sequence[BlockId], tokens: array[int], start: int, end: int) -> None:
        """Keep the tokens behind stored blocks, for the token check (``verify_tokens``, for lessons only: the
        bytes kept grow with the square of a prompt's length)."""
        size = self._config.block_size
        for index in range(start, end):
            self._text_of[block_ids[index]] = tokens[: (index + 1) * size].tobytes()

    def release(
        self, request_id: RequestId, block_ids: Sequence[BlockId], num_computed: int | None = None
    ) -> None:
        """Let go of a whole table, from its last block to its first (rule 13). O(len).

        Blocks that reach ref count 0 join the free queue: those without content at the front, as one run;
        those with content at the back, so that the tail of a chain is evicted before its head.
        ``num_computed`` says how many tokens stand in the table's blocks (all that have room, if None).
        """
        ref_count, hash_of, last_access, clock = self._ref_count, self._hash_of, self._last_access, self.clock
        loose_place: Place = "back" if self._config.queue_rule == "all_to_back" else "front"
        front: list[BlockId] = []
        back: list[BlockId] = []
        index, emit = len(block_ids), self._emit
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
                    place = loose_place
                    (front if place == "front" else back).append(block_id)
                    self._leave(block_id, index, num_computed)
            if emit is not None:
                offset = len(front) - 1 if place == "front" else 0
                emit(BlockReleased(request_id, index, block_id, holders, place, offset))
        self._blocks.put_front(front)
        self._blocks.put_back(back)
        self._kept_out.discard(request_id)
        if self._idle is not None:
            self._idle.update((block_id, None) for block_id in back if hash_of[block_id] is not None)
            self._enforce_caps()

    def _leave(self, block_id: BlockId, index: int, num_computed: int | None) -> None:
        """A block goes back without content; remember how many tokens were written into it."""
        size = self._config.block_size
        num_tokens = size if num_computed is None else min(num_computed - index * size, size)
        if num_tokens > 0:
            self._left_in[block_id] = num_tokens

    # -- content leaves -----------------------------------------------------------------------------

    def _evict(self, block_ids: Sequence[BlockId], cause: EvictionCause) -> list[BlockHash]:
        """Blocks lose the content that each of them carries; returns it. Where they stand is not changed."""
        contents = self._forget(block_ids)
        self.num_evicted[cause] += len(contents)
        if self._publish:
            self._publish_stored()
            for digest in contents:
                self._publish(KVRemoved(digest))
        return contents

    def _forget(self, block_ids: Sequence[BlockId]) -> list[BlockHash]:
        """Blocks drop the content that each of them carries; returns it. Other copies stay: the next oldest
        serves from now on."""
        hash_of, oldest, copies = self._hash_of, self._oldest, self._copies
        contents = [digest for block_id in block_ids if (digest := hash_of[block_id]) is not None]
        for block_id, digest in zip(block_ids, contents, strict=True):
            hash_of[block_id] = None
            if digest in copies:
                self._forget_copy(block_id, digest)
            else:
                del oldest[digest]
        if self._text_of:
            for block_id in block_ids:
                del self._text_of[block_id]
        if self._idle is not None:
            for block_id in block_ids:
                self._idle.pop(block_id, None)
        for policy in self._policies:
            for block_id in block_ids:
                policy.forgotten(block_id)
        return contents

    def _forget_copy(self, block_id: BlockId, digest: BlockHash) -> None:
        copies = self._copies[digest]
        copies.remove(block_id)
        self._oldest[digest] = copies[0]
        if len(copies) == 1:
            del self._copies[digest]

    def _drop_idle(self, block_id: BlockId, cause: EvictionCause) -> None:
        """A policy takes an idle block's content; the block becomes the very next one to be taken."""
        (digest,) = self._evict((block_id,), cause)
        self._blocks.move_to_front(block_id)
        if self._emit:
            self._emit(BlockEvicted(block_id, digest, cause, True))

    def evict(self, block_ids: Iterable[BlockId]) -> None:
        """Drop the content of named blocks, held or free, without moving them (rule 47), one after the other
        as they are named. (vLLM takes them as a set and goes in the order in which Python iterates it: of
        several blocks only the outcome can be compared, not the order of the news.)"""
        for block_id in block_ids:
            if self._hash_of[block_id] is not None:
                (digest,) = self._evict((block_id,), "forced")
                if self._emit:
                    self._emit(BlockEvicted(block_id, digest, "forced", False))

    def reset(self) -> int | None:
        """Drop all content; the queue keeps its order (rule 42). Returns how many blocks lost theirs, or
        None, with nothing changed, if any block is held."""
        if self._blocks.num_held:
            return None
        cached = [block_id for block_id, digest in enumerate(self._hash_of) if digest is not None]
        self._forget(cached)
        self._num_cleared += len(cached)
        if self._publish:
            self._publish(KVCleared())
        return len(cached)

    # -- policies -------------------------------------------------------------------------------------

    def tick(self, ticks: int) -> None:
        """Let logical time pass, then drop what has expired, oldest first."""
        self.clock += ticks
        for policy in self._policies:
            if self._idle is not None:
                for block_id in list(policy.expired(self._idle, self.clock)):
                    self._drop_idle(block_id, policy.cause)

    def reconfigure(self, config: EngineConfig) -> None:
        """Take over changed policy settings; what is cached stays unless a new cap says otherwise."""
        self._config = config
        old = self._policies
        self._use_policies(policies_for(config, self._age_mark))
        for policy in self._policies:
            self._hand_over(policy, old)
        self._enforce_caps()

    def _hand_over(self, policy: CachePolicy, old: Sequence[CachePolicy]) -> None:
        """A changed threshold or TTL keeps what its predecessor had seen."""
        for former in old:
            if isinstance(policy, HotPrefixAdmission) and isinstance(former, HotPrefixAdmission):
                policy.take_over(former)
            if isinstance(policy, TimeToLive) and isinstance(former, TimeToLive):
                policy.take_over(former)

    def _use_policies(self, policies: list[CachePolicy]) -> None:
        self._policies = policies
        self._selective = any(policy.selective for policy in policies)
        ordered = any(policy.cause in ("cap", "ttl") for policy in policies)
        if not ordered:
            self._idle = None
        elif self._idle is None:
            hash_of = self._hash_of
            self._idle = OrderedDict.fromkeys(b for b in self._blocks.queue() if hash_of[b] is not None)
        for policy in policies:
            if isinstance(policy, TimeToLive):
                policy.start_with(
                    (b for b, digest in enumerate(self._hash_of) if digest is not None), self.clock
                )

    def _enforce_caps(self) -> None:
        for policy in self._policies:
            if policy.cause == "cap":
                self._drop_over(policy, coming=0)

    def _age_mark(self, block_id: BlockId) -> int:
        return self._last_access[block_id] or 0

    def set_version(self, version: str) -> None:
        """Requests from now on hash under ``version``."""
        self._config = replace(self._config, version=version)
        others = [policy for policy in self._policies if not isinstance(policy, VersionNamespace)]
        self._policies = ([VersionNamespace(version)] if version else []) + others  # the rest is untouched

    # -- self-check -----------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise AssertionError unless table, ref counts and queue agree. O(blocks)."""
        self._blocks.check()
        free = [False] * len(self._ref_count)
        for block_id in self._blocks.queue():
            free[block_id] = True
        for block_id in range(1, len(self._hash_of)):
            assert (self._ref_count[block_id] == 0) == free[block_id], block_id
        listed: list[BlockHash | None] = [None] * len(self._hash_of)
        for digest in self._oldest:
            for block_id in self.carriers(digest):
                assert listed[block_id] is None, block_id
                listed[block_id] = digest
        assert listed == self._hash_of
        assert len(listed) - listed.count(None) == self.num_cached, self.num_cached
        assert all(len(copies) > 1 for copies in self._copies.values())
        assert all(self._oldest[digest] == copies[0] for digest, copies in self._copies.items())
        assert all(free[b] and self._hash_of[b] is None for b in self._left_in), self._left_in
        if self._idle is not None:
            queue = [b for b in self._blocks.queue() if self._hash_of[b] is not None]
            assert list(self._idle) == queue, (list(self._idle), queue)
