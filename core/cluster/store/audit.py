"""What a store holds that it should not, at a moment when nobody is at work on it."""

from __future__ import annotations

from dataclasses import dataclass

from core.cluster.store.base import Snapshot
from core.cluster.store.frame import key_of
from core.types import BlockHash


@dataclass(frozen=True, slots=True)
class Audit:
    """Slots, but for ``unreachable_bytes``.

    ``lost``: ready, and the index leads elsewhere. ``stale``: the index leads to it for another key, or
    memory holds another. ``stuck``: pinned or claimed by one who is not alive, for longer than ``stuck_s``.
    ``unreachable``: in the index, with a block before it in its chain that is not."""

    used: int
    lost: int
    stale: int
    stuck: int
    unreachable: int
    unreachable_bytes: int

    @property
    def sound(self) -> bool:
        """Nothing leads to what it should not, nothing is held by the dead; heads may be missing."""
        return self.lost == self.stale == self.stuck == 0


def audit(snapshot: Snapshot, stuck_s: float) -> Audit:
    """``stuck_s``: pins and claims that run for longer than this from now on will never end."""
    far = snapshot.at_s + stuck_s
    ready = {number: slot for number, slot in snapshot.slots.items() if slot.ready}
    lost = [number for number, slot in ready.items() if snapshot.index.get(slot.key) != number]
    stuck = [
        number
        for number, slot in snapshot.slots.items()
        if any(until > far for until in slot.pins.values()) or (not slot.ready and slot.until > far)
    ]
    stale = [number for key, number in snapshot.index.items() if not _is_right(snapshot, key, number)]
    apart = [number for key, number in snapshot.index.items() if not _is_reachable(snapshot, key)]
    in_bytes = sum(len(data) for (number, _), data in snapshot.memory.items() if number in apart)
    return Audit(len(snapshot.slots), len(lost), len(stale), len(stuck), len(apart), in_bytes)


def _is_right(snapshot: Snapshot, key: BlockHash, number: int) -> bool:
    slot = snapshot.slots.get(number)
    lying = {key_of(data) for (place, _), data in snapshot.memory.items() if place == number}
    return slot is not None and slot.ready and slot.key == key and lying == {key}


def _is_reachable(snapshot: Snapshot, key: BlockHash) -> bool:
    """Whether all blocks before it are in the index."""
    seen: BlockHash | None = key
    while seen is not None:
        slot = snapshot.slots.get(snapshot.index.get(seen, -1))
        if slot is None or slot.key != seen:
            return False
        seen = slot.parent
    return True
