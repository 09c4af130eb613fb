"""What a run of some requests comes to, read from its log."""

from __future__ import annotations

from core.engine.events import RequestAdmitted
from core.timeline.event_log import EventLog


def hits_of(log: EventLog) -> list[int]:
    """Prompt tokens that each request hit, in the order in which they were admitted."""
    return [event.hit_tokens for event in log.events if isinstance(event, RequestAdmitted)]
