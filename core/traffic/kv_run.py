"""A recorded stream of KV events as a run: slots, chains, evictions, and nothing that the events do not tell.

Told: which content came, behind which, in which order; which content went; that everything went. Not told:
requests, hits, ref counts, the queue, ids of slots. So there are no requests here but *chains*: a caching
call whose parent is the last block of a chain grows it, any other begins a new one. A slot is a number we
give: a new block gets the lowest one that is free, and of several copies the oldest goes first. All numbers
count from the beginning of the recording, whichever part of it is shown.

The events of one pool only (rank, medium, group and block size of the first block stored) are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any, Literal

from core.engine import events as ev
from core.timeline.fold import patches
from core.timeline.frame import Frame, Patch, SlotFrame, apply, initial_frame
from core.traces.recording import AllCleared, BlocksRemoved, BlocksStored, Pool, RecordedBatch, RecordedEvent
from core.types import BlockHash, EngineConfig

MOST_BLOCKS = 600
"""Blocks that come or go in one part."""
MOST_IDLE = 64
"""Slots to which nothing happens are drawn up to this number; among more they would only be crowd."""

MoveKind = Literal["begin", "grow", "branch", "late", "stored", "copy", "removed", "unseen", "cleared"]


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that was announced, in batch ``batch`` (from 1), and what it changes in the frame.

    A caching call is ``begin`` (from a prompt's first token), ``grow``, ``branch`` (behind a block inside a
    chain) or ``late`` (behind a block that the recording does not know), with ``count`` new blocks; then
    each of them is ``stored``, or a ``copy`` of what is cached already. ``removed`` from a slot, ``unseen``
    if it was stored before the recording began; ``cleared``: ``count`` blocks. ``place``: in the chain as
    it is drawn; None if it is not.
    """

    kind: MoveKind
    batch: int
    patches: Sequence[Patch] = ()
    chain: str | None = None
    place: int | None = None
    slot: int | None = None
    hash: BlockHash | None = None
    parent: BlockHash | None = None
    count: int = 1
    other: int | None = None


@dataclass(frozen=True, slots=True)
class KVRun:
    """Batches ``first`` … ``last`` (from 1) of ``num_batches``. ``tokens``: by chain, those of its drawn
    blocks; None for a token that was not told. ``num_idle``: cached blocks that are not drawn.
    ``num_left_out``: what other pools told, from the recording's beginning on."""

    block_size: int
    frame: Frame
    moves: list[Move]
    tokens: dict[str, list[int | None]]
    first: int
    last: int
    num_batches: int
    num_idle: int
    num_left_out: int


def kv_run(recording: Sequence[RecordedBatch], first: int = 1, most: int = MOST_BLOCKS) -> KVRun:
    """The part that begins with batch ``first``: whole batches, at least one, ``most`` blocks at most.
    O(everything before it + slots drawn x blocks)."""
    teller = _Teller(*_scope(recording))
    for batch in recording[: first - 1]:
        teller.take(batch)
    start = teller.begin()
    last = first - 1
    for batch in recording[first - 1 :]:
        blocks = sum(len(event.hashes) for event in batch if not isinstance(event, AllCleared))
        if last >= first and teller.num_changed + blocks > most:
            break
        last += 1
        teller.take(batch)
    frame, moves = _draw(start, teller)
    return KVRun(
        block_size=teller.size,
        frame=frame,
        moves=moves,
        tokens={name: teller.tokens_of(lane) for name, lane in teller.lanes.items()},
        first=first,
        last=last,
        num_batches=len(recording),
        num_idle=sum(map(len, start.copies.values())) - sum(map(len, frame["table"].values())),
        num_left_out=teller.num_left_out,
    )


def _scope(recording: Sequence[RecordedBatch]) -> tuple[Pool, int | None]:
    """Pool and block size of the first block that is stored."""
    for batch in recording:
        for event in batch:
            if isinstance(event, BlocksStored):
                return event.pool, event.block_size
    return (None, None, None), None


# -- what happens ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Start:
    """The pool when the shown part begins."""

    copies: dict[BlockHash, list[int]]
    num_stored: int
    num_removed: int


