"""Evictions that hurt: acts of forgetting, and the tokens that had to be computed again because of them.

One act is what one command threw out for one cause and one request: the five blocks that R7 needed, not five
single blocks. An act's cost are the prompt tokens in share ``evicted`` of later requests whose content it had
dropped last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.engine.events import (
    BlockEvicted,
    CacheReset,
    ClockAdvanced,
    Event,
    RequestAdmitted,
    RequestScheduled,
)
from core.types import RequestId

Cause = Literal["reused", "cap", "ttl", "forced", "reset"]


@dataclass(frozen=True, slots=True)
class Act:
    """One act. ``event``: index of its first eviction in the log; ``for_request``: who needed the room
    (None: a time to live, a command); ``recomputed_by``: who paid, in order."""

    event: int
    cause: Cause
    for_request: RequestId | None
    num_blocks: int
    tokens: int
    recomputed_by: tuple[RequestId, ...]


@dataclass
class _Open:
    event: int
    cause: Cause
    for_request: RequestId | None
    num_blocks: int = 0
    tokens: int = 0
    recomputed_by: list[RequestId] = field(default_factory=list)


class Evictions:
    """Groups evictions into acts, and charges them."""

    def __init__(self) -> None:
        self._acts: list[_Open] = []
        self._act_of: dict[int, _Open] = {}
        self._current: dict[tuple[Cause, RequestId | None], _Open] = {}  # of this command
        self._request: RequestId | None = None
        self.num_blocks: dict[Cause, int] = {"reused": 0, "cap": 0, "ttl": 0, "forced": 0, "reset": 0}

    def take(self, index: int, event: Event) -> None:
        """Read event number ``index``."""
        match event:
            case ClockAdvanced():
                self._current.clear()
                self._request = None
            case RequestAdmitted() | RequestScheduled():
                self._request = event.request_id
            case BlockEvicted():
                self._add(index, event.cause, self._request, 1)
            case CacheReset(ok=True):
                self._add(index, "reset", None, event.num_cleared)

    def _add(self, index: int, cause: Cause, request_id: RequestId | None, num_blocks: int) -> None:
        key = (cause, request_id)
        if key not in self._current:
            self._current[key] = _Open(index, cause, request_id)
            self._acts.append(self._current[key])
        act = self._current[key]
        act.num_blocks += num_blocks
        self._act_of[index] = act
        self.num_blocks[cause] += num_blocks

    def charge(self, event: int, request_id: RequestId, tokens: int) -> None:
        """A request computes tokens again because of eviction number ``event``."""
        act = self._act_of[event]
        act.tokens += tokens
        if request_id not in act.recomputed_by:
            act.recomputed_by.append(request_id)

    def worst(self, count: int) -> tuple[Act, ...]:
        """The acts that cost most, dearest first, earlier ones first among equals; only those that cost."""
        costly = sorted((act for act in self._acts if act.tokens), key=lambda act: (-act.tokens, act.event))
        return tuple(
            Act(a.event, a.cause, a.for_request, a.num_blocks, a.tokens, tuple(a.recomputed_by))
            for a in costly[:count]
        )
