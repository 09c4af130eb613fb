"""What the chapter on two caches counts: a request's time, a plane of tokens, a warm-up, four caches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.cost import CostModel
from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.scenario.tokenizer import TeachingTokenizer
from core.tradeoffs.tradeoffs import saving
from core.types import EngineConfig, Request
from ui.course.bars import Row
from ui.course.ch04 import tag_hit

BLOCK = 16
SHARED, OWN, ANSWER = 512, 128, 384  # one request of the plane: 1,024 tokens in all
USERS = 10

# -- one request in time -------------------------------------------------------------------------------

LaneName = Literal["neither", "kv", "both"]
Work = Literal["prefill", "again", "decode"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one lane, in seconds from the request's start; it ends with a token of the answer."""

    work: Work
    start_s: float
    length_s: float


def lanes(cost: CostModel, shared: int, private: int, answer: int) -> dict[LaneName, list[Span]]:
    """One request whose first ``shared`` tokens somebody sent before: without KV, with KV, with both."""
    total = shared + private
    hit = saving(shared, private, BLOCK, cost).hit_tokens
    again = [cost.prefill_s(total + number) for number in range(1, answer)]
    decode = [cost.decode_s([total + number]) for number in range(1, answer)]
    whole, rest = cost.prefill_s(total), cost.prefill_s(total - hit, hit)
    return {
        "neither": _in_a_row(whole, "again", again),
        "kv": _in_a_row(whole, "decode", decode),
        "both": _in_a_row(rest, "decode", decode),
    }


def _in_a_row(first: float, work: Work, others: Sequence[float]) -> list[Span]:
    found, now = [Span("prefill", 0.0, first)], first
    for length in others:
        found.append(Span(work, now, length))
        now += length
    return found


def end_s(lane: Sequence[Span]) -> float:
    """When the answer is complete."""
    return lane[-1].start_s + lane[-1].length_s


# -- tokens × users ------------------------------------------------------------------------------------


def plane(users: int, cached: bool) -> list[Row]:
    """Users who come at once, one prompt cache, KV in each request: who computed which tokens. The last
    sampled token has no KV and computes nothing."""
    hits: list[int] = []
    engine = Engine(
        EngineConfig(BLOCK, (users + 1) * (SHARED + OWN + ANSWER) // BLOCK + 1, enable_caching=cached),
        lambda event: _note(event, hits),
        block_events=False,
    )
    for user in range(users):
        first = 10_000 * (user + 1)
        prompt = (*range(SHARED), *range(first, first + OWN))
        engine.submit(Request(f"U{user + 1}", prompt, tuple(range(first + OWN, first + OWN + ANSWER))))
    engine.run()
    return [[("read", hit), ("computed", SHARED + OWN - hit), ("decoded", ANSWER - 1)] for hit in hits]


def _note(event: Event, hits: list[int]) -> None:
    if isinstance(event, RequestAdmitted) and not event.resumed:
        hits.append(event.hit_tokens)


def computed_in_all(users: int, cached: bool) -> int:
    """Tokens all users compute: the first one's whole prompt, the others' own part, everybody's answer."""
    prompts = SHARED + users * OWN if cached else users * (SHARED + OWN)
    return prompts + users * (ANSWER - 1)


# -- warm-up -------------------------------------------------------------------------------------------


def first_users(users: int, warm: bool) -> list[int]:
    """Hit tokens of the first users of a day, one after another. ``warm``: the prefix was sent before."""
    hits: list[int] = []
    engine = Engine(EngineConfig(BLOCK, 200), lambda event: _note(event, hits), block_events=False)
    if warm:
        engine.submit(Request("warm", tuple(range(SHARED))))
        engine.run()
        hits.clear()
    for user in range(users):
        own = range(10_000 * (user + 1), 10_000 * (user + 1) + OWN)
        engine.submit(Request(f"U{user + 1}", (*range(SHARED), *own)))
        engine.run()
    return hits


# -- four caches ---------------------------------------------------------------------------------------

SMALL_BLOCK = 4


def prompt_hit(system: str, first: str, second: str) -> tuple[int, int]:
    """Tokens of the second prompt that hit after the first one, and all of its tokens."""
    tokenizer = TeachingTokenizer()
    one, two = (tokenizer.encode(system + question) for question in (first, second))
    return tag_hit(one, two, SMALL_BLOCK), len(two)


def shared_beginning(system: str, first: str, second: str) -> int:
    """Tokens from the start on that both prompts have; at most all but the last."""
    tokenizer = TeachingTokenizer()
    one, two = (tokenizer.encode(system + question) for question in (first, second))
    same = next((n for n, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]), len(two))
    return min(same, len(two) - 1)


def likeness(first: str, second: str) -> float:
    """A toy measure from 0 to 1: words in common / all words. Real semantic caches compare vectors."""
    tokenizer = TeachingTokenizer()
    one, two = ({piece.strip().lower() for piece in tokenizer.pieces(text)} for text in (first, second))
    return len(one & two) / len(one | two)
