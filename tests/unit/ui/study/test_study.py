"""Flash cards, and the sheet beside them: what is kept, and that it survives the way through a link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import shown_texts
from ui.study import flashcards, study
from ui.study.flashcards import LATER, Deck, new_deck
from ui.study.names import QUESTIONS
from ui.study.six_questions import Sheet
from ui.study.study import Study


def played(answers: list[bool], num_cards: int = 9) -> Deck:
    deck = new_deck(num_cards)
    for knew in answers:
        deck = deck.knew() if knew else deck.again()
    return deck


def test_a_missed_card_comes_back_after_a_few_others() -> None:
    deck = new_deck(9).again()
    seen = []
    for _ in range(LATER + 1):
        seen.append(deck.card)
        deck = deck.knew()
    assert seen == [1, 2, 3, 0]
    assert deck.num_again == 0


def test_the_deck_repeats_until_all_is_known() -> None:
    deck = new_deck(3)
    for _ in range(20):
        deck = deck.again()
    assert sorted(deck.queue) == [0, 1, 2]
    assert deck.num_again == 3
    while deck.card is not None:
        deck = deck.knew()
    assert sorted(deck.known) == [0, 1, 2]
    assert deck.knew() == deck.again() == deck


@given(st.lists(st.booleans(), max_size=60))
def test_no_card_is_lost_or_doubled_and_a_link_brings_the_deck_back(answers: list[bool]) -> None:
    deck = played(answers)
    assert sorted((*deck.queue, *deck.known)) == list(range(9))
    text = flashcards.to_text(deck)
    assert (flashcards.from_text(text, 9) if text else new_deck(9)) == deck


def test_a_new_card_joins_an_old_deck() -> None:
    deck = flashcards.from_text(flashcards.to_text(played([True, False, True], 5)), 7)
    assert deck is not None
    assert deck.queue[-2:] == (5, 6)
    assert deck.known == (0, 2)


@pytest.mark.parametrize("text", ["", "1.2.3", "01.02", "99..", "01.02.xx", "01" * 200 + "..", "٠١.."])
def test_a_damaged_deck_is_no_deck(text: str) -> None:
    assert flashcards.from_text(text, 9) is None


def test_a_study_travels_in_the_link() -> None:
    assert study.to_query(Study()) == {}
    sheet = Sheet().begun(7).answered({"hit": "b"}, {"hit": True})
    kept = Study(new_deck(len(QUESTIONS)).again().knew(), sheet)
    query = study.to_query(kept)
    assert study.from_query(query) == (kept, [])
    assert sum(map(len, query.values())) < 250


@given(shown_texts, shown_texts)
def test_no_link_breaks_the_page(cards: str, six: str) -> None:
    found, lost = study.from_query({"cards": cards, "six": six})
    assert set(lost) <= {"cards", "six"}
    assert sorted((*found.deck.queue, *found.deck.known)) == list(range(len(QUESTIONS)))
