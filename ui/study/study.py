"""What a visitor has learned so far: flash cards known, and the six questions before and after.

Kept in the session and, like everything else, in the link: a reload brings it back, and the server keeps
nothing (docs/adr/0008).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ui.frame.link import LinkPart
from ui.study import flashcards, six_questions
from ui.study.flashcards import Deck, new_deck
from ui.study.names import QUESTIONS
from ui.study.six_questions import Sheet

CARDS, SIX = "cards", "six"


@dataclass(frozen=True, slots=True)
class Study:
    """The deck of chapter 12 and the six questions."""

    deck: Deck = field(default_factory=lambda: new_deck(len(QUESTIONS)))
    sheet: Sheet = field(default_factory=Sheet)


def to_query(study: Study) -> dict[str, str]:
    """The study as query parameters; what was not begun is left out."""
    texts = {CARDS: flashcards.to_text(study.deck), SIX: six_questions.to_text(study.sheet)}
    return {name: text for name, text in texts.items() if text}


def from_query(query: Mapping[str, str]) -> tuple[Study, list[str]]:
    """The study a link carries, and the names of parameters that could not be read."""
    deck = flashcards.from_text(query[CARDS], len(QUESTIONS)) if CARDS in query else new_deck(len(QUESTIONS))
    sheet = six_questions.from_text(query[SIX]) if SIX in query else Sheet()
    lost = [name for name, found in ((CARDS, deck), (SIX, sheet)) if found is None]
    return Study(deck or new_deck(len(QUESTIONS)), sheet or Sheet()), lost


_NAMES = {CARDS: "course.ch12.title", SIX: "nav.sheet"}

STUDY = LinkPart("study", Study, _NAMES, from_query, to_query, personal=frozenset(_NAMES))
