"""Requests whose prompts the log does not fully hold: nothing is computed from text that is not all there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from core.traces.model import TraceRequest

FAR_SHORTER = 3
"""Reported prompt tokens are so many times those of the text: no tokenizer differs so much."""
MISSING = 200
"""Tokens that have to be missing: templates and tools that no log shows may cost less."""


class Say(Protocol):
    """Takes a note."""

    def __call__(self, code: str, count: int = 1) -> None: ...


def without_hidden(requests: Sequence[TraceRequest], hidden: frozenset[int], say: Say) -> list[TraceRequest]:
    """The requests; those with a hidden or cut piece keep what they report, and are no longer replayed. Text
    that is far shorter than what was reported is said. O(segments)."""
    found = [_bare(request) if _has_hidden(request, hidden) else request for request in requests]
    num_hidden = sum(before is not after for before, after in zip(requests, found, strict=True))
    num_short = sum(_is_short(request) for request in found)
    if num_hidden:
        say("hidden_text", num_hidden)
    if num_short:
        say("short_text", num_short)
    return found


def _has_hidden(request: TraceRequest, hidden: frozenset[int]) -> bool:
    return bool(hidden) and any(id(part) in hidden for part in request.segments)


def _bare(request: TraceRequest) -> TraceRequest:
    reported = None if request.usage is None else request.usage.prompt_tokens
    return replace(request, segments=(), num_tokens=reported or 0)


def _is_short(request: TraceRequest) -> bool:
    reported = None if request.usage is None else request.usage.prompt_tokens
    if reported is None or not request.segments or any(part.role == "media" for part in request.segments):
        return False
    if any(part.text is None or part.text.startswith("<stored ") for part in request.segments):
        return False
    return reported >= FAR_SHORTER * request.num_tokens and reported - request.num_tokens >= MISSING
