"""The sheet's questions: each seed gives other numbers, and a run of the engine says what is right.

``variant("stamp", 7)`` is the same question today and in a year, for seeds stand in links and on paper:
what a seed gives is recorded in tests/unit/ui/study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from secrets import randbelow
from types import MappingProxyType

from ui.frame.shared import Shared
from ui.study.draw import Draw
from ui.study.ideas import LETTERS, RIGHT, SIX
from ui.study.numbers import QUESTIONS
from ui.words.i18n import Lang, t

NUM_SEEDS = 36**4


@dataclass(frozen=True)
class Variant:
    """One question with its numbers. ``args``: the holes of its texts; ``order``: the letters as shown."""

    name: str
    seed: int
    args: Mapping[str, object]
    order: tuple[str, ...]

    @property
    def right(self) -> str:
        """The letter that is right."""
        return RIGHT[self.name]

    def ask(self, lang: Lang) -> str:
        """The question."""
        return self._text("ask", lang)

    def option(self, letter: str, lang: Lang) -> str:
        """One of its four options."""
        return self._text(letter, lang)

    def why(self, lang: Lang) -> str:
        """Why the right one is right."""
        return self._text("why", lang)

    def _text(self, part: str, lang: Lang) -> str:
        args = dict(self.args)
        if "what" in args:
            args["what"] = t(f"six.{self.name}.what{args['what']}", lang)
        return t(f"six.{self.name}.{part}", lang, **args)


_VARIANTS = Shared(512)


def variant(name: str, seed: int) -> Variant:
    """The question of that name that belongs to a seed."""
    return _VARIANTS.get((name, seed), lambda: _make(name, seed))


def _make(name: str, seed: int) -> Variant:
    draw = Draw(seed, name)
    order = tuple(sorted(LETTERS, key=lambda letter: draw.number(f"place of {letter}")))
    return Variant(name, seed, MappingProxyType(QUESTIONS[name](draw)), order)


def fresh_seed(time: str = "before", unlike: int | None = None) -> int:
    """A seed that nobody can guess. A question belongs to one of the two times, so that nobody meets it
    twice, on paper neither. ``unlike``: a seed, maybe of an older link, of which it repeats no question."""
    while True:
        seed = randbelow(NUM_SEEDS)
        if all(time_of(name, seed) == time for name in SIX) and not (
            unlike is not None and repeats(seed, unlike)
        ):
            return seed


def time_of(name: str, seed: int) -> str:
    """The time at which this question is asked, with these numbers: half of all at each."""
    text = f"{name} {sorted(variant(name, seed).args.items())}"
    return ("before", "after")[blake2b(text.encode(), digest_size=1).digest()[0] % 2]


def repeats(seed: int, other: int) -> bool:
    """Whether any of the six ideas has the same numbers, in the question or in the right answer."""
    return any(same_numbers(name, seed, other) for name in SIX)


def same_numbers(name: str, seed: int, other: int) -> bool:
    """Whether two seeds ask the same, or want the same number (for ``done`` it is always 0)."""
    one, two = variant(name, seed), variant(name, other)
    if one.args == two.args:
        return True
    return name != "done" and one.option(one.right, "en") == two.option(two.right, "en")
