"""Where a visitor stands in the interview: which questions are drawn, how far the one on the table has come,
and what was named. It stands in the link, beside the deck (``ui.study``), so a reload goes on from there.

    senior.pool.17.2.13     level . theme . card . beat . things named; - is all, all, none
"""

from __future__ import annotations

import random
import re
import secrets
from dataclasses import dataclass, replace

from ui.course.place import opened_at, stands_at
from ui.course.said import DICE
from ui.frame.kept import Kept
from ui.frame.link import LinkPart, Query
from ui.interview.questions import num_must
from ui.study.flashcards import Deck, dealt, new_deck
from ui.study.names import LEVEL_OF, LEVELS, QUESTIONS, THEMES
from ui.study.study import STUDY

PAGE = "ch12"
ASK, NAMED, ANSWER, THEN, FAILS = range(5)
"""The beats of a question: asked; what was named; the answer, and what is asked next; its answer, and the
trap; why the trap fails. Each but the first answers what stood open before."""

ANY = "-"
_TEXT = re.compile(r"([a-z]+|-)\.([a-z]+|-)\.(\d\d?)\.([0-4])\.([1-9]{1,9}|-)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Talk:
    """``card``: the place of a question in ``QUESTIONS``, to which ``beat`` and ``named`` (from 1) belong."""

    level: str = ANY
    theme: str = ANY
    card: int = 0
    beat: int = ASK
    named: frozenset[int] = frozenset()

    @property
    def allowed(self) -> tuple[int, ...]:
        """The cards that may be drawn."""
        names = QUESTIONS if self.theme == ANY else THEMES[self.theme]
        return tuple(QUESTIONS.index(name) for name in names if self.level in (ANY, LEVEL_OF[name]))


def to_query(talk: Talk) -> dict[str, str]:
    """The talk as a query parameter; nothing before it has begun."""
    if talk == Talk():
        return {}
    named = "".join(map(str, sorted(talk.named))) or ANY
    return {"talk": f"{talk.level}.{talk.theme}.{talk.card + 1}.{talk.beat}.{named}"}


def from_query(query: Query) -> tuple[Talk, list[str]]:
    """Back from ``to_query``, and whether it could not be read."""
    if "talk" not in query:
        return Talk(), []
    found = _TEXT.fullmatch(query["talk"])
    if found is None or found[1] not in (ANY, *LEVELS) or found[2] not in (ANY, *THEMES):
        return Talk(), ["talk"]
    card = int(found[3]) - 1
    named = frozenset() if found[5] == ANY else frozenset(map(int, found[5]))
    if not 0 <= card < len(QUESTIONS) or any(one > num_must(QUESTIONS[card]) for one in named):
        return Talk(), ["talk"]
    return Talk(found[1], found[2], card, int(found[4]), named), []


TALK = LinkPart(
    "talk", Talk, {"talk": "course.ch12.title"}, from_query, to_query, personal=frozenset({"talk"})
)

_ORDER: Kept[tuple[int, ...]] = Kept("interview_order", lambda: shuffled(DICE.get()))
"""In which order this visit draws, as long as no deck was begun."""


def shuffled(seed: int) -> tuple[int, ...]:
    """All cards in a fresh order, from what is asked first to what only the last rounds ask."""
    cards = list(range(len(QUESTIONS)))
    random.Random(seed).shuffle(cards)
    return tuple(sorted(cards, key=lambda card: LEVELS.index(LEVEL_OF[QUESTIONS[card]])))


def deck_now() -> Deck:
    """The visitor's deck; before the first card is laid away, in this visit's order."""
    deck = STUDY.get().deck
    return dealt(_ORDER.get()) if deck == new_deck(len(QUESTIONS)) else deck


def card_now() -> int | None:
    """The question on the table: the one that the link names, or the next one drawn; None: all are known."""
    named = opened_at(PAGE, QUESTIONS)
    return QUESTIONS.index(named) if named else deck_now().drawn(TALK.get().allowed)


def talk_about(card: int) -> Talk:
    """How far this question has come; a talk about another one does not count."""
    talk = TALK.get()
    return talk if talk.card == card else replace(talk, card=card, beat=ASK, named=frozenset())


# -- what a visitor does ---------------------------------------------------------------------------------


def go_on(card: int) -> None:
    """The next beat of this question."""
    talk = talk_about(card)
    TALK.set(replace(talk, beat=min(talk.beat + 1, FAILS)))
    stands_at(PAGE, QUESTIONS[card])


def tick(card: int, place: int, is_named: bool) -> None:
    """One of the things a good answer names was named, or was not."""
    talk = talk_about(card)
    TALK.set(replace(talk, named=talk.named | {place} if is_named else talk.named - {place}))
    stands_at(PAGE, QUESTIONS[card])


def lay_away(card: int, knew: bool) -> None:
    """The question is known, or comes back after a few others; the next one is drawn."""
    deck, allowed = deck_now(), TALK.get().allowed
    _keep(deck.knew(card) if knew else deck.again(card, allowed))
    _draw()


def choose(level: str, theme: str) -> None:
    """Draw from now on from this level and theme."""
    TALK.set(replace(TALK.get(), level=level, theme=theme))
    _draw()


def start_over() -> None:
    """None is known, and a fresh order."""
    _ORDER.set(shuffled(secrets.randbelow(2**31)))
    _keep(new_deck(len(QUESTIONS)))
    _draw()


def _keep(deck: Deck) -> None:
    STUDY.set(replace(STUDY.get(), deck=deck))


def _draw() -> None:
    """Lay the next question on the table, at its beginning."""
    talk = TALK.get()
    card = deck_now().drawn(talk.allowed)
    TALK.set(replace(talk, card=card or 0, beat=ASK, named=frozenset()))
    stands_at(PAGE, QUESTIONS[card] if card is not None else "end")
