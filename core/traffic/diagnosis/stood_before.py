"""How much of each prompt stands in an earlier one, wherever: what no change of order could add to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.traces.model import Segment, TraceRequest
from core.traffic.analysis import Ints
from core.traffic.misses import Miss

WINDOW = 16
"""Tokens in a row that are no chance."""
_MOST_WINDOWS = 2_000_000
_MOST_TOKENS = 8 * _MOST_WINDOWS
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def stood_before(requests: Sequence[TraceRequest], misses: Sequence[Miss]) -> Ints | None:
    """Tokens of each prompt that stand in an earlier one, ``WINDOW`` in a row or a whole piece. None where
    the log has no text, or too much of it. O(tokens of different pieces)."""
    firsts: dict[int, tuple[Segment, int]] = {}
    for number, request in enumerate(requests):
        if not request.segments:
            return None
        for part in request.segments:
            firsts.setdefault(id(part), (part, number))
    parts = [part for part, _ in firsts.values()]
    if sum(len(part.token_ids) for part in parts) > _MOST_TOKENS:
        return None
    covered = dict(zip(firsts, _covered(parts, [number for _, number in firsts.values()]), strict=True))
    found = np.zeros(len(requests), np.int64)
    for number, (request, miss) in enumerate(zip(requests, misses, strict=True)):
        total = 0
        for part in request.segments:
            is_first = firsts[id(part)][1] == number
            total += covered[id(part)] if is_first else len(part.token_ids)
        found[number] = max(total, miss.common, miss.hit_tokens)
    return found


def _covered(parts: Sequence[Segment], numbers: Sequence[int]) -> list[int]:
    """Of each piece, where it is first seen: its tokens in windows that an earlier request has."""
    lengths = np.array([len(part.token_ids) for part in parts], np.int64)
    tokens = np.concatenate([np.frombuffer(part.token_ids, np.uint32) for part in parts]).astype(np.uint64)
    if len(tokens) < WINDOW:
        return [0] * len(parts)
    hashes = _hashes(tokens)
    ends = np.repeat(np.cumsum(lengths), lengths)[: len(hashes)]
    starts = np.flatnonzero(np.arange(len(hashes)) + WINDOW <= ends)
    step = np.uint64(-(-len(starts) // _MOST_WINDOWS))
    if step > 1:
        starts = starts[hashes[starts] % step == 0]  # the same ones of equal texts
    owner = np.repeat(np.array(numbers, np.int64), lengths)[starts]
    kinds, kind = np.unique(hashes[starts], return_inverse=True)
    first = np.full(len(kinds), len(tokens), np.int64)
    np.minimum.at(first, kind, owner)
    known = starts[first[kind] < owner]
    edges = np.zeros(len(tokens) + 1, np.int64)
    np.add.at(edges, known, 1)
    np.add.at(edges, known + WINDOW, -1)
    sums = np.concatenate([[0], np.cumsum(np.cumsum(edges)[:-1] > 0)])
    stops = np.cumsum(lengths)
    each: list[int] = (sums[stops] - sums[stops - lengths]).tolist()
    return each


def _hashes(tokens: np.ndarray) -> np.ndarray:
    """One number per window."""
    count = len(tokens) - WINDOW + 1
    found = np.zeros(count, np.uint64)
    for place in range(WINDOW):
        found = found * _FACTOR + tokens[place : place + count]
    return (found ^ (found >> np.uint64(29))) * _FACTOR >> np.uint64(3)
