"""The six questions before and after the course: what was answered, both times, and how it went.

The handout (`ui.export.handout`) prints the same questions, so paper and screen agree. ``cbbacb-abbacb`` in
the link: a letter for each question before, and after; a dot for one left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

QUESTIONS = {"q1": "c", "q2": "b", "q3": "b", "q4": "a", "q5": "c", "q6": "b"}
"""Each question with the letter of its answer."""

LETTERS = ("a", "b", "c")
NOTHING = "."
Answers = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Letters per question, None for one left out; None in place of them: that time has not come yet."""

    before: Answers | None = None
    after: Answers | None = None

    @property
    def time(self) -> str:
        """What comes next: before, after, or done."""
        return "before" if self.before is None else "after" if self.after is None else "done"

    def answered(self, answers: Mapping[str, str | None]) -> Sheet:
        """The sheet with the answers of the time that is next."""
        letters = tuple(answers.get(name) for name in QUESTIONS)
        return self if self.time == "done" else replace(self, **{self.time: letters})


def num_right(answers: Answers | None) -> int:
    """How many of the six are right."""
    return sum(letter == right for letter, right in zip(answers or (), QUESTIONS.values(), strict=False))


def to_text(sheet: Sheet) -> str:
    """The sheet as a link carries it; nothing for an empty one."""
    times = [one for one in (sheet.before, sheet.after) if one is not None]
    return "-".join("".join(letter or NOTHING for letter in answers) for answers in times)


def from_text(text: str) -> Sheet | None:
    """Back from ``to_text``; None if it cannot be read."""
    times = text.split("-")
    if len(times) > 2 or any(len(one) != len(QUESTIONS) or set(one) - {*LETTERS, NOTHING} for one in times):
        return None
    return Sheet(*(tuple(None if c == NOTHING else c for c in one) for one in times))
