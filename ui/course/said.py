"""What a visitor has said to the course's bets, in the link, and which question stands open.

A bet is put with fresh numbers for every visitor (``seed``), and its truth is computed from them. A link
keeps seed and answer, with a mark of the question: if the same seed puts another question by now (another
prompt, another language), the bet is open again, for nobody has answered this one. The mark on the course's
road stays, since something was done there. No link says how good an answer is: until its bet is drawn, and
graded, it counts as placed.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

import streamlit as st

from ui.course.asked import GRADES, SEEDS, Asked, Grade, base36
from ui.frame.kept import Kept
from ui.frame.link import LinkPart, Query

Place = tuple[str, str]
"""Chapter, and which of its bets."""

Make = Callable[[int], Asked]
"""A seed's bet: pure, and another one for another seed wherever the prompt allows."""

_TRIES = 12


@dataclass(frozen=True, slots=True)
class Said:
    """One answer: to which question (its seed, its mark), what, and how good it was."""

    seed: int
    answer: float
    grade: Grade
    mark: str


# Links of old say a grade before the mark; it is not believed.
_ONE = re.compile(r"(\d\d)([a-z])([0-9a-z]{1,3})\.(-?\d{1,7}(?:\.\d{1,3})?)[rcw]?([0-9a-z]{3})", re.ASCII)
_MANY = 13 * 3 + 26  # chapter 11 has one on each of its beliefs


def to_query(said: Mapping[Place, Said]) -> dict[str, str]:
    """All bets as one short parameter: ``03a7c.240fz`` is chapter 3, bet a, seed 7c, 24, the mark 0fz."""
    parts = [
        f"{chapter[2:]}{place}{base36(one.seed)}.{_number(one.answer)}{one.mark}"
        for (chapter, place), one in sorted(said.items())
    ]
    return {"bets": "_".join(parts)} if parts else {}


def from_query(query: Query) -> tuple[Mapping[Place, Said], list[str]]:
    """The bets of a link, and whether any could not be read."""
    found: dict[Place, Said] = {}
    parts = query["bets"].split("_") if "bets" in query else []
    for part in parts[:_MANY]:
        one = _ONE.fullmatch(part)
        if one is not None and 1 <= int(one[1]) <= 13:
            found.setdefault((f"ch{one[1]}", one[2]), Said(int(one[3], 36), float(one[4]), "placed", one[5]))
    return found, ["bets"] if len(found) < len(parts) else []


def _number(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


BETS: LinkPart[Mapping[Place, Said]] = LinkPart(
    "bets", dict, {"bets": "course.bet.name"}, from_query, to_query, personal=frozenset({"bets"})
)
"""This visitor's bets, by chapter and place."""


def grade_of(chapter: str) -> Grade | None:
    """What the road shows for a chapter: the best of its bets, None before the first."""
    grades = [one.grade for (where, _), one in BETS.get().items() if where == chapter]
    return min(grades, key=GRADES.index, default=None)


# -- which question is put -------------------------------------------------------------------------------


def _read_dice(query: Query) -> tuple[int, list[str]]:
    thrown: int = st.session_state.get("bet_dice", 0)  # before the link was read
    if "dice" not in query:
        return thrown, []
    found = re.fullmatch(r"[0-9a-z]{1,4}", query["dice"], re.ASCII)
    return (int(query["dice"], 36), []) if found else (thrown, ["dice"])


DICE: LinkPart[int] = LinkPart(
    "bet_dice",
    lambda: 0,
    {"dice": "course.bet.name"},
    _read_dice,
    lambda dice: {"dice": base36(dice)} if dice else {},
    personal=frozenset({"dice"}),
)
"""Every first seed of a visitor follows from this number; 0: not thrown yet. It stands in the link, so that
an open question is the same one after a reload; a link that is handed on is without it."""


def _thrown() -> int:
    if not DICE.get():
        DICE.set(1 + secrets.randbelow(36**4 - 1))
    return DICE.get()


@dataclass(frozen=True, slots=True)
class Open:
    """The question that stands open at a place: its seed, how many came before it, whether it was asked for
    although another one is answered."""

    seed: int
    count: int = 0
    again: bool = False


_OPEN: Kept[Mapping[Place, Open]] = Kept("bets_open", dict)


def standing(place: Place) -> Open:
    """What stands open at a place; a first question, if nothing was ever put there."""
    return _OPEN.get().get(place) or Open(_seed(place, 0))


def now_put(place: Place, make: Make) -> tuple[int, Asked, Said | None]:
    """The question of a place: its seed, how it is put, and what was said to it, freshly graded; None while
    it is open."""
    said, stands = BETS.get().get(place), standing(place)
    if said is not None and not stands.again:
        asked = make(said.seed)
        if asked.mark == said.mark and asked.allows(said.answer):
            graded = replace(said, grade=asked.grade(said.answer))
            if graded != said:
                BETS.set({**BETS.get(), place: graded})
            return said.seed, asked, graded
    return stands.seed, make(stands.seed), None


def commit(place: Place, seed: int, asked: Asked, answer: float) -> None:
    """Take an answer; the last one to a bet of a place counts."""
    _OPEN.set({**_OPEN.get(), place: replace(standing(place), again=False)})
    answer = round(answer, 3)  # as the link writes it
    BETS.set({**BETS.get(), place: Said(seed, answer, asked.grade(answer), asked.mark)})


def another(place: Place, make: Make) -> None:
    """Put a fresh question, as far as the prompt has another one."""
    before, next_one = now_put(place, make)[1].mark, standing(place).count + 1
    counts = range(next_one, next_one + _TRIES)
    fresh = next((one for one in counts if make(_seed(place, one)).mark != before), next_one)
    new = Open(_seed(place, fresh), fresh, again=place in BETS.get())
    _OPEN.set({**_OPEN.get(), place: new})


def _seed(place: Place, count: int) -> int:
    text = f"{_thrown()}.{place}.{count}".encode()
    return int.from_bytes(blake2b(text, digest_size=4).digest()) % SEEDS
