"""The interview's state: what is drawn, that a link brings it back, that old decks stay right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import examples, shown_texts
from ui.interview.questions import num_must
from ui.interview.talk import ANY, FAILS, Talk, from_query, shuffled, to_query
from ui.study import flashcards
from ui.study.flashcards import dealt
from ui.study.names import LEVEL_OF, LEVELS, QUESTIONS, THEMES

BEFORE_TREES = 33
"""So many questions there were when the first decks were handed on in links."""


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    card = draw(st.integers(0, len(QUESTIONS) - 1))
    named = draw(st.frozensets(st.integers(1, num_must(QUESTIONS[card]))))
    level, theme = draw(st.sampled_from((ANY, *LEVELS))), draw(st.sampled_from((ANY, *THEMES)))
    return Talk(level, theme, card, draw(st.integers(0, FAILS)), named)


@given(talks())
@examples(200)
def test_a_talk_comes_back_from_the_link(talk: Talk) -> None:
    assert from_query(to_query(talk)) == (talk, [])
    assert sum(map(len, to_query(talk).values())) < 40


@pytest.mark.parametrize(
    "text", ["", "x", "-.-.0.0.-", "-.-.42.0.-", "boss.-.1.0.-", "-.ramen.1.0.-", "-.-.1.5.-", "-.-.1.0.9"]
)
def test_a_damaged_talk_is_named(text: str) -> None:
    assert from_query({"talk": text}) == (Talk(), ["talk"])


@given(shown_texts)
def test_no_link_breaks_it(text: str) -> None:
    talk, lost = from_query({"talk": text})
    assert lost in ([], ["talk"])
    assert from_query(to_query(talk)) == (talk, [])


def test_old_cards_count_the_same_places() -> None:
    """New questions stand behind all old ones: a card of an old link is the same question."""
    assert QUESTIONS[:1] + QUESTIONS[BEFORE_TREES - 1 : BEFORE_TREES] == ("kv_what", "work_metric")
    assert all(name.startswith("scale_") for name in QUESTIONS[BEFORE_TREES:])
    old = flashcards.to_text(flashcards.new_deck(BEFORE_TREES).again().knew().knew())
    deck = flashcards.from_text(old, len(QUESTIONS))
    assert deck is not None
    assert deck.known == (1, 2)
    assert deck.missed == {0}
    assert deck.queue[-8:] == tuple(range(BEFORE_TREES, len(QUESTIONS)))


@pytest.mark.parametrize("seed", range(5))
def test_an_interview_begins_with_what_juniors_are_asked(seed: int) -> None:
    order = shuffled(seed)
    assert sorted(order) == list(range(len(QUESTIONS)))
    levels = [LEVELS.index(LEVEL_OF[QUESTIONS[card]]) for card in order]
    assert levels == sorted(levels)
    assert order != shuffled(seed + 1)


def test_only_what_was_chosen_is_drawn_and_a_missed_one_comes_back() -> None:
    talk = Talk(level="senior", theme="pool")
    deck, met = dealt(shuffled(1)), []
    for _ in range(20):
        card = deck.drawn(talk.allowed)
        if card is None:
            break
        met.append(QUESTIONS[card])
        deck = deck.again(card, talk.allowed) if met.count(QUESTIONS[card]) == 1 else deck.knew(card)
    assert sorted(met) == sorted(["pool_parallel", "pool_preempt"] * 2)
    assert deck.drawn(talk.allowed) is None
    assert deck.drawn(Talk().allowed) is not None
    assert sorted((*deck.known, *deck.queue)) == list(range(len(QUESTIONS)))


def test_a_known_card_may_be_missed_later() -> None:
    deck = dealt(range(5)).knew(2)
    assert deck.again(2).known == ()
    assert sorted(deck.again(2).queue) == list(range(5))
    assert deck.knew(2) == deck
