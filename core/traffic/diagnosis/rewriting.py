"""A log written anew: the same requests, other prompts. Equal new pieces are one object."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import is_

from xxhash import xxh3_128_digest

from core.replay.prefix_tree import TELL_EVERY, Progress
from core.scenario.tokenizer import Tokenizer
from core.traces.model import Segment, TraceRequest
from core.traces.pieces import Pieces

Segments = tuple[Segment, ...]
Requests = tuple[TraceRequest, ...]
Change = Callable[["Writer", TraceRequest], Segments]
"""The new prompt of one request; the very same segments where nothing changes."""
_FIXED = ("marker", "assistant", "thinking", "tools", "media")

_LINE = re.compile(r"[^\n]*\n+|[^\n]+")
_PROOFS, _MOST_LINES = 20, 50_000


class Writer:
    """Makes pieces and requests for one repair after the other."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._pieces: dict[tuple[str, str], Segment] = {}
        self._lines: dict[str, array[int]] = {}
        self._by_line = _PROOFS
        """Texts to go until it is taken for granted that this tokenizer cuts each line by itself; -1: no."""

    def piece(self, role: str, text: str) -> Segment:
        """A piece with this text."""
        key = (role, text)
        if key not in self._pieces:
            self._pieces[key] = Segment(role, text, self._tokens(text))
        return self._pieces[key]

    def _tokens(self, text: str) -> array[int]:
        """A text anew is mostly lines that were cut before, and cutting them takes most of the time."""
        lines = _LINE.findall(text)
        if self._by_line < 0 or len(lines) < 2:
            return array("I", self._tokenizer.encode(text))
        found = array("I")
        for line in lines:
            if line not in self._lines:
                self._lines[line] = array("I", self._tokenizer.encode(line))
            found += self._lines[line]
        if self._by_line > 0:
            whole = array("I", self._tokenizer.encode(text))
            self._by_line = self._by_line - 1 if whole == found else -1
            return whole
        return found

    def forget(self) -> None:
        """Before the next repair: what this one wrote is not needed any more."""
        self._pieces.clear()
        if len(self._lines) > _MOST_LINES:
            self._lines.clear()

    def each(self, requests: Sequence[TraceRequest], change: Change, progress: Progress | None) -> Requests:
        """The log after a change of each prompt by itself; equal prompts are changed once."""
        found = []
        known: dict[bytes, Segments] = {}
        for number, request in enumerate(requests):
            if progress is not None and number % TELL_EVERY == 0:
                progress(number, len(requests))
            key = digest_of(request.segments)
            new = known.get(key)
            if new is None:
                new = known[key] = change(self, request)
            same = all(map(is_, new, request.segments)) and len(new) == len(request.segments)
            found.append(with_prompt(request, request.segments if same else new))
        return tuple(found)


def digest_of(segments: Segments) -> bytes:
    """The same for prompts of the same pieces at the same places, as long as their log is there."""
    paths = id(segments.paths) if isinstance(segments, Pieces) else 0
    return xxh3_128_digest(array("Q", [paths, *map(id, segments)]))


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
