"""What an engine tells: one frozen value per thing that happened, and the log that holds them.

An event carries the value *after* the change (``ref_count=2``, never ``+1``), so that folding a log is
mere assignment. Request events are always told; block events only when asked for. The format of the
JSONL file, field by field, stands in ``docs/event-log.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from core.types import BlockHash, BlockId, RequestId

Place = Literal["front", "back", "held"]
EvictionCause = Literal["reused", "cap", "ttl", "forced"]
RefusalCause = Literal["sightings", "cap"]


@dataclass(frozen=True, slots=True)
class Event:
    """The root of all events; ``is_block_event`` tells the two levels apart."""

    is_block_event: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class BlockEvent(Event):
    """An event about one block: told only when the engine was made with ``block_events=True``."""

    is_block_event: ClassVar[bool] = True


# -- time ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClockAdvanced(Event):
    """A command begins (one tick), or ``wait`` let ``waited`` ticks pass. ``clock`` is the new time."""

    clock: int
    waited: bool


@dataclass(frozen=True, slots=True)
class StepStarted(Event):
    """The scheduler begins step number ``step`` (counted from 1)."""

    step: int


# -- requests -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestArrived(Event):
    """A request is known. ``waiting_place`` is its place in the waiting queue (null: started directly).

    ``mm``: (item, offset, length) of each image or audio item. A log of schema 1 does not have it.
    """

    request_id: RequestId
    token_ids: tuple[int, ...]
    num_outputs: int
    salt: str | None
    lora: tuple[str, str] | None
    version: str
    priority: int
    skip_read: bool
    waiting_place: int | None
    mm: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TokensAppended(Event):
    """Sampled tokens join the sequence; ``num_tokens`` is its new length."""

    request_id: RequestId
    token_ids: tuple[int, ...]
    num_tokens: int


@dataclass(frozen=True, slots=True)
class LookedUp(Event):
    """A look-up without a request: what such a prompt would hit. Changes nothing."""

    hit_tokens: int
    block_ids: tuple[BlockId, ...]


@dataclass(frozen=True, slots=True)
class RequestBlocked(Event):
    """The first waiting request does not fit; it goes on waiting, nothing else has changed."""

    request_id: RequestId
    hit_tokens: int
    num_needed: int
    num_free: int


@dataclass(frozen=True, slots=True)
class RequestRefused(Event):
    """A direct ``start`` did not fit: the request does not exist, nothing else has changed."""

    request_id: RequestId
    hit_tokens: int
    num_needed: int
    num_free: int


@dataclass(frozen=True, slots=True)
class RequestAdmitted(Event):
    """A request fits: this is the plan, before any block is touched or taken.

    ``hit_tokens`` are reused, ``num_scheduled`` computed in this step, ``num_computed`` = both together.
    ``looked_up``: asked the cache at all (not if it skips reading, or caching is off).
    ``counted``: enters the hit rate, as every look-up does but those of ``resumed`` requests.
    """

    request_id: RequestId
    num_tokens: int
    hit_tokens: int
    num_scheduled: int
    num_computed: int
    num_new_blocks: int
    counted: bool
    resumed: bool
    looked_up: bool


@dataclass(frozen=True, slots=True)
class RequestScheduled(Event):
    """A running request gets ``num_scheduled`` more tokens computed in this step."""

    request_id: RequestId
    num_scheduled: int
    num_computed: int


@dataclass(frozen=True, slots=True)
class GrowthFailed(Event):
    """A running request needs more blocks than are free; it stays as it is."""

    request_id: RequestId
    num_needed: int
    num_free: int


@dataclass(frozen=True, slots=True)
class RequestPreempted(Event):
    """A running request gave back its blocks. ``waiting_place``: where it now waits (null: nowhere)."""

    request_id: RequestId
    num_preemptions: int
    waiting_place: int | None


@dataclass(frozen=True, slots=True)
class RequestFinished(Event):
    """A request is over; its blocks were released before this event."""

    request_id: RequestId
    aborted: bool


@dataclass(frozen=True, slots=True)
class RequestRehashed(Event):
    """A request that is not running moves to another version; its hashes follow anew."""

    request_id: RequestId
    version: str


# -- the whole cache ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CacheReset(Event):
    """All content was dropped (``ok``), or the reset was refused because blocks are held."""

    ok: bool
    num_cleared: int


@dataclass(frozen=True, slots=True)
class VersionChanged(Event):
    """Requests from now on are hashed under ``version``."""

    version: str


@dataclass(frozen=True, slots=True)
class PolicyChanged(Event):
    """A policy setting has a new value (null: off)."""

    name: str
    value: int | str | None


# -- blocks -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlockHashed(BlockEvent):
    """Full block ``index`` of the request has an identity (``parent_hash`` is null for block 0)."""

    request_id: RequestId
    index: int
    hash: BlockHash
    parent_hash: BlockHash | None


@dataclass(frozen=True, slots=True)
class BlockHit(BlockEvent):
    """The look-up found block ``index`` in ``block_id``."""

    request_id: RequestId
    index: int
    block_id: BlockId
    hash: BlockHash


@dataclass(frozen=True, slots=True)
class BlockMissed(BlockEvent):
    """The look-up ends: nobody carries the hash of block ``index``."""

    request_id: RequestId
    index: int
    hash: BlockHash


@dataclass(frozen=True, slots=True)
class HashCollision(BlockEvent):
    """Equal hash, other tokens: the token check refuses ``block_id`` as a hit."""

    request_id: RequestId
    index: int
    block_id: BlockId
    hash: BlockHash


@dataclass(frozen=True, slots=True)
class BlockTouched(BlockEvent):
    """A hit block gains a holder; if it ``was_free`` it leaves the free queue."""

    request_id: RequestId
    index: int
    block_id: BlockId
    ref_count: int
    was_free: bool


@dataclass(frozen=True, slots=True)
class BlockEvicted(BlockEvent):
    """A block forgets its hash; with ``to_front`` it also moves to the front of the free queue."""

    block_id: BlockId
    hash: BlockHash
    cause: EvictionCause
    to_front: bool


@dataclass(frozen=True, slots=True)
class BlockAllocated(BlockEvent):
    """A block is taken from the front of the free queue for block ``index`` of the request; ref count 1."""

    request_id: RequestId
    index: int
    block_id: BlockId


@dataclass(frozen=True, slots=True)
class BlockStored(BlockEvent):
    """A full block is findable by its hash from now on (``duplicate_of``: the oldest other copy)."""

    request_id: RequestId
    index: int
    block_id: BlockId
    hash: BlockHash
    parent_hash: BlockHash | None
    duplicate_of: BlockId | None


@dataclass(frozen=True, slots=True)
class BlockNotStored(BlockEvent):
    """A policy keeps a full block out of the hash table."""

    request_id: RequestId
    index: int
    hash: BlockHash
    cause: RefusalCause
    num_sightings: int
    threshold: int


@dataclass(frozen=True, slots=True)
class BlockComputed(BlockEvent):
    """The (stand-in) forward pass writes ``num_new`` tokens; the block now holds ``fill`` of them."""

    request_id: RequestId
    index: int
    block_id: BlockId
    num_new: int
    fill: int


@dataclass(frozen=True, slots=True)
class BlockReleased(BlockEvent):
    """A request lets go of a block.

    At ref count 0 it joins the free queue: at the ``back`` if it carries a hash, else ``offset`` places
    behind the ``front``. Otherwise it stays ``held``.
    """

    request_id: RequestId
    index: int
    block_id: BlockId
    ref_count: int
    place: Place
    offset: int
