"""Five small prefix caches that look right and are not: one fault each, to be found by reading.

``FAULTS`` names the line and its repair. ``checks`` runs the code on several requests, beside the right one
(``cache``): the repaired code agrees everywhere, and leaving out any single line does not (tests).
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from core.demo.cache import PrefixCache, compute, serve

SHARED = (1, 2, 3, 4)
REQUESTS = ((1, 2, 3, 4, 100, 101), (1, 2, 3, 4, 200, 201), (5, 6, 7, 8, 300, 301), (1, 2, 3, 4, 400, 401))
BLOCK_SIZE = 2
Function = Callable[..., Any]
Check = tuple[float, float]
"""What the code says, and what is right."""


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
    if len(tokens) <= len(shared):
        return 0
    digest = sha256(str(shared).encode()).hexdigest()
    return store.get(digest, 0)


def longest_beginning(store: set[str], tokens: list[int], length: int) -> int:
    """Tokens of the longest beginning that is cached; the store has a digest for the end of each block."""
    digest = sha256(str(tokens[:length]).encode()).hexdigest()
    if digest in store:
        return length
    return 0


@dataclass(frozen=True, slots=True)
class Fault:
    """A function, and its line (as it stands in the source) that is at fault.

    ``repair``: lines, and what stands there instead. ``checks``: runs such a function on its requests; the
    first check is the one that is told.
    """

    function: Function
    line: str
    repair: Mapping[str, str]
    checks: Callable[[Function], list[Check]]


def repaired(name: str) -> str:
    """The source of a card's function with its repair, ready to run."""
    source = textwrap.dedent(inspect.getsource(FAULTS[name].function))
    for line, instead in FAULTS[name].repair.items():
        margin = next(one for one in source.splitlines() if one.strip() == line).partition(line)[0]
        source = source.replace(f"{margin}{line}\n", textwrap.indent(f"{instead}\n", margin))
    return source


def results(name: str) -> Check:
    """What the faulty code says, and what is right (tokens; for ``left_out`` percent)."""
    return FAULTS[name].checks(FAULTS[name].function)[0]


def _phantom(function: Function) -> list[Check]:
    """Request 3 comes first, then request 1, whose beginning nobody has computed; and the other way round."""
    checks: list[Check] = []
    for first, second in ((2, 0), (0, 1), (0, 2)):
        store: dict[str, list[str]] = {}
        cache = PrefixCache(BLOCK_SIZE)
        for number in (first, second):
            tokens = list(REQUESTS[number])
            got, true = function(store, list(SHARED), tokens), serve(cache, tokens)[0]
        checks.append((got, true))
    return checks


def _left_out(function: Function) -> list[Check]:
    """The four requests; those of them that share."""
    checks: list[Check] = []
    for requests in (REQUESTS, (*REQUESTS[:2], REQUESTS[3])):
        cache = PrefixCache(BLOCK_SIZE)
        hits = sum(serve(cache, list(tokens))[0] > 0 for tokens in requests)
        got = function([list(tokens) for tokens in requests], list(SHARED))
        checks.append((round(100 * got, 6), round(100 * hits / len(requests), 6)))
    return checks


def _by_value(function: Function) -> list[Check]:
    """A prompt in which a token comes twice, and one in which none does."""
    prompts = ([7, 7, 8], [7, 8, 9], [1, 2, 1, 2])
    return [(float(len(function(tokens))), float(len(compute(tokens, 0)))) for tokens in prompts]


def _digest(function: Function) -> list[Check]:
    """One prefix is cached. A request with another beginning comes, one with this one, and a short one."""
    cache = PrefixCache(BLOCK_SIZE)
    serve(cache, list(SHARED))
    store = {sha256(str(list(SHARED)).encode()).hexdigest(): len(SHARED)}
    prompts = ([5, 6, 7, 8, 300, 301], [1, 2, 3, 4, 200, 201], [9])
    return [(function(store, list(SHARED), tokens), len(cache.look_up(tokens))) for tokens in prompts]


def _all_or_nothing(function: Function) -> list[Check]:
    """Half of the shared beginning is the same; all of it; none of it."""
    cache = PrefixCache(BLOCK_SIZE)
    serve(cache, list(SHARED))
    ends = range(BLOCK_SIZE, len(SHARED) + 1, BLOCK_SIZE)
    store = {sha256(str(list(SHARED[:end])).encode()).hexdigest() for end in ends}
    prompts = ([1, 2, 9, 9, 100], [1, 2, 3, 4, 100], [9, 2, 3, 4, 100])
    return [(function(store, tokens, len(SHARED)), len(cache.look_up(tokens))) for tokens in prompts]


_KEEPS = 'store[key] = ["kv"] * len(shared)'
_HASHES = "digest = sha256(str(shared).encode()).hexdigest()"
_WHOLE = "digest = sha256(str(tokens[:length]).encode()).hexdigest()"
FAULTS: Mapping[str, Fault] = MappingProxyType(
    {
        "phantom": Fault(keep_the_shared_part, _KEEPS, {_KEEPS: f"if begins:\n    {_KEEPS}"}, _phantom),
        "left_out": Fault(
            share_of_hits,
            "return hits / asked",
            {"return hits / asked": "return hits / len(requests)"},
            _left_out,
        ),
        "by_value": Fault(kv_of_prompt, "kv[token] = new", {"kv[token] = new": "kv[place] = new"}, _by_value),
        "digest": Fault(
            find_by_hash, _HASHES, {_HASHES: _HASHES.replace("(shared)", "(tokens[: len(shared)])")}, _digest
        ),
        "all_or_nothing": Fault(
            longest_beginning,
            _WHOLE,
            {
                _WHOLE: f"for end in range(length, 0, -BLOCK_SIZE):\n    {_WHOLE.replace('length', 'end')}",
                "if digest in store:": "    if digest in store:",
                "return length": "    return end",
            },
            _all_or_nothing,
        ),
    }
)
