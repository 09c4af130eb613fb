"""Chapter 6's bets: the first token of the visitor's own prompt, alone and with a manual in front of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.cost import CostModel
from ui.course.ch06_saving.rulers import fixed_ms
from ui.course.in_turn import hits_in_turn, ids_of, one_of

SIZES = (4, 8, 16)
MANUALS = (800, 1_200, 2_000, 3_600)
MANUAL_BLOCK = 16
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
    def truth(self) -> float:
        """What the bet is on: milliseconds with the cache, as the page shows them."""
        return round(self.hit_ms, 1)

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
    near = 0.1 * one.full_ms
    if abs(answer_ms - one.truth) <= near:
        return ""
    if abs(answer_ms - one.counted_ms) <= near:
        return "share"
    return "none" if answer_ms >= one.full_ms - near else "off"
