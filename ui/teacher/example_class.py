"""A class that nobody taught, to show what the card says: made up, and labelled so wherever it stands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ui.study.class_code import BY_HAND, Code, check_letter
from ui.study.draw import Draw
from ui.study.ideas import RIGHT, TIMES

NUM = 24
_BEFORE = (
    "aaaaaaaaaaaaaabbbbbccccd",
    "aaaaaaaaaaaabbbbbbbbccdd",
    "aaaaaaaaaabbbbbbbbbbccdd",
    "ccccccccbbbaaaaaaaaaaadd",
    "aaaaaaaaaabbbbbbbbccccdd",
    "aaaaaaaaabbbbbbbbbbbcccd",
)
_AFTER = (
    "aaabccccccccccccccccccdd",
    "aaaaaaaaabbbbbbbbbbbbbbd",
    "aabbbbbbbbbbbbbbbbbbbbcd",
    "aaaaaaaaaaaaaaaaaaaaaabc",
    "abbbbbbccccccccccccccccd",
    "aaabbbbbbbbbbbbbbbbbbbbd",
    "aaaaaaaaaaaaaaaaabbbcccd",
    "aaaaaabbbbbbbbbbbbbbccdd",
)
"""Per question, how the class answered; who is who is dealt out below."""
_SURE: Mapping[str, tuple[int, int]] = {"before": (34, 34), "after": (70, 15)}
"""In percent: how many of those who were right were sure of it, and of those who were wrong."""


@cache
def example_text() -> str:
    """The codes, a line each; the seventh has a typing error."""
    times = {time: _dealt(time, piles) for time, piles in (("before", _BEFORE), ("after", _AFTER))}
    codes = [Code(times["before"][place], times["after"][place]) for place in range(NUM)]
    lines = [f"{code.before}-{code.after}-{check_letter(code)}" for code in codes]
    wrong = "a" if codes[3].after[-1] != "a" else "b"
    lines.insert(6, f"{codes[3].before}-{codes[3].after[:-1]}{wrong}-{check_letter(codes[3])}")
    assert BY_HAND not in "".join(lines)
    return "\n".join(lines)


def _dealt(time: str, piles: tuple[str, ...]) -> list[str]:
    """The marks of each of the class at one time."""
    columns = []
    for name, pile in zip(TIMES[time], piles, strict=True):
        draw = Draw(NUM, f"{time} {name}")
        order = sorted(range(NUM), key=lambda place, draw=draw: draw.number(f"seat {place}"))  # type: ignore[misc]
        columns.append([_mark(pile[place], name, time, draw, place) for place in order])
    return ["".join(column[place] for column in columns) for place in range(NUM)]


def _mark(letter: str, name: str, time: str, draw: Draw, place: int) -> str:
    percent = _SURE[time][0 if letter == RIGHT[name] else 1]
    return letter.upper() if draw.number(f"sure {place}") % 100 < percent else letter
