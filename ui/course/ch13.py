"""The small cache of chapter 13: what may be typed, its lines, pairs with the engine, a sister to bet on."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.demo import cache as small_cache
from core.demo.cache import PrefixCache, compute, serve
from core.demo.faults import FAULTS, REQUESTS
from core.demo.sisters import SISTERS, reused
from core.demo.trace import Moment
from core.engine.cache_controller import CacheController
from core.engine.hash_chain import HashChain
from core.engine.hash_table import HashTable
from core.engine.scheduler import Scheduler
from core.scenario.tokenizer import TeachingTokenizer
from ui.course.asked import Asked, Words
from ui.course.code import Function, source_of
from ui.course.mine import tokens_of
from ui.frame.session import plain
from ui.stage.own import OwnPrompts

MOST_REQUESTS, MOST_TOKENS, MOST_ID = 6, 12, 99_999
DEFAULT = "\n".join(" ".join(map(str, tokens)) for tokens in REQUESTS)
NUM_SHARED = 4

FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        function.__qualname__: function
        for function in (serve, PrefixCache.look_up, PrefixCache.tags, compute, PrefixCache.store)
    }
)
PAIRS: Mapping[str, tuple[Function, tuple[Function, ...]]] = MappingProxyType(
    {
        "tags": (PrefixCache.tags, (HashChain._extend,)),
        "look_up": (PrefixCache.look_up, (CacheController.match, Scheduler.look_up)),
        "store": (PrefixCache.store, (CacheController.store, HashTable.add)),
        "serve": (serve, (Scheduler.admit,)),
    }
)
"""Of the small cache, and what does the same in the engine."""


def parse_requests(text: str) -> list[list[int]] | None:
    """One request a line, whole numbers with blanks or commas between; None if it is anything else."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not 1 <= len(lines) <= MOST_REQUESTS or any(re.search(r"[^\d\s,]", line, re.ASCII) for line in lines):
        return None
    requests = [[int(number) for number in re.findall(r"\d+", line, re.ASCII)] for line in lines]
    right = all(1 <= len(tokens) <= MOST_TOKENS and max(tokens) <= MOST_ID for tokens in requests)
    return requests if right else None


def code_lines(function: Function) -> list[tuple[int, str]]:
    """The lines that run, with their numbers: without signature, docstring and blanks."""
    first, lines = source_of(function)
    begin = next(place for place, line in enumerate(lines) if line.rstrip().endswith(":")) + 1
    if lines[begin].strip().startswith('"""'):
        ends = (p for p in range(begin, len(lines)) if lines[p].rstrip().endswith('"""'))
        begin = next(ends) + 1
    return [
        (first + place, lines[place].strip()) for place in range(begin, len(lines)) if lines[place].strip()
    ]


def line_key(moment: Moment) -> str:
    """The key of the sentence that explains a moment's line."""
    short = moment.function.rsplit(".", 1)[-1]
    numbers = [number for number, _ in code_lines(FUNCTIONS[moment.function])]
    return f"course.ch13.line.{short}.{numbers.index(moment.line) + 1}"


def first_hit(moments: Sequence[Moment]) -> int:
    """Place of the first moment in which a cached block is about to be reused; 0 if none is."""
    reuse = next(number for number, line in code_lines(PrefixCache.look_up) if line.startswith("kv +="))
    return next((place for place, moment in enumerate(moments) if moment.line == reuse), 0)


def next_request(moments: Sequence[Moment], place: int) -> int:
    """Place where the next request begins; the last one where there is none."""
    now = moments[place].request
    return next((p for p, moment in enumerate(moments) if moment.request > now), len(moments) - 1)


def is_fault(name: str, line: str) -> bool:
    """Whether this line of the card is the one at fault."""
    return line == FAULTS[name].line


def take_away() -> str:
    """The small cache as one file: it runs by itself, shows something and checks it."""
    return inspect.getsource(small_cache)


# -- the bet -----------------------------------------------------------------------------------------------

SIZES = (2, 3, 4, 5)
"""Block sizes that a bet may put."""
ORDERS = ((0, 1), (0, 0), (1, 2), (0, 2), (1, 1), (2, 2))
"""Which two of somebody's three prompts come one after the other; equal numbers: the same prompt twice."""


@dataclass(frozen=True, slots=True)
class Put:
    """What a bet puts: which sister, which block size, which two prompts; reused by her, and rightly."""

    name: str
    size: int
    order: tuple[int, int]
    got: int
    right: int


def sister_put(prompt: OwnPrompts, seed: int) -> Put:
    """What the bet of a seed puts: a fault that makes a difference to this person's prompts. Only where none
    does, one that makes none."""
    tokenizer = TeachingTokenizer()
    ids = [tokenizer.encode(prompt.system + message) for message in prompt.messages[:3]]
    right = {
        (size, order): reused("", [ids[one] for one in order], size) for size in SIZES for order in ORDERS
    }
    found = {
        name: [
            Put(name, size, order, got, wanted)
            for (size, order), wanted in right.items()
            if (got := reused(name, [ids[one] for one in order], size)) != wanted
        ]
        for name in SISTERS
    }
    names = [name for name in SISTERS if found[name]]
    if names:
        puts = found[names[seed % len(names)]]
        return puts[seed // len(names) % len(puts)]
    name, size = tuple(SISTERS)[seed % len(SISTERS)], SIZES[seed // len(SISTERS) % len(SIZES)]
    same = right[size, ORDERS[0]]
    return Put(name, size, ORDERS[0], same, same)


def sister_bet(prompt: OwnPrompts, seed: int) -> Asked:
    """What a faulty sister reuses of the second of two prompts of somebody's."""
    put = sister_put(prompt, seed)
    words = tokens_of(prompt)
    first, second = (_cut(words[one], put.size) for one in put.order)
    most = len(words[put.order[1]])
    seen = {"size": put.size, "line": SISTERS[put.name].line, "first": first, "second": second, "n": most}

    def told(_answer: float) -> Words:
        key = f"course.ch13.bet.{put.name}" + ("" if put.got != put.right else ".same")
        return key, {"got": put.got, "right": put.right, "size": put.size}

    return Asked(
        ask="course.ch13.bet.ask",
        args=seen,
        high=most,
        unit="course.bet.unit.tokens",
        truth=put.got,
        tolerance=(0, put.size),
        told=told,
    )


def changed_line(put: Put) -> int:
    """Number in its file of the line that the sister has changed."""
    numbers = [n for n, line in code_lines(SISTERS[put.name].changed) if line == SISTERS[put.name].line]
    return numbers[0]


def _cut(words: Sequence[str], size: int) -> str:
    """[Hot soup] [with egg], for people."""
    blocks = ("".join(words[start : start + size]).strip() for start in range(0, len(words), size))
    return " ".join(f"\\[{plain(block)}\\]" for block in blocks)
