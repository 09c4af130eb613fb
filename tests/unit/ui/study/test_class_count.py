"""A class counted twice: by the card, and once more by plain reading."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.ui.study.test_class_code import given_marks
from ui.study.class_code import Code, read_codes
from ui.study.class_count import Belief, count_class, table
from ui.study.ideas import LETTERS, RIGHT, SIX
from ui.teacher.example_class import NUM, example_text

NAMES = list(RIGHT)
NO_BEFORE, NO_AFTER = "......", "........"
people = st.builds(Code, given_marks(6) | st.just(NO_BEFORE), given_marks(8) | st.just(NO_AFTER)).filter(
    lambda code: code != Code(NO_BEFORE, NO_AFTER)
)
classes = st.lists(people, max_size=12)


def chose(codes: list[Code], time: str, question: int, letter: str) -> int:
    found = 0
    for code in codes:
        text = code.before if time == "before" else code.after
        if text[question] in (letter, letter.upper()):
            found += 1
    return found


def counted_again(codes: list[Code]) -> dict[str, Any]:
    both = [one for one in codes if one.before != NO_BEFORE and one.after != NO_AFTER]
    before = [one for one in codes if one.before != NO_BEFORE]
    after = [one for one in codes if one.after != NO_AFTER]
    if both:
        times, who = ["before", "after"], both
    elif not codes:
        times, who = [], []
    else:
        times, who = (["before"], before) if len(before) >= len(after) else (["after"], after)
    rights = {
        name: [chose(who, time, NAMES.index(name), RIGHT[name]) for time in times] for name in NAMES[:6]
    }
    held = {
        (name, letter): [chose(who, time, NAMES.index(name), letter) for time in times]
        for name in NAMES[:6]
        for letter in "abcd"
        if letter != RIGHT[name]
    }
    sure = []
    for time in times:
        texts = [one.before if time == "before" else one.after for one in who]
        sure.append(
            sum(text[n].isupper() and text[n].lower() != RIGHT[NAMES[n]] for text in texts for n in range(6))
        )
    return {"times": times, "who": who, "rights": rights, "held": held, "sure": sure}


@given(classes)
def test_the_card_counts_what_is_there(codes: list[Code]) -> None:
    card, plain = count_class(codes), counted_again(codes)
    assert (list(card.times), card.num) == (plain["times"], len(plain["who"]))
    assert card.num + card.num_aside == len(codes)
    assert {row.name: list(row.right.values()) for row in card.rows} == plain["rights"]
    assert list(card.sure_wrong.values()) == plain["sure"]
    new = {name: chose(plain["who"], "after", NAMES.index(name), RIGHT[name]) for name in NAMES[6:]}
    assert card.new == (new if "after" in card.times else {})
    assert all(0 <= number <= card.num for row in card.rows for number in row.right.values())
    gains = [row.gain for row in card.rows]
    assert gains == sorted(gains, reverse=True)


@given(classes)
def test_which_belief_fell_and_which_stands(codes: list[Code]) -> None:
    card, held = count_class(codes), counted_again(codes)["held"]

    def found(one: Belief | None) -> list[int] | None:
        return None if one is None else held[one.name, one.letter]

    drops = {name: times[0] - times[-1] for name, times in held.items() if len(times) == 2}
    if not drops or max(drops.values()) <= 0:
        assert card.fell is None
    else:
        assert card.fell is not None
        assert list(card.fell.held.values()) == found(card.fell)
        assert card.fell.drop == max(drops.values())
    fell = (card.fell.name, card.fell.letter) if card.fell else None
    last = [times[-1] for name, times in held.items() if times and name != fell]
    if not last or max(last) == 0:
        assert card.still is None
    else:
        assert card.still is not None
        assert list(card.still.held.values()) == found(card.still)
        assert card.still.held[card.times[-1]] == max(last)


def test_a_missing_second_time_is_not_a_wrong_one() -> None:
    """One of two never answered again: the comparison is about the other one, and says who is left aside."""
    card = count_class([Code("cbbacb", "cbbacbab"), Code("cbbacb", NO_AFTER)])
    assert (card.num, card.num_aside) == (1, 1)
    assert all(row.right == {"before": 1, "after": 1} for row in card.rows)


def test_nobody_and_one() -> None:
    empty = count_class([])
    assert (empty.num, empty.times, empty.fell, empty.still) == (0, (), None, None)
    alone = count_class([Code("aaaaaa", "CBBACBAB")])
    assert (alone.num, alone.fell is not None, alone.still) == (1, True, None)
    assert alone.new == {"tools": 1, "salts": 1}


def test_first_times_alone() -> None:
    card = count_class([Code("aaaaaa", NO_AFTER), Code("aaaaaa", NO_AFTER)])
    assert (card.times, card.fell, card.new) == (("before",), None, {})
    assert card.still is not None
    assert card.still.held == {"before": 2}


@given(classes)
def test_the_table_has_everybody(codes: list[Code]) -> None:
    rows = list(table(codes))
    assert len(rows) == (6 + 8) * (len(LETTERS) + 1)
    for name, time in {(row[0], row[1]) for row in rows}:
        mine = [row for row in rows if row[:2] == (name, time)]
        assert sum(row[3] for row in mine) == mine[0][5], "one answer each, or left out"
        assert all(row[4] <= row[3] for row in mine)
        for row in mine[:4]:
            given_it = [one for one in codes if one.has(time)]
            assert row[3] == chose(given_it, time, NAMES.index(name), row[2])


def test_the_example_is_a_class_with_one_typing_error() -> None:
    pasted = read_codes(example_text())
    assert len(pasted.codes) == NUM
    assert [(one.line, one.why) for one in pasted.misread] == [(7, "check")]
    card = count_class(pasted.codes)
    assert card.fell is not None
    assert (card.fell.name, card.fell.letter, card.num) == ("stamp", "a", NUM)
    assert card.still is not None
    assert card.still.name == "part"
    assert len(SIX) == len(card.rows)


def test_what_fell_is_not_what_stands() -> None:
    """Most still hold the belief that lost most: it has its place already, another one is named below."""
    codes = [Code("abbacb", "abbacbab")] * 5 + [Code("aabacb", "cabacbab")] * 4
    card = count_class(codes)
    assert card.fell is not None
    assert card.still is not None
    assert (card.fell.name, card.fell.held) == ("stamp", {"before": 9, "after": 5})
    assert (card.still.name, card.still.held) == ("part", {"before": 4, "after": 4})
