"""A log's requests as sessions of turns: who continues whom, after which pause, and what was there to read.

A session is what the log calls so. Within it each subagent's conversation (`TraceRequest.branch`) and each
model is a cache scope of its own: the pause before a turn counts from the latest earlier turn of the same
scope, start to start, as providers count. A log without sessions is one session if its turns continue each
other (most read what the turn before them held), else its turns stand alone and nothing is expected of
them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from core.traces.model import TraceRequest

Cause = Literal["ttl", "shrank", "model", "tools", "probably_idle", "unexplained"]


@dataclass(frozen=True, slots=True)
class Reset:
    """A turn that read less than it should have: why, the values of its sentence, tokens written again.

    `extra_tokens`: those known to have been written again, `extra_most`: at most so many. They differ where
    the prompt changed and the log does not show how much of the old one is in the new one.
    """

    cause: Cause
    extra_tokens: int
    extra_most: int
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a session. `total` = read + written + new; `number` counts from 1.

    `pause_s`: since the scope's turn before; None for its first or without times. `expected`: tokens that
    should have been readable had nothing happened; None where nothing is known to stand before this turn.
    """

    number: int
    request: TraceRequest
    read: int
    written: int
    written_5m: int | None
    written_1h: int | None
    new: int
    pause_s: float | None = None
    expected: int | None = None
    reset: Reset | None = None

    @property
    def total(self) -> int:
        """All prompt tokens."""
        return self.read + self.written + self.new


@dataclass(frozen=True, slots=True)
class Session:
    """One session's turns in order; `ttl_s`: for how long its writes were to stay, None if mixed.

    `unknown`: its requests that do not say what they read, so that there may have been more resets.
    """

    name: str | None
    turns: tuple[Turn, ...]
    ttl_s: float | None = None
    unknown: int = 0

    @property
    def resets(self) -> tuple[Turn, ...]:
        """The turns with a reset."""
        return tuple(turn for turn in self.turns if turn.reset is not None)


def turn_of(request: TraceRequest, number: int) -> Turn | None:
    """A request as a turn; None where its usage does not say what was read."""
    usage = request.usage
    if usage is None or not usage.known or usage.prompt_tokens is None or usage.cached_tokens is None:
        return None
    read = usage.cached_tokens
    written = min(usage.written_tokens or 0, usage.prompt_tokens - read)
    new = usage.prompt_tokens - read - written
    return Turn(number, request, read, written, usage.written_5m, usage.written_1h, new)
