"""The sheet of one visitor: which questions (a seed for each time), what was answered, and how sure.

    7k3_AAacAA-2fq_CBbAcaAa     seed _ answers, before and after; a capital: sure; a dot: left out
    7k3_                        begun, nothing answered yet
    cbbacb-abbacb               an earlier sheet: three options, the same numbers for everybody

Letters stand for thoughts (``ui.study.ideas``), not for places on the page. Paper prints the same questions
for the same seeds (``ui.export.six_paper``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ui.study.ideas import RIGHT, SIX, TIMES

NOTHING = "."
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_EARLIER = re.compile(r"[abc.]{6}")
_BEGUN = re.compile(r"([0-9a-z]{1,4})_([a-dA-D.]*)")


@dataclass(frozen=True, slots=True)
class Answered:
    """One time: ``marks`` has a letter per question. ``seed`` None: answered on an earlier sheet."""

    seed: int | None
    marks: str

    def letter(self, place: int) -> str | None:
        """What was answered; None: left out, or not asked."""
        mark = self.marks[place : place + 1].lower()
        return mark if mark not in ("", NOTHING) else None

    def sure(self, place: int) -> bool:
        """Whether they were sure of it."""
        return self.marks[place : place + 1].isupper()


@dataclass(frozen=True, slots=True)
class Sheet:
    """Both times; None: that time has not come yet. ``seed``: of the questions that are open now."""

    before: Answered | None = None
    after: Answered | None = None
    seed: int | None = None

    @property
    def time(self) -> str:
        """What comes next: before, after, or done."""
        return "before" if self.before is None else "after" if self.after is None else "done"

    @property
    def is_answered(self) -> bool:
        """Whether there is anything of the visitor's in it."""
        return self.before is not None

    def begun(self, seed: int) -> Sheet:
        """The sheet with the questions of the time that is next laid out."""
        return self if self.time == "done" else replace(self, seed=seed)

    def answered(self, letters: Mapping[str, str | None], sure: Mapping[str, bool]) -> Sheet:
        """The sheet with the answers of the time that is next."""
        if self.time == "done":
            return self
        marks = "".join(_mark(letters.get(name), sure.get(name, False)) for name in TIMES[self.time])
        return self.then(Answered(self.seed, marks))

    def then(self, answered: Answered) -> Sheet:
        """The sheet with that time done."""
        return Sheet(answered) if self.before is None else Sheet(self.before, answered)


def _mark(letter: str | None, sure: bool) -> str:
    return NOTHING if letter is None else letter.upper() if sure else letter


def num_right(answered: Answered | None) -> int:
    """How many of the six are right."""
    return sum(answered.letter(place) == right for place, right in enumerate(SIX.values())) if answered else 0


def num_new_right(answered: Answered | None) -> int:
    """How many of the two new situations are right."""
    places = enumerate(list(RIGHT.values())[len(SIX) :], len(SIX))
    return sum(answered.letter(place) == right for place, right in places) if answered else 0


def seed_text(seed: int) -> str:
    """A seed as links and paper name it.

    >>> seed_text(9507)
    '7c3'
    """
    digits = ""
    while seed or not digits:
        seed, digit = divmod(seed, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits


def to_text(sheet: Sheet) -> str:
    """The sheet as a link carries it; nothing for an empty one."""
    times = [
        one.marks if one.seed is None else f"{seed_text(one.seed)}_{one.marks}"
        for one in (sheet.before, sheet.after)
        if one is not None
    ]
    return "-".join([*times, f"{seed_text(sheet.seed)}_"] if sheet.seed is not None else times)


def from_text(text: str) -> Sheet | None:
    """Back from ``to_text``; None if it cannot be read."""
    sheet = Sheet()
    for number, part in enumerate(parts := text.split("-"), 1):
        found = _BEGUN.fullmatch(part)
        if sheet.time == "done" or not (found or _EARLIER.fullmatch(part)):
            return None
        seed, marks = (int(found[1], 36), found[2]) if found else (None, part)
        if seed is not None and seed_text(seed) != part.partition("_")[0]:
            return None
        if seed is not None and not marks and number == len(parts):
            return replace(sheet, seed=seed)
        if found and len(marks) != len(TIMES[sheet.time]):
            return None
        sheet = sheet.then(Answered(seed, marks))
    return sheet
