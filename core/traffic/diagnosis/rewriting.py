"""A log written anew: the same requests, other prompts. Equal new pieces are one object."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.replay.prefix_tree import TELL_EVERY, Progress
from core.scenario.tokenizer import Tokenizer
from core.traces.model import Segment, TraceRequest

Segments = tuple[Segment, ...]
Requests = tuple[TraceRequest, ...]
Change = Callable[["Writer", TraceRequest], Segments]
"""The new prompt of one request; the very same segments where nothing changes."""
_FIXED = ("marker", "assistant", "thinking", "tools", "media")


class Writer:
    """Makes pieces and requests for one repair after the other."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._pieces: dict[tuple[str, str], Segment] = {}

    def piece(self, role: str, text: str) -> Segment:
        """A piece with this text."""
        key = (role, text)
        if key not in self._pieces:
            self._pieces[key] = Segment(role, text, array("I", self._tokenizer.encode(text)))
        return self._pieces[key]

    def forget(self) -> None:
        """Before the next repair: what this one wrote is not needed any more."""
        self._pieces.clear()

    def each(self, requests: Sequence[TraceRequest], change: Change, progress: Progress | None) -> Requests:
        """The log after a change of each prompt by itself."""
        found = []
        for number, request in enumerate(requests):
            if progress is not None and number % TELL_EVERY == 0:
                progress(number, len(requests))
            found.append(with_prompt(request, change(self, request)))
        return tuple(found)


def with_prompt(request: TraceRequest, segments: Segments) -> TraceRequest:
    """The request with another prompt; one that would be empty stays as it was."""
    length = sum(len(part.token_ids) for part in segments)
    if segments is request.segments or length == 0:
        return request
    return replace(request, segments=segments, num_tokens=length)


def target_of(segments: Segments) -> int | None:
    """The piece that new text may stand in, behind all that is shared: the last that is no answer."""
    for number in range(len(segments) - 1, -1, -1):
        if segments[number].role not in _FIXED and segments[number].text is not None:
            return number
    return None


def without_empty_messages(segments: Sequence[Segment | None]) -> Segments:
    """The prompt without pieces that are None, and without the markers of messages left empty."""
    kept: list[Segment] = []
    number = 0
    while number < len(segments):
        part = segments[number]
        if part is None:
            opens, closes = _marker(kept, -1), _marker(segments, number + 1)
            if opens and closes and number + 1 < len(segments) - 1:
                kept.pop()
                number += 1
        else:
            kept.append(part)
        number += 1
    return tuple(kept)


def _marker(parts: Sequence[Segment | None], place: int) -> bool:
    try:
        part = parts[place]
    except IndexError:
        return False
    return part is not None and part.role == "marker"
