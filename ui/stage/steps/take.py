"""A request takes its blocks: shared ones are touched, others leave the queue and are stored under a tag."""

from __future__ import annotations

from core.engine import events as ev
from ui.stage.steps.telling import Telling


def touched(telling: Telling, event: ev.BlockTouched) -> None:
    cap = "touch.free" if event.was_free else "touch.held"
    telling.step("touch", event, {"ref": event.ref_count}, cap=cap, digest=telling.content(event.block_id))


def evicted(telling: Telling, event: ev.BlockEvicted) -> None:
    telling.evicted_step[telling.index] = len(telling.steps) + 1
    if event.cause == "ttl":
        telling.step("ttl", event, {"ttl": telling.ttl})
        return
    rid = _evictor(telling) if event.cause == "reused" else None
    if rid is not None:
        telling.tallies[rid].evicted += 1
    telling.step("evict", event, {"cause": event.cause}, cap=f"evict.{event.cause}", rid=rid)


def _evictor(telling: Telling) -> str | None:
    """Who takes the block: the allocation right behind this eviction says so."""
    for event in telling.log.events[telling.index + 1 : telling.index + 2]:
        if isinstance(event, ev.BlockAllocated):
            return event.request_id
    return None


def allocated(telling: Telling, event: ev.BlockAllocated) -> None:
    telling.step("alloc", event, cap="alloc.first" if telling.is_first("alloc") else "alloc")


def stored(telling: Telling, event: ev.BlockStored) -> None:
    telling.step("register", event)
    if event.duplicate_of is not None:
        telling.step("dup", event, {"other": event.duplicate_of})


def not_stored(telling: Telling, event: ev.BlockNotStored) -> None:
    args = {"n": event.num_sightings, "threshold": event.threshold}
    telling.step("notstored", event, args, cap=f"notstored.{event.cause}")
