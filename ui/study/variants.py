"""The sheet's questions: each seed gives other numbers, and a run of the engine says what is right.

``variant("stamp", 7)`` is the same question today and in a year, for seeds stand in links and on paper:
what a seed gives is recorded in tests/unit/ui/study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from secrets import randbelow
from types import MappingProxyType

from ui.frame.shared import Shared
from ui.study.draw import Draw
from ui.study.ideas import LETTERS, RIGHT
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


def fresh_seed(unlike: int | None = None) -> int:
    """A seed that nobody can guess; ``unlike``: one whose questions it repeats none of."""
    while True:
        seed = randbelow(NUM_SEEDS)
        if unlike is None or not any(same_numbers(name, seed, unlike) for name in RIGHT):
            return seed


def same_numbers(name: str, seed: int, other: int) -> bool:
    """Whether two seeds ask the same."""
    return variant(name, seed).args == variant(name, other).args
