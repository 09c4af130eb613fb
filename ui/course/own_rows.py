"""The visitor's prompts of a bet as tokens in blocks: open until it is answered, then with their fate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ui.course.asked import Asked
from ui.course.ch03 import fates_of
from ui.course.said import Make, now_put
from ui.course.token_rows import Fate, TokenRow, draw_rows
from ui.frame.session import say


@dataclass(frozen=True, slots=True)
class OwnRow:
    """Request number, its words, and how many of them hit."""

    number: int
    words: Sequence[str]
    hit: int


def put_of(chapter: str, make: Make) -> tuple[int, Asked, bool]:
    """The chapter's bet as it stands: its seed, how it is put, whether it is answered."""
    seed, asked, said = now_put((chapter, "a"), make)
    return seed, asked, said is not None


def draw_own(rows: Sequence[OwnRow], size: int, answered: bool) -> None:
    """All rows; what hits shows only once the bet is answered."""
    drawn = []
    for row in rows:
        tokens = len(row.words)
        key = "course.rows.hit_name" if answered else "course.rows.name"
        args = {"n": row.number, "tokens": tokens} | ({"hit": row.hit} if answered else {})
        fates: list[Fate] = fates_of(row.words, row.hit) if answered else ["open"] * tokens
        drawn.append(TokenRow(say(key, **args), row.words, fates, size))
    draw_rows(drawn)
