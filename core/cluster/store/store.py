"""The acts of one client on a shared store, whole or, where a switch says so, in two steps.

An act that is split is a generator: each ``yield`` is a place where another client may come in. A whole act
has none. ``whole`` runs one to its end; a run with an order of its own (``recorded.py``) takes the steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.cluster.store.base import Acts, Claimed, Finished, Parts
from core.cluster.store.frame import Verdict, pack, unpack
from core.types import BlockHash

T = TypeVar("T")
Steps = Generator[None, None, T]


@dataclass(frozen=True, slots=True)
class Hold:
    """A pinned prefix: ``slots`` are those of the first keys that were asked for."""

    keys: tuple[BlockHash, ...]
    slots: tuple[int, ...]
    token: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """A claimed slot, to be written rank by rank."""

    key: BlockHash
    slot: int
    token: str


class Store:
    """``owner``: a name that no other client of this store has, ever (host, process, and what else it
    takes): tokens are made from it. ``acts``: all whole, but for a lesson."""

    def __init__(self, parts: Parts, owner: str, acts: Acts | None = None) -> None:
        self.parts = parts
        self.acts = acts or Acts()
        self.ranks = parts.layout.ranks
        self._owner = owner
        self._numbers = itertools.count(1)

    def look_up(self, keys: Sequence[BlockHash]) -> Steps[Hold]:
        """The longest prefix of a chain that is there, pinned until ``unpin`` or the end of the lease."""
        token = self._token()
        if self.acts.pin_with_look_up:
            slots = self.parts.look_and_pin(keys, token, self.acts)
        else:
            slots = self.parts.look(keys)
            yield
            self.parts.pin(slots, token, self.acts)
        return Hold(tuple(keys[: len(slots)]), tuple(slots), token)

    def claim(self, key: BlockHash, parent: BlockHash | None) -> Steps[Ticket | Claimed]:
        """A slot for a block that is in nobody's; else why there is none."""
        token = self._token()
        if not self.acts.put_once:
            if (state := self.parts.find(key)) != "absent":
                return "present" if state == "present" else "pending"
            yield
        answer, slot = self.parts.claim(key, parent, token, self.acts)
        return answer if slot is None else Ticket(key, slot, token)

    def write(self, ticket: Ticket, rank: int, payload: bytes) -> bool:
        """One shard. False: the lease ran out, and the slot is another's."""
        frame = pack(self.parts.layout.space, ticket.key, rank, self.ranks, payload)
        return self.parts.write(ticket.slot, rank, ticket.token, frame, self.acts)

    def finish(self, ticket: Ticket, rank: int) -> Finished:
        """Say that a shard is written. With the last one the block can be seen."""
        return self.parts.finish(ticket.slot, rank, ticket.token, self.acts)

    def give_up(self, ticket: Ticket) -> bool:
        """Free a slot that will not be written."""
        return self.parts.give_up(ticket.slot, ticket.token)

    def read(self, hold: Hold, place: int, rank: int) -> tuple[Verdict, bytes]:
        """A shard of the ``place``-th block held, verified: the payload only if it is what was asked for."""
        (frame,) = self.parts.read([(hold.slots[place], rank)])
        return unpack(frame, self.parts.layout.space, hold.keys[place], rank, self.ranks)

    def read_all(self, hold: Hold) -> list[tuple[bytes, ...]]:
        """All shards of the blocks held, in one round trip, up to the first block with one that is wrong."""
        ranks = range(self.ranks)
        frames = iter(self.parts.read([(slot, rank) for slot in hold.slots for rank in ranks]))
        blocks: list[tuple[bytes, ...]] = []
        for key in hold.keys:
            read = [unpack(next(frames), self.parts.layout.space, key, rank, self.ranks) for rank in ranks]
            if any(verdict != "right" for verdict, _ in read):
                break
            blocks.append(tuple(data for _, data in read))
        return blocks

    def unpin(self, hold: Hold) -> bool:
        """False: the lease had run out and a slot was given away, so what was read may be from then."""
        return self.parts.unpin(hold.slots, hold.token, self.acts)

    def _token(self) -> str:
        return f"{self._owner}.{next(self._numbers)}"


def whole(steps: Steps[T]) -> T:
    """Run an act to its end."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            value: T = stop.value
            return value
