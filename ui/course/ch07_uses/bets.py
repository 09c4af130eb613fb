"""Chapter 7's bet: the visitor's three prompts, put together in another order; how much of them hits?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ui.course.asked import PERCENT, Asked, Words
from ui.course.in_turn import hits_in_turn, ids_of, one_of

ORDERS = ("behind", "front", "clock_front", "clock_behind")
"""Where the question stands, or a time of day that is new in each prompt (the question then stands last)."""
SIZES = (1, 2, 3, 8)
"""Of blocks in the bet; the picture's and the stage's are of four, so that they show no bet's answer."""
_CLOCK_IDS, CLOCK = 2**30, 3
"""A time of day: three tokens, others in each prompt."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Three prompts in one order: tokens of each, and those that hit."""

    order: str
    block_size: int
    totals: tuple[int, ...]
    hits: tuple[int, ...]

    @property
    def percent(self) -> int:
        """Hit tokens of all tokens, in whole percent."""
        return round(100 * sum(self.hits) / sum(self.totals))


def ordered(parts: Sequence[tuple[Sequence[str], Sequence[str]]], seed: int) -> Ordered:
    """Another order, another block size for another seed. ``parts``: beginning and question of each prompt,
    as token texts."""
    order, size = one_of([(order, size) for order in ORDERS for size in SIZES], seed)
    return in_order(parts, order, size)


def in_order(parts: Sequence[tuple[Sequence[str], Sequence[str]]], order: str, size: int) -> Ordered:
    """The three prompts in this order, one after another through the engine."""
    prompts = []
    for number, (beginning, question) in enumerate(parts):
        first, last = ids_of(beginning), ids_of(question)
        clock = list(range(_CLOCK_IDS + CLOCK * number, _CLOCK_IDS + CLOCK * (number + 1)))
        prompts.append({
            "behind": [*first, *last],
            "front": [*last, *first],
            "clock_front": [*clock, *first, *last],
            "clock_behind": [*first, *clock, *last],
        }[order])  # fmt: skip
    hits = hits_in_turn(prompts, size)
    return Ordered(order, size, tuple(map(len, prompts)), tuple(hits))


# -- as it is put ----------------------------------------------------------------------------------------


def asked_order(one: Ordered) -> Asked:
    """How much hits in this order?"""
    args = {"size": one.block_size, "total": sum(one.totals), "hit": sum(one.hits)}

    def told(answer: float) -> Words:
        why = "told"
        if one.order == "front" and one.percent > PERCENT[1]:
            why = "equal"
        elif one.order == "clock_front" and answer > PERCENT[1]:
            why = "belief"
        return f"course.ch07.bet.{one.order}.{why}", args

    return Asked(
        ask=f"course.ch07.bet.{one.order}",
        args=args,
        high=100,
        unit="course.bet.unit.percent",
        truth=one.percent,
        tolerance=PERCENT,
        told=told,
    )
