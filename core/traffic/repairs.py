"""A log after the change that removes a cause of misses: the same requests, their prompts written anew.

Each repair touches only pieces that a cause was found in, and keeps every word unless it says otherwise:

    timestamp_early    the values move behind the rest of the prompt
    tool_order         tools stand in one fixed order
    json_key_order     JSON is written with sorted keys
    stripped_thinking  thinking is left out everywhere
    trimmed_history    nothing is dropped: what was trimmed stands in front again
    shuffled_documents what occurs most often comes first, always in the same order
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from core.replay.prefix_tree import TELL_EVERY, Progress
from core.scenario.tokenizer import Tokenizer
from core.traces.model import Segment, TraceRequest
from core.traffic.causes import VALUES, Cause, Found, as_json, paragraphs

Segments = tuple[Segment, ...]
Requests = tuple[TraceRequest, ...]


class Repairs:
    """Rewrites a log. Equal new pieces are one object, as in a log that was read."""

    def __init__(self, requests: Requests, tokenizer: Tokenizer) -> None:
        self._requests = requests
        self._tokenizer = tokenizer
        self._pieces: dict[tuple[str, str], Segment] = {}
        self._progress: Progress | None = None
        self._ways: dict[Cause, Callable[[set[tuple[int, str]], dict[int, int]], Requests]] = {
            "timestamp_early": self._move_values,
            "tool_order": self._sort_tools,
            "json_key_order": self._sort_keys,
            "stripped_thinking": self._drop_thinking,
            "trimmed_history": self._untrim,
            "shuffled_documents": self._sort_documents,
        }

    def can(self, cause: Cause) -> bool:
        """Whether this cause is removed by writing prompts differently."""
        return cause in self._ways

    def without(self, cause: Cause, found: Sequence[Found], progress: Progress | None = None) -> Requests:
        """The log after the change against ``cause``."""
        self._progress = progress
        of_it = [one for one in found if one.cause == cause]
        pieces = {one.piece for one in of_it if one.piece is not None}
        return self._ways[cause](pieces, {one.request: one.other for one in of_it if one.other is not None})

    # -- one change each ---------------------------------------------------------------------------------

    def _move_values(self, pieces: set[tuple[int, str]], _found: dict[int, int]) -> Requests:
        def change(request: TraceRequest) -> Segments:
            kept, moved = [], []
            for number, part in enumerate(request.segments):
                if (number, part.role) in pieces and part.text is not None:
                    moved += VALUES.findall(part.text)
                    part = self._piece(part.role, VALUES.sub("", part.text))
                kept.append(part)
            return (*kept, self._piece("moved", " ".join(moved))) if moved else request.segments

        return self._each(change)

    def _sort_tools(self, _pieces: set[tuple[int, str]], _found: dict[int, int]) -> Requests:
        def change(request: TraceRequest) -> Segments:
            tools = iter(sorted((p for p in request.segments if p.role == "tools"), key=_text))
            return tuple(next(tools) if part.role == "tools" else part for part in request.segments)

        return self._each(change)

    def _sort_keys(self, _pieces: set[tuple[int, str]], _found: dict[int, int]) -> Requests:
        def change(request: TraceRequest) -> Segments:
            return tuple(self._with_sorted_keys(part) for part in request.segments)

        return self._each(change)

    def _with_sorted_keys(self, part: Segment) -> Segment:
        text = part.text or ""
        value = as_json(text)
        if value is None:
            return part
        ending = text[len(text.rstrip()) :]
        return self._piece(part.role, json.dumps(value, ensure_ascii=False, sort_keys=True) + ending)

    def _drop_thinking(self, _pieces: set[tuple[int, str]], _found: dict[int, int]) -> Requests:
        return self._each(lambda request: tuple(p for p in request.segments if p.role != "thinking"))

    def _untrim(self, _pieces: set[tuple[int, str]], found: dict[int, int]) -> Requests:
        """In order: a prompt whose history goes on from a repaired one goes on from all of it."""
        now: list[TraceRequest] = []
        for number, request in enumerate(self._requests):
            self._tell(number)
            if number in found:
                request = _with(request, _continued(request.segments, now[found[number]].segments))
            now.append(request)
        return tuple(now)

    def _sort_documents(self, pieces: set[tuple[int, str]], _found: dict[int, int]) -> Requests:
        counts: Counter[str] = Counter()
        roles = {role for _, role in pieces}
        for number, request in enumerate(self._requests):
            self._tell(number, counting=True)
            for part in request.segments:
                if part.role in roles and part.text is not None:
                    counts.update({part.text, *paragraphs(part.text)})

        def rank(text: str) -> tuple[int, str]:
            return -counts[text], text

        def change(request: TraceRequest) -> Segments:
            inner = [
                self._sorted_inside(part, counts, rank) if part.role in roles else part
                for part in request.segments
            ]
            return _sorted_runs(inner, roles, counts, rank)

        return self._each(change)

    def _sorted_inside(
        self, part: Segment, counts: Counter[str], rank: Callable[[str], tuple[int, str]]
    ) -> Segment:
        parts = (part.text or "").split("\n\n")
        places = [place for place, text in enumerate(parts) if counts[text] > 1]
        for place, text in zip(places, sorted((parts[p] for p in places), key=rank), strict=True):
            parts[place] = text
        return self._piece(part.role, "\n\n".join(parts)) if len(places) > 1 else part

    # -- helpers -----------------------------------------------------------------------------------------

    def _each(self, change: Callable[[TraceRequest], Segments]) -> Requests:
        changed = []
        for number, request in enumerate(self._requests):
            self._tell(number)
            changed.append(_with(request, change(request)))
        return tuple(changed)

    def _tell(self, done: int, counting: bool = False) -> None:
        """While it only counts nothing is done yet, but whoever wants to stop is heard."""
        if self._progress is not None and done % TELL_EVERY == 0:
            self._progress(0 if counting else done, len(self._requests))

    def _piece(self, role: str, text: str) -> Segment:
        key = (role, text)
        if key not in self._pieces:
            self._pieces[key] = Segment(role, text, array("I", self._tokenizer.encode(text)))
        return self._pieces[key]


def _with(request: TraceRequest, segments: Segments) -> TraceRequest:
    """The request with another prompt; one that would be empty stays as it was."""
    length = sum(len(part.token_ids) for part in segments)
    if segments == request.segments or length == 0:
        return request
    return replace(request, segments=segments, num_tokens=length)


def _text(part: Segment) -> str:
    return part.text or ""


def _continued(mine: Segments, before: Segments) -> Segments:
    """``before`` up to the place where ``mine`` goes on after its common beginning, then that."""
    common = 0
    for left, right in zip(mine, before, strict=False):
        if left is not right:
            break
        common += 1
    ahead = [at for at in range(common, len(before)) if common < len(mine) and before[at] is mine[common]]
    return (*before[: ahead[-1]], *mine[common:]) if ahead else mine


def _sorted_runs(
    parts: list[Segment],
    roles: set[str],
    counts: Counter[str],
    rank: Callable[[str], tuple[int, str]],
) -> Segments:
    """Pieces of one message that occur in several prompts, in the fixed order."""
    start = 0
    while start < len(parts):
        stop = start
        while stop < len(parts) and parts[stop].role in roles and counts[_text(parts[stop])] > 1:
            stop += 1
        if stop - start > 1:
            parts[start:stop] = sorted(parts[start:stop], key=lambda part: rank(_text(part)))
        start = max(stop, start + 1)
    return tuple(parts)