class _Teller:
    """Reads batch after batch; from ``begin`` on it writes down moves, still without patches."""

    def __init__(self, pool: Pool, size: int | None) -> None:
        self.size = size or 1
        self.lanes: dict[str, list[BlockHash]] = {}  # chains of the shown part, as far as they are drawn
        self.moves: list[Move] = []
        self.num_changed = 0
        self.num_left_out = 0
        self._pool, self._told_size = pool, size
        self._ancestors = max(1, min(4, 512 // self.size))
        self._own = max(1, min(48, 4096 // self.size))
        self._shown = False
        self._batch = 0
        self._num_stored = self._num_removed = 0
        self._copies: dict[BlockHash, list[int]] = {}  # hash -> slots, oldest first
        self._foreign: set[BlockHash] = set()  # stored in other pools: a removal does not tell a block size
        self._free: list[int] = []
        self._num_slots = 0
        self._known: dict[BlockHash, tuple[BlocksStored, int]] = {}  # where it was told last, at which place
        self._tips: dict[BlockHash, str] = {}  # last block -> its chain
        self._lengths: dict[str, int] = {}

    def begin(self) -> _Start:
        """From now on everything is shown."""
        self._shown = True
        copies = {digest: list(slots) for digest, slots in self._copies.items()}
        return _Start(copies, self._num_stored, self._num_removed)

    def take(self, batch: RecordedBatch) -> None:
        """The events of one step."""
        self._batch += 1
        for event in batch:
            if not self._is_ours(event):
                self.num_left_out += 1
                self._foreign.update(event.hashes if isinstance(event, BlocksStored) else ())
            elif isinstance(event, AllCleared):
                self._clear()
            elif isinstance(event, BlocksRemoved):
                for digest in event.hashes:
                    self._remove(digest)
            else:
                self._store(event)

    def _is_ours(self, event: RecordedEvent) -> bool:
        if isinstance(event, AllCleared):
            return _may_be(event.rank, self._pool[0])
        if isinstance(event, BlocksStored) and event.block_size != self._told_size:
            return False
        return all(map(_may_be, event.pool, self._pool))

    def _tell(self, kind: MoveKind, **values: Any) -> None:
        if self._shown:
            self.moves.append(Move(kind, self._batch, **values))
            self.num_changed += kind in ("stored", "copy", "removed", "unseen")

    # -- one event ------------------------------------------------------------------------------------

    def _clear(self) -> None:
        count = sum(map(len, self._copies.values()))
        self._copies, self._tips, self._free, self._num_slots = {}, {}, [], 0
        self._tell("cleared", count=count)

    def _remove(self, digest: BlockHash) -> None:
        slots = self._copies.get(digest)
        if slots is None and digest in self._foreign:
            self.num_left_out += 1
            return
        if slots is None:
            self._tell("unseen", hash=digest)
            return
        self._num_removed += 1
        slot = slots.pop(0)
        heappush(self._free, slot)
        if not slots:
            del self._copies[digest]
        self._tell("removed", hash=digest, slot=slot, count=len(slots))

    def _store(self, event: BlocksStored) -> None:
        if not event.hashes:
            return
        kind, chain = self._chain(event)
        place = self._lengthen(chain, event) if self._shown else 0
        count = len(event.hashes)
        self._tell(kind, chain=chain, parent=event.parent, count=count, place=place)
        shown = len(self.lanes.get(chain, ()))
        for index, digest in enumerate(event.hashes):
            self._known[digest] = (event, index)
            self._num_stored += 1
            slot = self._new_slot()
            slots = self._copies.setdefault(digest, [])
            slots.append(slot)
            where = place + index if place + index < shown else None
            copy = len(slots) > 1
            other = slots[0] if copy else None
            self._tell(
                "copy" if copy else "stored", chain=chain, place=where, hash=digest, slot=slot, other=other
            )

    def _new_slot(self) -> int:
        if self._free:
            return heappop(self._free)
        self._num_slots += 1
        return self._num_slots

    # -- chains -------------------------------------------------------------------------------------------

    def _chain(self, event: BlocksStored) -> tuple[MoveKind, str]:
        """How the call stands to what is known, and the name of its chain."""
        count = len(event.hashes)
        kind: MoveKind = "begin"
        name = None
        if event.parent is not None:
            name = self._tips.pop(event.parent, None)
            kind = "grow" if name else "branch" if event.parent in self._known else "late"
        if name is None or self._lengths[name] + count > self._own:  # what is too long goes on as another
            name = f"C{len(self._lengths) + 1}"
            self._lengths[name] = 0
        self._lengths[name] += count
        self._tips[event.hashes[-1]] = name
        return kind, name

    def _lengthen(self, chain: str, event: BlocksStored) -> int:
        """Draw the new blocks, a new chain's with a few before them. Returns the place of the first."""
        lane = self.lanes.get(chain)
        if lane is None:
            lane = self.lanes[chain] = self._before(event.parent)
        place = len(lane)
        lane += event.hashes[: self._own]
        return place

    def _before(self, parent: BlockHash | None) -> list[BlockHash]:
        lane: list[BlockHash] = []
        while parent is not None and len(lane) < self._ancestors:
            lane.insert(0, parent)
            parent = self._parent_of(parent)
        return lane

    def _parent_of(self, digest: BlockHash) -> BlockHash | None:
        if digest not in self._known:
            return None
        event, index = self._known[digest]
        return event.hashes[index - 1] if index else event.parent

    def is_first(self, digest: BlockHash) -> bool:
        """Whether a prompt begins with this block, as far as is known."""
        return digest in self._known and self._parent_of(digest) is None

    def tokens_of(self, lane: Sequence[BlockHash]) -> list[int | None]:
        """The tokens of drawn blocks, one after the other."""
        return [token for digest in lane for token in self._tokens(digest)]

    def _tokens(self, digest: BlockHash) -> Sequence[int | None]:
        told, index = self._known.get(digest, (None, 0))
        if told is None or not told.token_ids:
            return [None] * self.size
        return told.token_ids[index * self.size : (index + 1) * self.size]


def _may_be(one: object, other: object) -> bool:
    return one is None or other is None or one == other


# -- what is seen -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Picture:
    """The frame as it goes on, and how long each chain is by now."""

    frame: Frame
    size: int
    teller: _Teller
    shown: dict[str, int] = field(default_factory=dict)

    def patches(self, move: Move) -> list[Patch]:
        """What a move changes."""
        match move.kind:
            case "stored" | "copy":
                stored = ev.BlockStored(move.chain or "", 0, *_where(move), None, None)
                return [*patches(self.frame, stored), [["slots", str(move.slot), "fill"], self.size]]
            case "removed":
                return patches(self.frame, ev.BlockEvicted(*_where(move), "reused", False))
            case "cleared":
                return patches(self.frame, ev.CacheReset(True, move.count))
            case "unseen":
                return []
        return self._lane(move)

    def _lane(self, move: Move) -> list[Patch]:
        assert move.chain is not None
        assert move.place is not None
        lane = self.teller.lanes[move.chain]
        end = min(move.place + move.count, len(lane))
        hashes = [digest.hex() for digest in lane[:end]]
        look = {str(place): "stored" if place >= move.place else "told" for place in range(end)}
        before = self.shown.get(move.chain)
        self.shown[move.chain] = end
        base: list[str | int] = ["reqs", move.chain]
        if before is None:
            return [[base, _chain_frame(hashes, look, self.size, self.teller.is_first(lane[0]))]]
        more: list[Patch] = [[[*base, "hashes", place], hashes[place]] for place in range(before, end)]
        return [[[*base, "num_tokens"], end * self.size], [[*base, "look"], look], *more]


def _where(move: Move) -> tuple[int, BlockHash]:
    assert move.slot is not None
    assert move.hash is not None
    return move.slot, move.hash


def _chain_frame(hashes: list[str], look: dict[str, str], size: int, rooted: bool) -> dict[str, Any]:
    """A chain where a frame has its requests; nobody knows more of it. ``rooted``: it is drawn from a
    prompt's beginning."""
    return {
        "status": "told",
        "num_prompt": len(hashes) * size,
        "num_tokens": len(hashes) * size,
        "computed": 0,
        "hit": 0,
        "hashes": hashes,
        "look": look,
        "btable": [],
        "skip_read": False,
        "salt": None,
        "version": "",
        "rooted": rooted,
    }


def _draw(start: _Start, teller: _Teller) -> tuple[Frame, list[Move]]:
    """The first frame with every slot that is to be seen, and the moves with their patches."""
    touched = {move.slot for move in teller.moves if move.slot}
    behind = {digest for lane in teller.lanes.values() for digest in lane}
    touched |= {slot for digest in behind for slot in start.copies.get(digest, ())}
    idle = sum(slot not in touched for slots in start.copies.values() for slot in slots)
    seen = {
        digest: kept
        for digest, slots in start.copies.items()
        if (kept := [slot for slot in slots if slot in touched or idle <= MOST_IDLE])
    }
    picture = _Picture(_first_frame(start, seen, touched, teller.size), teller.size, teller)
    first, moves = picture.frame, []
    for move in teller.moves:
        changes = picture.patches(move)
        picture.frame = apply(picture.frame, changes)
        moves.append(replace(move, patches=changes))
    return first, moves


def _first_frame(start: _Start, seen: dict[BlockHash, list[int]], touched: set[int], size: int) -> Frame:
    """Nobody holds anything, as far as is known, and nobody stands in a queue."""
    carried = {slot: digest.hex() for digest, slots in seen.items() for slot in slots}
    frame = initial_frame(EngineConfig(num_blocks=1))
    for slot in sorted(touched | set(carried)):
        digest = carried.get(slot)
        frame["slots"][str(slot)] = SlotFrame(
            ref=0, hash=digest, fill=size if digest else 0, owners=[], last=None
        )
    frame["table"] = {digest.hex(): list(slots) for digest, slots in seen.items()}
    frame["totals"]["stored"], frame["totals"]["evicted"] = start.num_stored, start.num_removed
    return frame
