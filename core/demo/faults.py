"""Five small prefix caches that look right and are not: one fault each, to be found by reading.

``FAULTS`` names the line; ``results`` runs the faulty code and the right one (``demo_cache``) on the same
requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from core.demo.cache import PrefixCache, compute, serve

SHARED = (1, 2, 3, 4)
REQUESTS = ((1, 2, 3, 4, 100, 101), (1, 2, 3, 4, 200, 201), (5, 6, 7, 8, 300, 301), (1, 2, 3, 4, 400, 401))
BLOCK_SIZE = 2


def keep_the_shared_part(store: dict[str, list[str]], shared: list[int], tokens: list[int]) -> int:
    """Tokens reused. If nothing is there yet, compute the prompt and keep the shared part."""
    key = str(shared)
    begins = tokens[: len(shared)] == shared
    if begins and key in store:
        return len(shared)
    compute(tokens, 0)
    store[key] = ["kv"] * len(shared)
    return 0


def share_of_hits(requests: list[list[int]], shared: list[int]) -> float:
    """The share of requests that hit, from 0 to 1."""
    asked = hits = 0
    for tokens in requests:
        if tokens[: len(shared)] != shared:
            continue
        hits += asked > 0
        asked += 1
    return hits / asked


def kv_of_prompt(tokens: list[int]) -> dict[int, str]:
    """The KV of every token of a prompt."""
    kv: dict[int, str] = {}
    for place, token in enumerate(tokens):
        new = compute(tokens[: place + 1], place)[0]
        kv[token] = new
    return kv


def find_by_hash(store: dict[str, int], shared: list[int], tokens: list[int]) -> int:
    """Tokens reused, found by a digest, so that no tokens have to be compared."""
    if tokens[: len(shared)] != shared:
        return 0
    digest = sha256(str(shared).encode()).hexdigest()
    return store.get(digest, 0)


def longest_beginning(store: set[str], tokens: list[int], length: int) -> int:
    """Tokens of the longest beginning that is cached."""
    digest = sha256(str(tokens[:length]).encode()).hexdigest()
    if digest in store:
        return length
    return 0


@dataclass(frozen=True, slots=True)
class Fault:
    """A function, and its line (as it stands in the source) that is at fault; further ones count as well."""

    function: Callable[..., Any]
    lines: tuple[str, ...]


FAULTS: Mapping[str, Fault] = MappingProxyType(
    {
        "phantom": Fault(keep_the_shared_part, ('store[key] = ["kv"] * len(shared)',)),
        "left_out": Fault(share_of_hits, ("continue", "if tokens[: len(shared)] != shared:")),
        "by_value": Fault(kv_of_prompt, ("kv[token] = new",)),
        "compares": Fault(find_by_hash, ("if tokens[: len(shared)] != shared:",)),
        "all_or_nothing": Fault(
            longest_beginning, ("digest = sha256(str(tokens[:length]).encode()).hexdigest()",)
        ),
    }
)


def results(name: str) -> tuple[float, float]:
    """What the faulty code says, and what is right (tokens; for ``left_out`` percent)."""
    return _CASES[name]()


def _phantom() -> tuple[float, float]:
    """Request 3 comes first; then request 1, whose beginning nobody has computed."""
    shared, first, second = list(SHARED), list(REQUESTS[2]), list(REQUESTS[0])
    store: dict[str, list[str]] = {}
    keep_the_shared_part(store, shared, first)
    cache = PrefixCache(BLOCK_SIZE)
    serve(cache, first)
    return keep_the_shared_part(store, shared, second), serve(cache, second)[0]


def _left_out() -> tuple[float, float]:
    """The four requests."""
    cache = PrefixCache(BLOCK_SIZE)
    requests = [list(tokens) for tokens in REQUESTS]
    hits = sum(serve(cache, tokens)[0] > 0 for tokens in requests)
    return 100 * share_of_hits(requests, list(SHARED)), 100 * hits / len(requests)


def _by_value() -> tuple[float, float]:
    """A prompt in which a token comes twice."""
    tokens = [7, 7, 8]
    return len(kv_of_prompt(tokens)), len(compute(tokens, 0))


def _compares() -> tuple[float, float]:
    """Two prefixes are cached; a request begins with the second one."""
    first, second = list(SHARED), list(REQUESTS[2][:4])
    store = {sha256(str(prefix).encode()).hexdigest(): len(prefix) for prefix in (first, second)}
    cache = PrefixCache(BLOCK_SIZE)
    serve(cache, first)
    serve(cache, second)
    tokens = list(REQUESTS[2])
    return find_by_hash(store, first, tokens), len(cache.look_up(tokens))


def _all_or_nothing() -> tuple[float, float]:
    """Half of the shared beginning is the same."""
    store = {sha256(str(list(SHARED)).encode()).hexdigest()}
    cache = PrefixCache(BLOCK_SIZE)
    serve(cache, list(SHARED))
    tokens = [*SHARED[:2], 9, 9, 100]
    return longest_beginning(store, tokens, len(SHARED)), len(cache.look_up(tokens))


_CASES: Mapping[str, Callable[[], tuple[float, float]]] = MappingProxyType(
    {
        "phantom": _phantom,
        "left_out": _left_out,
        "by_value": _by_value,
        "compares": _compares,
        "all_or_nothing": _all_or_nothing,
    }
)
