"""How many blocks running requests held at the worst moment, and how many they would have held unshared."""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.events import BlockAllocated, BlockReleased, BlockTouched, Event
from core.types import BlockId


@dataclass(frozen=True, slots=True)
class Peak:
    """Blocks, each at its own worst moment. ``unshared``: every request with a copy of its own."""

    shared: int
    unshared: int


class HeldBlocks:
    """Follows ref counts through a log."""

    def __init__(self) -> None:
        self._ref: dict[BlockId, int] = {}
        self._num_refs = 0
        self._num_held = 0
        self.peak = Peak(0, 0)

    def take(self, event: Event) -> None:
        """Read one event."""
        match event:
            case BlockTouched() | BlockReleased():
                self._set(event.block_id, event.ref_count)
            case BlockAllocated():
                self._set(event.block_id, 1)

    def _set(self, block_id: BlockId, ref_count: int) -> None:
        before = self._ref.get(block_id, 0)
        self._ref[block_id] = ref_count
        self._num_refs += ref_count - before
        self._num_held += (ref_count > 0) - (before > 0)
        if self._num_held > self.peak.shared or self._num_refs > self.peak.unshared:
            shared, unshared = self.peak.shared, self.peak.unshared
            self.peak = Peak(max(shared, self._num_held), max(unshared, self._num_refs))
