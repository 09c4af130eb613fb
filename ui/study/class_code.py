"""A sheet as a short code for the teacher, and pasted codes back.

    AAacAA-CBbAcaAa-g       six answers before, six and two after, a letter that checks them
    AAacAA-........-k       the second time has not come yet
    aaacaa-........-S       nobody was sure of anything: the check is a capital

The check letter is the sum of all answers, each times its place, by 19. Answers differ by less than 19 and
places too, so every single wrong letter and every exchange of two letters changes it. It is never a letter
that an answer could be. It is small where a capital stands among the answers and a capital where none does,
so a program that writes a whole code small, or large, is seen. A code copied from paper by hand has ``?`` in
its place.
"""

from __future__ import annotations

import re
import unicodedata
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

_CODE = re.compile(r"([a-dA-D.]{6})-([a-dA-D.]{8})-([efghjkmnp-zEFGHJKMNP-Z?])")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d_]")
_DOTS = re.compile("[\u2024\u3002\uff0e\u00b7\u2022]")
_QUOTES = re.compile("[\"'`*\u2018-\u201f\u00ab\u00bb\u300c-\u300f]")
_WHO = re.compile(r"^.*[:=|>\uff1a\])\uff09]")
"""A name or a time before the code, as chats put it."""
_NUMBER = re.compile("^\\s*(?:[-\u2022\u00b7]\\s+)?(?:\\d+[.)]?\\s*)?")
"""A list's number or mark before the code."""


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
    """The last letter of a code; its case says whether there are capitals among the answers."""
    marks = code.before + code.after
    letter = CHECKS[sum(place * MARKS.index(mark) for place, mark in enumerate(marks, 1)) % len(CHECKS)]
    return letter if any(mark.isupper() for mark in marks) else letter.upper()


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
    """Codes as typed, without what programs and people put around them: spaces, long dashes, commas, quotes,
    signs that nobody sees, names, numbers of a list. Beside a code other words of its line are no codes."""
    for number, line in enumerate(text.splitlines(), 1):
        seen = "".join(sign for sign in line if unicodedata.category(sign) != "Cf")
        bare = [piece for part in re.split(r"[,;，；、]", seen) for piece in _in(part)]
        codes = [piece for piece in bare if _CODE.fullmatch(piece)]
        yield from ((number, piece) for piece in bare if not codes or piece in codes or "-" in piece)


def _in(part: str) -> Iterator[str]:
    """The codes of a part, or the whole of it if there are none."""
    unquoted = _QUOTES.sub("", part)
    whole = _plain(unquoted)
    for one in (whole, _plain(_NUMBER.sub("", unquoted)), _plain(_NUMBER.sub("", _WHO.sub("", unquoted)))):
        several = _CODE.findall(one)
        if several and "".join(map("-".join, several)) == one:
            yield from map("-".join, several)
            return
    if whole.strip(".") and not whole.strip(".").isdigit():
        yield whole


def _plain(text: str) -> str:
    """Without blanks; dashes and dots as ours; without what ends a sentence after the check."""
    plain = _DOTS.sub(".", _DASHES.sub("-", text)).replace("\u2026", "...")
    bare = unicodedata.normalize("NFKC", "".join(plain.split()))
    return re.sub(r"(?<=-.)[.!]+$", "", bare)
