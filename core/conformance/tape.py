"""What the engine said during one operation, read from its events alone.

Nothing here asks the engine: an event that is missing, wrong or out of order shows up as a wrong outcome.
"""

from __future__ import annotations

from core.conformance.contents import Contents
from core.engine.events import (
    BlockAllocated,
    BlockEvicted,
    BlockReleased,
    BlockStored,
    BlockTouched,
    CacheReset,
    Event,
    LookedUp,
    RequestAdmitted,
    RequestFinished,
    RequestPreempted,
    RequestScheduled,
)
from core.engine.kv_events import KVCleared, KVRemoved, KVStored
from core.engine.stats import Statistics
from core.timeline.kv_events import KVEventReader


class Tape:
    """Takes the engine's events: pass it as `emit`, call `cut` before each operation."""

    def __init__(self, contents: Contents, block_size: int) -> None:
        self.statistics = Statistics()
        self.tables: dict[str, list[int]] = {}  # block tables, as the block events tell them
        self._contents = contents
        self._reader = KVEventReader(block_size)
        self._events: list[Event] = []
        self._unpublished: list[Event] = []  # for KV events, which are published once a step

    def __call__(self, event: Event) -> None:
        self._events.append(event)
        self._unpublished.append(event)
        self.statistics.add(event)
        match event:
            case BlockTouched(request_id, index, block_id) | BlockAllocated(request_id, index, block_id):
                self.tables.setdefault(request_id, [])[index:] = [block_id]
            case RequestPreempted(request_id):
                self.tables.pop(request_id, None)

    def cut(self) -> None:
        """Begin a new operation; finished requests have no block table any more."""
        for request_id in self.finished():
            self.tables.pop(request_id, None)
        self._events = []

    # -- blocks -----------------------------------------------------------------------------------

    def hit_blocks(self) -> list[int]:
        """Blocks a look-up without a request found."""
        found = [event for event in self._events if isinstance(event, LookedUp)]
        return [block_id for event in found for block_id in event.block_ids]

    def new(self) -> list[int]:
        """Blocks taken from the free queue."""
        return [event.block_id for event in self._events if isinstance(event, BlockAllocated)]

    def evicted(self) -> list[list[object]]:
        """[block, content it lost]."""
        return [
            [event.block_id, self._contents.index(event.hash)]
            for event in self._events
            if isinstance(event, BlockEvicted)
        ]

    def cached(self) -> list[list[object]]:
        """[block, content it was given]."""
        return [
            [event.block_id, self._contents.index(event.hash)]
            for event in self._events
            if isinstance(event, BlockStored)
        ]

    def released(self) -> list[list[int]]:
        """[block, ref count afterwards]."""
        return [
            [event.block_id, event.ref_count] for event in self._events if isinstance(event, BlockReleased)
        ]

    def num_cleared(self) -> int:
        """Blocks that lost their content in a reset."""
        return sum(event.num_cleared for event in self._events if isinstance(event, CacheReset))

    # -- requests ---------------------------------------------------------------------------------

    def scheduled(self) -> dict[str, int]:
        """Tokens each request computes in this step; one preempted later in the step computes nothing."""
        scheduled: dict[str, int] = {}
        for event in self._events:
            match event:
                case RequestAdmitted() | RequestScheduled():
                    scheduled[event.request_id] = event.num_scheduled
                case RequestPreempted():
                    scheduled.pop(event.request_id, None)
        return scheduled

    def admitted(self, resumed: bool) -> list[list[object]]:
        """[request, hit tokens] of new requests, or of those that come back after a preemption."""
        return [
            [event.request_id, event.hit_tokens]
            for event in self._events
            if isinstance(event, RequestAdmitted) and event.resumed == resumed
        ]

    def preempted(self) -> list[str]:
        """Requests that lost their blocks."""
        return [event.request_id for event in self._events if isinstance(event, RequestPreempted)]

    def finished(self) -> list[str]:
        """Requests that are over."""
        return [event.request_id for event in self._events if isinstance(event, RequestFinished)]

    # -- what an outside listener and the operator see ----------------------------------------------

    def publish(self) -> list[list[object]]:
        """KV events since the last publication, contents as indexes."""
        index, published = self._contents.index, list[list[object]]()
        for event in self._reader.read(self._unpublished):
            match event:
                case KVStored():
                    contents = [index(key) for key in event.block_hashes]
                    parent, num_tokens = index(event.parent_block_hash), len(event.token_ids)
                    published.append(["stored", contents, parent, num_tokens])
                case KVRemoved():
                    published.append(["removed", [index(event.block_hash)]])
                case KVCleared():
                    published.append(["cleared"])
        self._unpublished = []
        return published

    def counters(self) -> dict[str, list[int]]:
        """Windowed and lifetime hit rate."""
        return {"win": list(self.statistics.window), "ctr": list(self.statistics.lifetime)}
