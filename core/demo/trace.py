"""Runs ``demo_cache`` line by line and writes down what stands where: for a page that steps through it.

Only our own functions are run; what a visitor edits are the numbers that go in.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from core.demo.cache import PrefixCache, compute, serve

TRACED = (serve, PrefixCache.look_up, PrefixCache.tags, compute, PrefixCache.store)


@dataclass(frozen=True, slots=True)
class Moment:
    """Just before a line runs, or (``returns``) just after the last one of a function.

    ``values``: its variables; ``stored``: the cache, tag and KV of each block; ``request`` counts from 0.
    """

    request: int
    function: str
    line: int
    values: tuple[tuple[str, str], ...]
    stored: tuple[tuple[str, tuple[str, ...]], ...]
    returns: str | None


def trace(requests: Sequence[Sequence[int]], block_size: int) -> list[Moment]:
    """Serve requests one after the other on an empty cache; one moment for every line."""
    cache = PrefixCache(block_size)
    codes = {function.__code__ for function in TRACED}
    moments: list[Moment] = []
    request = 0

    def at_line(frame: FrameType, kind: str, value: Any) -> Any:
        if kind in ("line", "return"):
            returns = repr(value) if kind == "return" else None
            moments.append(_moment(request, frame, cache, returns))
        return at_line

    def at_call(frame: FrameType, _kind: str, _value: Any) -> Any:
        return at_line if frame.f_code in codes else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        for request, tokens in enumerate(requests):  # noqa: B007 (at_line reads it)
            serve(cache, list(tokens))
    finally:
        sys.settrace(before)
    return moments


def _moment(request: int, frame: FrameType, cache: PrefixCache, returns: str | None) -> Moment:
    hidden = ("self", "cache")
    values = tuple((name, repr(value)) for name, value in frame.f_locals.items() if name not in hidden)
    stored = tuple((tag, tuple(kv)) for tag, kv in cache.kv_of.items())
    return Moment(request, frame.f_code.co_qualname, frame.f_lineno, values, stored, returns)


@dataclass(frozen=True, slots=True)
class Rates:
    """After one request: tokens reused, and three hit rates that people report, each from 0 to 1.

    ``of_asked`` counts only requests that begin with the shared prefix (the others never ask), None while
    there is none; ``of_requests`` counts them all; ``of_tokens`` weighs them by length.
    """

    reused: int
    of_asked: float | None
    of_requests: float
    of_tokens: float


def rates(requests: Sequence[Sequence[int]], shared: Sequence[int], block_size: int) -> list[Rates]:
    """Serve requests on an empty cache and keep three accounts."""
    cache = PrefixCache(block_size)
    rows: list[Rates] = []
    hits = asked = asked_hits = tokens_reused = tokens_all = 0
    for number, tokens in enumerate(requests, 1):
        reused, _ = serve(cache, list(tokens))
        hits += reused > 0
        if list(tokens[: len(shared)]) == list(shared):
            asked += 1
            asked_hits += reused > 0
        tokens_reused += reused
        tokens_all += len(tokens)
        of_asked = asked_hits / asked if asked else None
        rows.append(Rates(reused, of_asked, hits / number, tokens_reused / tokens_all))
    return rows
