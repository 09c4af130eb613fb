"""One bet as it is put, and how good an answer to it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

from core.texts import text_bytes

Grade = Literal["right", "close", "wrong", "placed"]
"""How good an answer is; ``placed``: a link says that it was given; nobody has graded it in this visit."""

GRADES: tuple[Grade, ...] = ("right", "close", "wrong", "placed")
"""The best first."""

PERCENT = (3, 10)
"""Points off that are right, and close, in every bet on a share."""

Words = tuple[str, Mapping[str, object]]
"""A key of the string tables and what fills its holes. What people typed goes through ``plain`` first."""

SEEDS = 36**3
"""A bet is put with one of so many seeds; its mark is one of as many."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One bet as it is put. What the engine knows stays out of the page until somebody has committed.

    ``ask``, ``args``: the question. ``options``: what to choose from; none: a number from ``low`` to ``high``
    by ``step``, said with ``unit`` (a key with the hole ``{n}``, or ""). ``truth``: number of the right
    option, from 0, or the number. ``tolerance``: how far off is still right, and still close; it is shown
    beside the open question, so it must not follow from the truth. ``told``: what is said after, given the
    answer: why, and the belief behind it.
    """

    ask: str
    truth: float
    told: Callable[[float], Words]
    args: Mapping[str, object] = field(default_factory=dict)
    options: tuple[Words, ...] = ()
    low: float = 0
    high: float = 0
    step: float = 1
    unit: str = ""
    tolerance: tuple[float, float] = (0, 0)

    def grade(self, answer: float) -> Grade:
        """How good an answer is."""
        off = round(abs(answer - self.truth), 6)
        if self.options or off == 0:
            return "right" if off == 0 else "wrong"
        return "right" if off <= self.tolerance[0] else "close" if off <= self.tolerance[1] else "wrong"

    def allows(self, answer: float) -> bool:
        """Whether it can be said: one of the options, or any number of the range."""
        if self.options:
            return answer in range(len(self.options))
        return self.low <= answer <= self.high

    def answers(self) -> tuple[float, ...]:
        """Everything that can be said."""
        if self.options:
            return tuple(range(len(self.options)))
        steps = round((self.high - self.low) / self.step)
        return tuple(round(self.low + number * self.step, 3) for number in range(steps + 1))

    @property
    def mark(self) -> str:
        """Three signs that another question, or the same with another truth, hardly has."""
        return _signs((self._put(), f"{self.truth:.6g}"))

    @property
    def face(self) -> str:
        """The same for what can be seen of it before somebody has answered."""
        return _signs(self._put())

    def _put(self) -> object:
        words = [(key, sorted((name, str(one)) for name, one in args.items())) for key, args in self._words()]
        return words, self.low, self.high, self.step

    def _words(self) -> tuple[Words, ...]:
        return (self.ask, self.args), *self.options


def _signs(told: object) -> str:
    digest = blake2b(text_bytes(repr(told)), digest_size=4).digest()
    return base36(int.from_bytes(digest) % SEEDS).zfill(3)


def base36(number: int) -> str:
    """A whole number in as few signs as a link can carry."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while number or not text:
        number, rest = divmod(number, 36)
        text = digits[rest] + text
    return text
