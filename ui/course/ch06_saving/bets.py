"""Chapter 6's bets: the first token of the visitor's own prompt, alone and with a manual in front of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from core.cost import CostModel
from ui.course.asked import Asked, Words
from ui.course.ch06_saving.rulers import fixed_ms
from ui.course.in_turn import hits_in_turn, ids_of, one_of
from ui.words.numbers import never_full

SIZES = (4, 8, 16)
MANUALS = (800, 1_200, 2_000, 3_600)
MANUAL_BLOCK = 16
RIGHT, CLOSE = 0.04, 0.12
"""How far off an answer may be, as a share of the time without the cache: it tells nothing of the truth."""
NEAR = 0.1
"""Of the time without the cache: an answer so near to what a belief would say comes from it."""
_MANUAL_IDS = 2**30
"""The manual's tokens are numbers from here on."""


@dataclass(frozen=True, slots=True)
class FirstToken:
    """A prompt of ``total`` tokens, ``hit`` of them hit; milliseconds to its first token, modelled, and
    those that no hit saves. ``question``: which of the visitor's it is, from 0."""

    question: int
    block_size: int
    manual: int
    total: int
    hit: int
    full_ms: float
    hit_ms: float
    rest_ms: float

    @property
    def counted_ms(self) -> float:
        """What it would take if the share of tokens were the share of time."""
        return self.full_ms * (1 - self.hit / self.total)


def first_token(prompts: Sequence[Sequence[str]], cost: CostModel, seed: int) -> FirstToken:
    """One of the visitor's later questions, in blocks of another size for another seed."""
    question, size = one_of([(number, size) for number in (2, 1) for size in SIZES], seed)
    return _first_token(prompts, cost, question, size, 0)


def with_manual(prompts: Sequence[Sequence[str]], cost: CostModel, seed: int) -> FirstToken:
    """The third question behind a manual that stands in front of all three."""
    return _first_token(prompts, cost, 2, MANUAL_BLOCK, one_of(MANUALS, seed))


def _first_token(
    prompts: Sequence[Sequence[str]], cost: CostModel, question: int, size: int, manual: int
) -> FirstToken:
    front = range(_MANUAL_IDS, _MANUAL_IDS + manual)
    ids = [[*front, *ids_of(pieces)] for pieces in prompts]
    hit = hits_in_turn(ids, size)[question]
    one = cost.compare(len(ids[question]), hit)
    return FirstToken(
        question,
        size,
        manual,
        one.num_tokens,
        hit,
        1e3 * one.full_s,
        1e3 * one.hit_s,
        fixed_ms(cost),
    )


def time_belief(one: FirstToken, answer_ms: float) -> str:
    """What somebody believes who bets on so many milliseconds: share (of tokens is share of time), none
    (nothing is saved), or nothing in particular."""
    near = NEAR * one.full_ms
    if abs(answer_ms - one.hit_ms) <= RIGHT * one.full_ms:
        return "right"
    if abs(answer_ms - one.counted_ms) <= near:
        return "share"
    return "none" if answer_ms >= one.full_ms - near else "right"


def asked_time(one: FirstToken) -> Asked:
    """After how many milliseconds does the first token come?"""
    kind = "manual" if one.manual else "prompt"
    step = _step(one.full_ms)
    args: dict[str, object] = {
        "number": one.question + 1,
        "size": one.block_size,
        "manual": f"{one.manual:,}",
        "total": f"{one.total:,}",
        "hit": f"{one.hit:,}",
        "percent": never_full(one.hit / one.total, 0),
        "full": shown_ms(one.full_ms),
        "rest": shown_ms(one.rest_ms),
        "saved": never_full(1 - one.hit_ms / one.full_ms, 0),
    }

    def told(answer: float) -> Words:
        if not one.hit:
            return "course.ch06.bet.cold.told", {}
        return f"course.ch06.bet.{kind}.{time_belief(one, answer)}", args

    return Asked(
        ask=f"course.ch06.bet.{kind if one.hit else 'cold'}",
        args=args,
        high=round(ceil(one.full_ms / step) * step, 1),
        step=step,
        unit="course.bet.unit.ms",
        truth=round(round(one.hit_ms / step) * step, 1),
        tolerance=tuple(max(round(share * one.full_ms / step), 1) * step for share in (RIGHT, CLOSE)),  # type: ignore[arg-type]
        told=told,
    )


def _step(full_ms: float) -> float:
    """Of the answers: so fine that there are some hundred of them."""
    step = 0.1
    while full_ms / step > 400:
        step *= 10
    return step


def shown_ms(value: float) -> str:
    """Milliseconds as the bet says them."""
    return f"{value:,.1f}"
