"""Each miss beside the earlier prompt that it has most in common with, wherever that stands in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.replay.prefix_tree import TELL_EVERY, Progress
from core.traces.model import Segment, TraceRequest
from core.traces.pieces import paths_of
from core.traffic.diagnosis.folding import units
from core.traffic.misses import Miss

MOST_MISSES = 1_500
"""Misses that are looked at closely; of a larger log some of each place."""
_MOST_UNITS = 400_000
_MOST_VOTES = 3


@dataclass(frozen=True, slots=True)
class Pair:
    """Two prompts, and the pieces at which they part. ``shared``: share of the characters that stand in both,
    anywhere."""

    request: int
    other: int
    mine: int
    theirs: int
    shared: float


@dataclass(frozen=True, slots=True)
class Found:
    """``pairs`` of the misses that were looked at; ``num_misses`` of all that a text could have caused."""

    pairs: tuple[Pair, ...]
    num_misses: int


def find_pairs(
    requests: Sequence[TraceRequest],
    misses: Sequence[Miss],
    block_size: int,
    progress: Progress | None = None,
) -> Found:
    """The pairs in the log's order. O(pieces of the log) and a closer look at some misses."""
    wanted = [miss for miss in misses if _may_be_of_text(requests[miss.request], miss)]
    closely = {miss.request for miss in _some_of_each_place(requests, wanted)}
    by_request = {miss.request: miss for miss in wanted if miss.request in closely}
    seen, texts, found = _Seen(), Texts(), []
    for number, request in enumerate(requests):
        if progress is not None and number % TELL_EVERY == 0:
            progress(number, len(requests))
        if number in by_request:
            pair = _pair(requests, by_request[number], seen.like(request), texts, block_size)
            found += [] if pair is None else [pair]
        seen.add(number, request)
    return Found(tuple(found), len(wanted))


def _may_be_of_text(request: TraceRequest, miss: Miss) -> bool:
    return miss.reason in ("differs", "grown") and any(part.text is not None for part in request.segments)


def _some_of_each_place(requests: Sequence[TraceRequest], misses: Sequence[Miss]) -> list[Miss]:
    """All of a small log; of a larger one as many of each place in the record, evenly over the log."""
    if len(misses) <= MOST_MISSES:
        return list(misses)
    places: dict[object, list[Miss]] = {}
    for miss in misses:
        request = requests[miss.request]
        places.setdefault((miss.reason, request.template, _path_at(request, miss.common)), []).append(miss)
    share = max(MOST_MISSES // len(places), 1)
    chosen = [one[:: max(len(one) // share, 1)][:share] for one in places.values()]
    return [miss for some in chosen for miss in some][: 2 * MOST_MISSES]


def _path_at(request: TraceRequest, place: int) -> str:
    for part, path in zip(request.segments, paths_of(request.segments), strict=True):
        place -= len(part.token_ids)
        if place < 0:
            return path
    return ""


class Texts:
    """The units of a piece's text, cut once."""

    def __init__(self) -> None:
        self._units: dict[int, Counter[str]] = {}

    def of(self, part: Segment) -> Counter[str]:
        """How often each unit stands in it; a piece is kept alive by its log."""
        if id(part) not in self._units:
            self._units[id(part)] = Counter(units(part.text or ""))
        return self._units[id(part)]


class _Seen:
    """Which request had a piece, or a line of it, last."""

    def __init__(self) -> None:
        self._pieces: dict[int, int] = {}
        self._lines: dict[int, int] = {}
        self._sessions: dict[tuple[str, str], int] = {}

    def like(self, request: TraceRequest) -> list[int]:
        """Earlier requests that have most of this one, and the one before in its session."""
        votes: Counter[int] = Counter()
        for part in request.segments:
            if part.role == "marker" or part.text is None:
                continue
            if id(part) in self._pieces:
                votes[self._pieces[id(part)]] += len(part.text)
            else:
                votes.update(self._votes(part.text))
        before = self._sessions.get((request.scope, request.session or ""))
        best = [number for number, _ in votes.most_common(_MOST_VOTES)]
        return best if before is None else [before, *best]

    def _votes(self, text: str) -> Iterator[int]:
        for unit in units(text):
            number = self._lines.get(hash(unit))
            if number is not None:
                yield from [number] * min(len(unit), 200)

    def add(self, number: int, request: TraceRequest) -> None:
        """From now on an earlier one."""
        if request.session is not None:
            self._sessions[request.scope, request.session] = number
        for part in request.segments:
            if part.role == "marker" or part.text is None:
                continue
            if id(part) not in self._pieces and len(self._lines) < _MOST_UNITS:
                self._lines.update((hash(unit), number) for unit in units(part.text))
            self._pieces[id(part)] = number


def _pair(
    requests: Sequence[TraceRequest], miss: Miss, like: Sequence[int], texts: Texts, block_size: int
) -> Pair | None:
    """With the earlier request it has most of; None if that is no more than it reused anyway."""
    mine = requests[miss.request]
    others = ([] if miss.best is None else [miss.best]) + list(like)
    others = [number for number in dict.fromkeys(others) if requests[number].scope == mine.scope]
    best: tuple[float, int, int, int] | None = None
    for number in others:
        shared = _shared(mine, requests[number], texts)
        at = parting(mine.segments, requests[number].segments)
        if at is not None and (best is None or shared > best[0] + 1e-9):
            best = (shared, number, *at)
    if best is None or best[0] * mine.num_tokens < miss.hit_tokens + min(block_size, 4):
        return None
    return Pair(miss.request, best[1], best[2], best[3], best[0])


def _shared(mine: TraceRequest, other: TraceRequest, texts: Texts) -> float:
    """The share of my characters, in lines and sentences, that stand in the other too."""
    theirs = {id(part) for part in other.segments}
    lines: Counter[str] = Counter()
    rest = []
    for part in other.segments:
        if part.role != "marker":
            lines += texts.of(part)
    total = common = 0
    for part in mine.segments:
        if part.role == "marker" or not part.text:
            continue
        total += len(part.text)
        if id(part) in theirs:
            common += len(part.text)
        else:
            rest.append(part)
    for part in rest:
        both = texts.of(part) & lines
        common += min(sum((len(unit) + 1) * count for unit, count in both.items()), len(part.text or ""))
    return common / max(total, 1)


def parting(mine: tuple[Segment, ...], other: tuple[Segment, ...]) -> tuple[int, int] | None:
    """The pieces at which two prompts part, markers passed over; None where one goes on behind the other."""
    at = next((n for n, (a, b) in enumerate(zip(mine, other, strict=False)) if a is not b), None)
    if at is None:
        return None
    left = next((n for n in range(at, len(mine)) if mine[n].role != "marker"), None)
    right = next((n for n in range(at, len(other)) if other[n].role != "marker"), None)
    return None if left is None or right is None else (left, right)
