"""What is asked of a store of KV blocks: a table of slots, an index over them, pins, and memory.

A **slot** holds one block: a shard for each rank (tensor parallel). The **index** says which key is in which
slot. Memory is read without asking the index again, as remote direct memory access does (Mooncake's Store
hands out addresses): whoever holds a slot number reads what lies there. So the order of acts decides whether
that is right, and each method here is **one act**: nobody comes in between, and a client that dies in it
leaves it undone or done.

Keys are the engine's chained block hashes, so a key names the block and all before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.types import BlockHash

State = Literal["present", "pending", "absent"]
"""Of a key: readable; claimed by a writer whose lease runs; neither."""
Claimed = Literal["claimed", "present", "pending", "orphan", "full"]
"""``orphan``: its parent is not in the index, so nobody could reach it. ``full``: no slot can be had."""
Finished = Literal["waiting", "visible", "replaced", "lost"]
"""``waiting``: shards are missing. ``replaced``: another slot had this key, and nobody finds that one now.
``lost``: the claim is no longer ours."""
FOREVER = 1e15
"""A lease that does not end, in seconds."""


@dataclass(frozen=True, slots=True)
class Acts:
    """Which acts are whole. Each switch set to False is one way in which a shared pool goes wrong."""

    put_once: bool = True
    """Look whether the key is there and claim a slot for it. Else: **lost update**."""
    pin_with_look_up: bool = True
    """Find the chain's prefix and pin it. Else: **use after evict**."""
    shards_together: bool = True
    """Show a block once all ranks' shards are there. Else: **torn block**."""
    unpin_once: bool = True
    """Take away one's own pin, once. Else any pin is as good, as if pins were a number: **double free**."""
    unlink_first: bool = True
    """Take the old key out of the index before its memory is written. Else: **stale index**."""
    leases: bool = True
    """Claims and pins end by themselves. Else what a crash leaves stays: **stuck slots**."""
    fenced: bool = True
    """Write only while the claim is one's own. Else, who was away too long: **late write**."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What all who share a store agree on. ``space`` names what a key does not: model, number format.

    ``capacity`` in slots; ``ranks``: shards of a block; ``lease_s``: seconds that a claim or a pin lasts.
    ``chain_aware``: evict nothing that another block hangs on, and count the last block of a prefix as used
    before its first. Without it: plain LRU in the order of use, in which heads are the oldest.
    """

    space: str = "broth"
    capacity: int = 256
    ranks: int = 1
    lease_s: float = 30.0
    chain_aware: bool = True


@dataclass(frozen=True, slots=True)
class Slot:
    """What the table says of a slot in use. ``until``: end of the writer's lease; ``pins``: name -> end."""

    key: BlockHash
    parent: BlockHash | None
    ready: bool
    until: float
    pins: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A store at one moment, ``at_s`` by its own clock. Slots count from 1.

    ``memory``: (slot, rank) -> what lies there."""

    at_s: float
    slots: Mapping[int, Slot]
    index: Mapping[BlockHash, int]
    memory: Mapping[tuple[int, int], bytes]


Clock = Callable[[], float]
Place = tuple[int, int]
"""(slot, rank)"""


class Parts(Protocol):
    """The acts of one store; the file or the server is the clock, so that workers need none in common.

    ``token`` names a claim or a pin and is never used twice. Every method may raise ``StoreError``, after
    the deadline at the latest."""

    layout: Layout

    def find(self, key: BlockHash) -> State:
        """Whether somebody has or writes this block."""

    def claim(
        self, key: BlockHash, parent: BlockHash | None, token: str, acts: Acts
    ) -> tuple[Claimed, int | None]:
        """Put if absent, first half: a slot to write into, which nobody sees yet. Evicts where it must."""

    def write(self, slot: int, rank: int, token: str, frame: bytes, acts: Acts) -> bool:
        """A shard into memory. False: the claim is no longer ours, and nothing was written."""

    def finish(self, slot: int, rank: int, token: str, acts: Acts) -> Finished:
        """Put, second half: this rank's shard is there."""

    def give_up(self, slot: int, token: str) -> bool:
        """Free a claimed slot. False: the claim is no longer ours."""

    def look(self, keys: Sequence[BlockHash]) -> list[int]:
        """The slots of the longest prefix of a chain."""

    def pin(self, slots: Sequence[int], token: str, acts: Acts) -> None:
        """Nothing pinned is evicted while the lease runs."""

    def look_and_pin(self, keys: Sequence[BlockHash], token: str, acts: Acts) -> list[int]:
        """Both as one act."""

    def read(self, places: Sequence[Place]) -> list[bytes | None]:
        """What lies in memory, whatever that is. No act: others may write between two places."""

    def unpin(self, slots: Sequence[int], token: str, acts: Acts) -> bool:
        """False: a pin was gone already (its lease ran out and the slot was needed)."""

    def snapshot(self) -> Snapshot:
        """Everything, for an audit of a small store."""

    def clear(self) -> None:
        """Forget this space."""

    def close(self) -> None:
        """Let go of file or connection."""
