"""Look-ups that only repeat what was told: a request that goes on waiting is told once."""

from __future__ import annotations

from core.engine import events as ev
from core.timeline.event_log import EventLog


def repeated(log: EventLog) -> set[int]:
    """Events of look-ups that end like the one before.

    A waiting request is looked up again in every step; only the first refusal is told.
    """
    silent: set[int] = set()
    waiting: dict[str, ev.RequestBlocked] = {}
    look_up: list[int] = []
    for index, event in enumerate(log.events):
        if isinstance(event, ev.BlockHit | ev.BlockMissed | ev.HashCollision):
            look_up.append(index)
            continue
        if isinstance(event, ev.RequestBlocked):
            before = waiting.get(event.request_id)
            if before is not None and before.hit_tokens == event.hit_tokens:
                silent.update([*look_up, index])
            waiting[event.request_id] = event
        elif isinstance(event, ev.RequestAdmitted | ev.RequestFinished):
            waiting.pop(event.request_id, None)
        look_up = []
    return silent
