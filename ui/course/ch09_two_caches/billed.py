"""A bet on a provider's rule: how much of a prompt, behind a manual, is billed at the read price."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from core.scenario.tokenizer import TeachingTokenizer
from core.traffic.providers import with_minimum
from ui.course.asked import Asked, Words
from ui.stage.own import OwnPrompts
from ui.words.offers import Offer, offers


@dataclass(frozen=True, slots=True)
class Billed:
    """The second of two requests with one beginning, under one offer. ``manual``: tokens in front of
    everything; ``shared``: tokens that the offer may keep (up to the mark, or as far as both are equal);
    ``tokens``: of the whole prompt; ``read``: billed at the read price."""

    offer: Offer
    minimum: int
    manual: int
    shared: int
    tokens: int
    read: int


def rules() -> tuple[Offer, ...]:
    """The offers whose rule gives one number."""
    return tuple(offer for offer in offers() if offer.counts)


def billed(prompt: OwnPrompts, seed: int) -> Billed:
    """The seed picks the offer, one of its minimums, and a manual. The whole prompt always reaches the
    minimum, what may be kept of it not always: so the lengths in the question do not say the answer."""
    dice = Random(seed)
    offer = dice.choice(rules())
    minimum = dice.choice(offer.minimums)
    cut = TeachingTokenizer()
    system = cut.encode(prompt.system)
    first, second = ([*system, *cut.encode(message)] for message in prompt.messages[:2])
    own = len(system) if offer.counts == "marked" else _equal(first, second)
    behind = len(second) - own
    if behind and dice.random() < 0.5:
        manual = minimum - own - dice.randint(1, behind)
    else:
        manual = int(minimum * dice.choice((1.1, 1.3, 1.7))) // 10 * 10
    shared, tokens = manual + own, manual + len(second)
    return Billed(offer, minimum, manual, shared, tokens, with_minimum(shared, minimum, offer.step))


def _equal(first: list[int], second: list[int]) -> int:
    """Tokens from the start on that both have, at most all but the last of the second."""
    equal = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    return min(len(first) if equal is None else equal, len(second) - 1)


def asked(prompt: OwnPrompts, seed: int) -> Asked:
    """The bet; each offer has its rule in a sentence of its own."""
    one = billed(prompt, seed)
    words: dict[str, object] = {
        "date": one.offer.read_on,
        "manual": f"{one.manual:,}",
        "tokens": f"{one.tokens:,}",
        "minimum": f"{one.minimum:,}",
    }
    pays = (one.tokens - one.read + one.read * one.offer.prices.read) / one.tokens
    said = {
        **words,
        "shared": f"{one.shared:,}",
        "read": f"{one.read:,}",
        "step": one.offer.step,
        "pays": f"{100 * pays:.0f}",
    }

    def told(answer: float) -> Words:
        if one.read == 0:
            return f"course.ch09.bet.below.{one.offer.below}", said
        if answer == 0:
            return "course.ch09.bet.above", said
        if one.offer.step > 1:
            return "course.ch09.bet.steps", said
        return "course.ch09.bet.told", said

    return Asked(
        ask=f"course.ch09.bet.ask.{one.offer.offer_id}",
        args=words,
        low=0,
        high=one.tokens,
        unit="course.bet.unit.tokens",
        truth=one.read,
        tolerance=(20, 200),
        told=told,
    )
