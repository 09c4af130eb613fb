"""What made two prompts differ where they need not: one cause for each miss, or none.

Read off the two pieces of the log (messages, tools) that hold the first differing token:

    tool_order         the same tools, in another order
    json_key_order     the same JSON value, written differently (order of keys, blanks)
    stripped_thinking  thinking that stands in one prompt and was taken out of the other
    shuffled_documents the same paragraphs or messages, in another order
    trimmed_history    earlier messages were dropped: what follows stands further behind in the other
    timestamp_early    a date, a time, an id or a number differs, the text behind it is the same
    evicted, expired   it was there, and had to go
    too_short          the common beginning, or the prompt, does not fill a block
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, get_args

import numpy as np

from core.replay.prefix_tree import TELL_EVERY, Progress
from core.scenario.tokenizer import Tokenizer
from core.traces.model import Segment, TraceRequest
from core.traffic.misses import Miss, equal_behind
from core.traffic.words import pieces_of

Cause = Literal[
    "timestamp_early",
    "tool_order",
    "json_key_order",
    "stripped_thinking",
    "trimmed_history",
    "shuffled_documents",
    "evicted",
    "expired",
    "too_short",
]
CAUSES: tuple[Cause, ...] = get_args(Cause)

VALUES = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"
    r"|\b\d{1,2}:\d{2}(?::\d{2})?\b"
    r"|\d{4}年\d{1,2}月\d{1,2}日"
    r"|\b[0-9a-f]{12,}\b|\b\d{4,}\b",
    re.ASCII,
)
"""What changes from request to request: dates, times, UUIDs, other ids, long numbers."""


@dataclass(frozen=True, slots=True)
class Found:
    """The cause of one miss. ``other``: the earlier request it was found against. ``piece``: number and role
    of the piece that differs. ``lost``: tokens that could have been reused without it, as far as one sees."""

    cause: Cause
    request: int
    lost: int
    other: int | None = None
    piece: tuple[int, str] | None = None


def find_causes(
    requests: Sequence[TraceRequest],
    misses: Sequence[Miss],
    block_size: int,
    tokenizer: Tokenizer,
    progress: Progress | None = None,
) -> list[Found]:
    """The causes of all misses that have one. Compared are the best stored prefix and the request before of
    the same session: a few more equal tokens may belong to somebody who has nothing to do with it."""
    before: dict[tuple[str, str], int] = {}
    found = []
    for done, miss in enumerate(misses):
        if progress is not None and done % TELL_EVERY == 0:
            progress(done, len(misses))
        request = requests[miss.request]
        others = [] if miss.best is None else [(miss.best, miss.common)]
        key = (request.scope, request.session or "")
        if request.session is not None and key in before and before[key] != miss.best:
            others.append((before[key], common_tokens(request, requests[before[key]])))
        before[key] = miss.request
        one = _cause_of(requests, miss, others, block_size, tokenizer)
        if one is not None:
            found.append(one)
    return found


def _cause_of(
    requests: Sequence[TraceRequest],
    miss: Miss,
    others: Sequence[tuple[int, int]],
    block_size: int,
    tokenizer: Tokenizer,
) -> Found | None:
    if miss.reason in ("evicted", "expired", "too_short"):
        cause: Cause = miss.reason
        return Found(cause, miss.request, miss.lost)
    if miss.reason not in ("differs", "grown"):
        return None
    mine = requests[miss.request]
    most = (mine.num_tokens - 1) // block_size * block_size
    for other, common in others:
        pair = _Pair.at(mine, requests[other], common)
        found = pair.cause(tokenizer) if pair is not None else None
        if pair is None or found is None:
            continue
        behind = pair.shared_paragraphs(tokenizer) if found == "shuffled_documents" else pair.behind()
        lost = min(common + behind, most) - miss.hit_tokens
        if lost > 0:
            return Found(found, miss.request, lost, other, (pair.number, pair.mine.role))
    if miss.reason == "differs" and miss.block == 0:
        return Found("too_short", miss.request, miss.common)
    return None


def common_tokens(mine: TraceRequest, other: TraceRequest) -> int:
    """Length of the common beginning, as far as both are cut into the same pieces."""
    common = 0
    for left, right in zip(mine.segments, other.segments, strict=False):
        if left is not right:
            length = min(len(left.token_ids), len(right.token_ids))
            same = np.equal(left.token_ids[:length], right.token_ids[:length])
            return common + (length if same.all() else int(same.argmin()))
        common += len(left.token_ids)
    return common


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two prompts at the pieces in which they part."""

    request: TraceRequest
    other_request: TraceRequest
    number: int
    place: int
    mine: Segment
    other: Segment
    mine_rest: tuple[Segment, ...]
    other_rest: tuple[Segment, ...]

    @classmethod
    def at(cls, request: TraceRequest, other: TraceRequest, place: int) -> _Pair | None:
        """None if one of them has no piece there, or no text."""
        left, right = _piece_at(request, place), _piece_at(other, place)
        if left is None or right is None:
            return None
        mine, theirs = request.segments[left], other.segments[right]
        if mine.text is None or theirs.text is None:
            return None
        rests = request.segments[left:], other.segments[right:]
        return cls(request, other, left, place, mine, theirs, *rests)

    def cause(self, tokenizer: Tokenizer) -> Cause | None:
        """The first that applies, the most specific one first."""
        both_tools = self.mine.role == "tools" and self.other.role == "tools"
        if both_tools and _texts(self.request) == _texts(self.other_request):
            return "tool_order"
        if _same_json(self.mine.text or "", self.other.text or ""):
            return "json_key_order"
        if (self.mine.role == "thinking") != (self.other.role == "thinking"):
            return "stripped_thinking"
        if self._is_shuffled():
            return "shuffled_documents"
        if self._is_trimmed():
            return "trimmed_history"
        return "timestamp_early" if self._value_differs(tokenizer) else None

    def behind(self) -> int:
        """Equal tokens behind the difference."""
        return equal_behind(self.request, self.other_request, self.place)

    def shared_paragraphs(self, tokenizer: Tokenizer) -> int:
        """Tokens of the paragraphs, from the difference on, that stand in both prompts."""
        mine, other = self._parts()
        return sum(len(tokenizer.encode(text)) for text in mine if text in set(other))

    def _parts(self) -> tuple[list[str], list[str]]:
        """What could be put into another order: paragraphs, or messages of one role; from the first that
        differs on."""
        mine, other = paragraphs(self.mine.text or ""), paragraphs(self.other.text or "")
        if len(mine) < 2 or len(other) < 2:
            mine = [part.text or "" for part in self.mine_rest if part.role == self.mine.role]
            other = [part.text or "" for part in self.other_rest if part.role == self.mine.role]
        first = next((at for at, (a, b) in enumerate(zip(mine, other, strict=False)) if a != b), None)
        return ([], []) if first is None else (mine[first:], other[first:])

    def _is_shuffled(self) -> bool:
        """The first that differs stands further behind in the other prompt, and the other way round; or
        something behind it stands there in another place."""
        mine, other = self._parts()
        if self.mine.role in ("tools", "thinking") or len(mine) < 2 or len(other) < 2:
            return False
        if mine[0] in other and other[0] in mine:
            return True
        together = paragraphs(self.mine.text or "")
        return len(together) > 2 and any(text in other for text in mine)

    def _is_trimmed(self) -> bool:
        ahead = any(part is self.mine for part in self.other_rest[1:])
        return ahead and not any(part is self.other for part in self.mine_rest)

    def _value_differs(self, tokenizer: Tokenizer) -> bool:
        """A value stands over the first differing token in both, and what follows it is equal for a while."""
        left = _value_at(self.request, self.number, self.place, tokenizer)
        right_number = _piece_at(self.other_request, self.place)
        assert right_number is not None
        right = _value_at(self.other_request, right_number, self.place, tokenizer)
        if left is None or right is None:
            return False
        length = min(len(left), len(right), 8)
        return left[:length] == right[:length]


def paragraphs(text: str) -> list[str]:
    """A text cut at blank lines."""
    return [part for part in text.split("\n\n") if part.strip()]


def _piece_at(request: TraceRequest, place: int) -> int | None:
    stops = accumulate(len(part.token_ids) for part in request.segments)
    return next((number for number, stop in enumerate(stops) if place < stop), None)


def _value_at(request: TraceRequest, number: int, place: int, tokenizer: Tokenizer) -> str | None:
    """The text behind the value that covers token ``place``; None if no value does."""
    start = sum(len(part.token_ids) for part in request.segments[:number])
    text = request.segments[number].text or ""
    pieces = pieces_of(request, start, place + 1, tokenizer)
    begin = sum(map(len, pieces[:-1]))
    end = begin + len(pieces[-1])
    for value in VALUES.finditer(text):
        if value.start() < end and value.end() > begin:
            return text[value.end() :]
    return None


def _texts(request: TraceRequest) -> Counter[str]:
    return Counter((part.text or "").strip() for part in request.segments if part.role == "tools")


def _same_json(left: str, right: str) -> bool:
    mine = as_json(left)
    return mine is not None and mine == as_json(right)


def as_json(text: str) -> object | None:
    """A text that is a JSON object or list, as a value; None for anything else."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
