"""Each belief as a sentence that is right or wrong: its number is what is believed, or what is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from types import MappingProxyType

from core.misconceptions import BELIEFS, Belief, Shown
from core.misconceptions.story import Value
from ui.course.asked import Asked, Words

PLACES: Mapping[str, str] = MappingProxyType(
    {name: chr(ord("b") + number) for number, name in enumerate(BELIEFS)}
)
"""Where the link keeps the bet on a belief; place a is the bet on the visitor's own prompt."""

ANSWERS = ("holds", "fails")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence about one setting of a demonstration: it says ``value``, and it holds or not."""

    belief: Belief
    knobs: Mapping[str, Value]
    shown: Shown
    holds: bool

    @property
    def value(self) -> float:
        """What the sentence says."""
        return self.shown.true if self.holds else self.shown.believed


def claim(name: str, seed: int) -> Claim:
    """The seed picks a setting in which belief and truth differ, and which of the two is said."""
    belief, dice = BELIEFS[name], Random(f"{name} {seed}")
    holds = dice.random() < 0.5
    settings = list(product(*(knob.values for knob in belief.knobs)))
    dice.shuffle(settings)
    for values in settings:
        knobs = dict(zip((knob.name for knob in belief.knobs), values, strict=True))
        shown = belief.show(**knobs)
        if round(shown.believed, 7) != round(shown.true, 7):
            return Claim(belief, MappingProxyType(knobs), shown, holds)
    raise LookupError(f"belief {name} is true wherever one turns it")


Said = Callable[[float, str], object]
"""A value and its unit -> as the sentence says it: a number, or a text for numbers too small to be read."""


def asked(one: Claim, word: Callable[[str, Value], object], said: Said) -> Asked:
    """The bet. ``word``: a value of a knob in the visitor's language."""
    name, shown = one.belief.name, one.shown
    knobs = {knob: word(name, value) for knob, value in one.knobs.items() if knob != "key"}  # t's own name
    args = {**shown.numbers, **knobs, "n": said(one.value, shown.unit)}
    args["believed"] = said(shown.believed, shown.unit)
    options: tuple[Words, ...] = tuple((f"course.ch11.{answer}", {}) for answer in ANSWERS)
    told: Words = (
        f"course.ch11.told.{ANSWERS[not one.holds]}",
        {"true": said(shown.true, shown.unit)},
    )
    return Asked(
        ask=f"course.ch11.claim.{name}",
        args=args,
        options=options,
        truth=float(not one.holds),
        told=lambda _: told,
    )
