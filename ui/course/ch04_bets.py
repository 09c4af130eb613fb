"""Chapter 4's bets: a token of the visitor's beginning is another one; which tags change, what still hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ui.course.asked import Asked
from ui.course.ch04 import compare_blocks
from ui.course.in_turn import beginning_of, one_of, sizes_for
from ui.frame.session import plain
from ui.words.visible import visible_text

SIZES = (2, 3, 5, 6, 8)
"""Of blocks in the bets; the picture's are of four, so that it shows no bet's answer."""
_MOST_PLACES = 40


@dataclass(frozen=True, slots=True)
class Change:
    """A cached prompt comes again with token ``place`` (from 0) changed. ``changed``: of its tags, how many
    are others now; ``hit``: its tokens that still hit."""

    block_size: int
    place: int
    before: str
    after: str
    total: int
    tags: int
    changed: int
    hit: int


def change_of(pieces: Sequence[str], beginning: str, words: Sequence[str], seed: int) -> Change:
    """The case of a seed: another block size, another place in the beginning. ``words``: what the token may
    become, one token each; the first that it is not."""
    within = beginning_of(pieces, beginning)
    places = range(0, within, -(-within // _MOST_PLACES))
    cases = [(size, place) for size in sizes_for(len(pieces), SIZES) for place in places]
    size, place = one_of(cases, seed)
    space = " " if pieces[place].startswith(" ") else ""
    after = next(word for word in (space + one for one in words) if word != pieces[place])
    rows = compare_blocks(pieces, [*pieces[:place], after, *pieces[place + 1 :]], size)
    tagged = [row for row in rows if row.second_tag]
    return Change(
        size,
        place,
        pieces[place],
        after,
        len(pieces),
        len(tagged),
        sum(row.first_tag != row.second_tag for row in tagged),
        sum(row.verdict == "hit" for row in rows) * size,
    )


def tags_belief(one: Change, answer: float) -> str:
    """What somebody believes who says that so many tags change."""
    if not one.changed:
        return "none"
    if answer == one.changed:
        return "right"
    if answer == one.tags:
        return "all"
    return "one" if answer == 1 else "tail" if answer == 0 else "right"


def hit_belief(one: Change, answer: float) -> str:
    """The same of tokens that still hit."""
    if answer == one.hit:
        return "right"
    if answer == one.place:
        return "tokens"
    if answer == 0:
        return "all"
    return "one" if answer >= one.total - one.block_size else "right"


def asked_tags(one: Change) -> Asked:
    """How many tags change?"""
    words = _words(one)
    return Asked(
        ask="course.ch04.bet.tags",
        args=words,
        high=one.tags,
        unit="course.bet.unit.tags",
        truth=one.changed,
        tolerance=(0, 1),
        told=lambda answer: (f"course.ch04.bet.tags.{tags_belief(one, answer)}", words),
    )


def asked_hits(one: Change) -> Asked:
    """How many tokens hit? Close is whoever is less than a block off."""
    words = _words(one)
    return Asked(
        ask="course.ch04.bet.hits",
        args=words,
        high=one.total,
        unit="course.bet.unit.tokens",
        truth=one.hit,
        tolerance=(0, one.block_size - 1),
        told=lambda answer: (f"course.ch04.bet.hits.{hit_belief(one, answer)}", words),
    )


def _words(one: Change) -> dict[str, object]:
    """What the sentences say; tokens count from 1."""
    before, after = (plain(visible_text(text.strip(" ") or text)) for text in (one.before, one.after))
    return {
        "size": one.block_size,
        "total": one.total,
        "tags": one.tags,
        "place": one.place + 1,
        "before": before,
        "after": after,
        "kept": one.tags - one.changed,
        "changed": one.changed,
        "hit": one.hit,
    }
