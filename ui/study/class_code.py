"""A sheet as a short code for the teacher, and pasted codes back.

    AAacAA-CBbAcaAa-g       six answers before, six and two after, a letter that checks them
    AAacAA-........-k       the second time has not come yet

The check letter is the sum of all answers, each times its place, by 19. Answers differ by less than 19 and
places too, so every single wrong letter and every exchange of two letters changes it. It is never a letter
that an answer could be. A code copied from paper by hand has ``?`` in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ui.study.ideas import TIMES
from ui.study.six_questions import NOTHING, Answered, Sheet

MARKS = "abcdABCD."
CHECKS = "efghjkmnpqrstuvwxyz"
BY_HAND = "?"
LONGEST = 40_000
"""Characters that are read of what is pasted: some two thousand codes."""
SHOWN = 30
"""Characters of a line that are repeated when it cannot be read."""

_CODE = re.compile(r"([a-dA-D.]{6})-([a-dA-D.]{8})-([efghjkmnp-z?])")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d_]")
_DOTS = re.compile("[\u2024\u3002\uff0e\u00b7\u2022]")


@dataclass(frozen=True, slots=True)
class Code:
    """The answers of one sheet; a time of which every question was left out has not been answered."""

    before: str
    after: str

    def of(self, time: str) -> str:
        """The marks of one time."""
        return self.before if time == "before" else self.after

    def has(self, time: str) -> bool:
        """Whether that time was answered."""
        return bool(self.of(time).strip(NOTHING))


@dataclass(frozen=True, slots=True)
class Misread:
    """A line that is no code: which one (from 1), what it begins with, and why (``form`` or ``check``)."""

    line: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Pasted:
    """All that could be read. ``by_hand``: codes without a check letter; ``twins``: lines that repeat one."""

    codes: tuple[Code, ...] = ()
    misread: tuple[Misread, ...] = ()
    by_hand: int = 0
    twins: tuple[int, ...] = ()


def check_letter(code: Code) -> str:
    """The last letter of a code."""
    marks = enumerate(code.before + code.after, 1)
    return CHECKS[sum(place * MARKS.index(mark) for place, mark in marks) % len(CHECKS)]


def to_code(sheet: Sheet) -> str:
    """The code of a sheet; times that were answered on an earlier one are left out."""
    code = Code(_marks(sheet.before, "before"), _marks(sheet.after, "after"))
    return f"{code.before}-{code.after}-{check_letter(code)}"


def _marks(answered: Answered | None, time: str) -> str:
    if answered is None or answered.seed is None:
        return NOTHING * len(TIMES[time])
    return answered.marks


def read_codes(text: str) -> Pasted:
    """What somebody pasted, a code a line (or several with spaces between them)."""
    codes: list[Code] = []
    misread: list[Misread] = []
    twins: list[int] = []
    by_hand = 0
    for line, piece in _pieces(text[:LONGEST]):
        found = _CODE.fullmatch(piece)
        code = Code(found[1], found[2]) if found else None
        if found is None or code is None:
            misread.append(Misread(line, piece[:SHOWN], "form"))
        elif found[3] not in (BY_HAND, check_letter(code)):
            misread.append(Misread(line, piece[:SHOWN], "check"))
        elif code.has("before") or code.has("after"):
            by_hand += found[3] == BY_HAND
            twins += [line] if code in codes else []
            codes.append(code)
    return Pasted(tuple(codes), tuple(misread), by_hand, tuple(dict.fromkeys(twins)))


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Codes as typed, without what programs and people put around them: spaces, long dashes, commas."""
    for number, line in enumerate(text.splitlines(), 1):
        plain = _DOTS.sub(".", _DASHES.sub("-", line)).replace("\u2026", "...")
        for part in re.split(r"[,;，；、]", plain):
            bare = "".join(part.split())
            several = _CODE.findall(bare)
            if len(several) > 1 and "".join(map("-".join, several)) == bare:
                yield from ((number, "-".join(one)) for one in several)
            elif bare:
                yield number, bare
