"""Bets: nothing is told before somebody has committed, the link keeps what was said and cannot be forged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.strategies import examples
from ui.course.asked import GRADES, SEEDS, Asked
from ui.course.said import Said, from_query, to_query

PLACES = st.tuples(st.integers(1, 13).map(lambda n: f"ch{n:02}"), st.sampled_from("abc"))
SAID = st.builds(
    Said,
    st.integers(0, SEEDS - 1),
    st.integers(-99_999, 9_999_999).map(float) | st.integers(0, 99_999).map(lambda n: n / 1000),
    st.sampled_from(GRADES),
    st.text("0123456789abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=3),
)


@given(st.dictionaries(PLACES, SAID))
@examples(100)
def test_bets_come_back_from_the_link(said: Mapping[tuple[str, str], Said]) -> None:
    placed = {place: replace(one, grade="placed") for place, one in said.items()}
    assert from_query(to_query(said)) == (placed, [])


def test_a_link_of_old_is_read_without_its_grade() -> None:
    assert from_query({"bets": "03a7c.24r0fz"}) == from_query({"bets": "03a7c.240fz"})


def test_two_bets_in_each_chapter_fit_a_link() -> None:
    said = {
        (f"ch{n:02}", place): Said(SEEDS - 1, 1234.567, "wrong", "zzz")
        for n in range(1, 14)
        for place in "ab"
    }
    assert len(to_query(said)["bets"]) < 600


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "03a7.24r",
        "14a7.2r000",
        "00a7.2r000",
        "03Z7.2r000",
        "03a7.2q000x",
        "03a7.2r000_03a7.3r000",
        "03A7.2r000",
        "",
    ],
)
def test_what_cannot_be_read_is_named(text: str) -> None:
    found, lost = from_query({"bets": text})
    assert lost == ["bets"]
    assert len(found) <= 1


def asked(truth: float = 5, **more: Any) -> Asked:
    return Asked(ask="course.bet.title", truth=truth, told=lambda _: ("course.bet.again", {}), **more)


def test_grades() -> None:
    number = asked(20, low=0, high=40, tolerance=(1, 4))
    assert [number.grade(one) for one in (20, 21, 19, 24, 25)] == [
        "right",
        "right",
        "right",
        "close",
        "wrong",
    ]
    choice = asked(1, options=(("a", {}), ("b", {}), ("c", {})), tolerance=(5, 5))
    assert [choice.grade(one) for one in (0, 1, 2)] == ["wrong", "right", "wrong"]


def test_another_truth_is_another_question_that_looks_the_same() -> None:
    assert asked(5).mark != asked(6).mark
    assert asked(5).face == asked(6).face
    assert asked(5, args={"n": 1}).face != asked(5, args={"n": 2}).face


# -- on a page -------------------------------------------------------------------------------------------


def page() -> None:
    import streamlit as st

    from pages.links import LINK_PARTS
    from pages.navigation import page as pages
    from ui.course.bets import Asked, bet, road
    from ui.frame import link

    link.begin(LINK_PARTS)
    road(("ch01", "ch03"), pages)
    shift = st.session_state.get("shift", 0)

    def make(seed: int) -> Asked:
        n = seed % 7 + shift
        return Asked(
            ask="course.bet.unit.tokens",
            args={"n": n},
            low=0,
            high=st.session_state.get("high", 16),
            step=st.session_state.get("step", 1),
            truth=n + 3,
            tolerance=(0, 2),
            told=lambda answer: ("course.bet.unit.ms", {"n": 777}),
        )

    done = bet("ch03", make)
    st.text(f"done: {done}")
    link.write()


def said(at: AppTest) -> str:
    assert not at.exception
    return "\n".join(str(one.value) for kind in (at.markdown, at.caption, at.text) for one in kind)


def opened(**query: str) -> AppTest:
    at = AppTest.from_function(page, default_timeout=30)
    at.session_state["lang"] = "en"
    at.session_state["bet_dice"] = 7
    at.query_params.update({"lang": "en", **query})
    return at.run()


def truth_of(at: AppTest) -> int:
    found = next(one.value for one in at.markdown if "token" in one.value)
    return int(found.split()[0]) + 3


def commit(at: AppTest, answer: float) -> AppTest:
    at.select_slider[0].set_value(answer).run()
    at.button[0].click().run()
    return at


def test_nothing_is_told_and_nothing_can_be_committed_by_accident() -> None:
    at = opened()
    assert "777" not in said(at)
    assert "done: False" in said(at)
    assert at.button[0].disabled
    assert at.select_slider[0].value is None
    assert "bets" not in at.query_params
    at.select_slider[0].set_value(4.0).run()
    assert "777" not in said(at), "moving commits nothing"
    assert not at.button[0].disabled


@pytest.mark.parametrize(
    ("off", "grade", "sign"), [(0, "Right.", "●"), (2, "Close.", "◐"), (3, "Not this time.", "◍")]
)
def test_a_bet_is_graded_kept_and_comes_back(off: int, grade: str, sign: str) -> None:
    at = opened()
    truth = truth_of(at)
    commit(at, float(truth + off))
    for one in (at, opened(bets=at.query_params["bets"])):
        assert f"{sign} {grade}" in said(one)
        assert "777\u00a0ms" in said(one)
        assert "done: True" in said(one)
        assert len(one.select_slider) == 0


def test_another_one_has_other_numbers_and_keeps_the_last_answer_until_the_next() -> None:
    at = opened()
    first = truth_of(at)
    commit(at, float(first))
    kept = at.query_params["bets"]
    at.button[0].click().run()
    assert truth_of(at) != first
    assert "777" not in said(at)
    assert at.query_params["bets"] == kept
    commit(at, float(truth_of(at)))
    assert at.query_params["bets"] != kept
    assert "● Right." in said(at)


def signs(at: AppTest) -> list[str]:
    """The marks of the road."""
    return [one.proto.label[-1] for one in at.get("page_link")]


def test_a_forged_grade_is_not_believed() -> None:
    at = opened()
    commit(at, float(truth_of(at) + 6))
    link = at.query_params["bets"]
    forged = opened(bets=f"{link[:-3]}r{link[-3:]}_01a1.1r000")
    assert "◍ Not this time." in said(forged)
    assert signs(forged) == ["◌", "◍"], "what has not been drawn here is placed, the other is graded"
    forged.run()
    assert forged.query_params["bets"] == f"01a1.1000_{link}"


def test_an_open_question_is_the_same_after_a_reload_and_another_one_for_others() -> None:
    at = AppTest.from_function(page, default_timeout=30)
    at.query_params["lang"] = "en"
    at.run()
    asked = truth_of(at)
    at.select_slider[0].set_value(4.0).run()
    dice = at.query_params["dice"]
    assert {truth_of(opened_fresh(dice=dice)) for _ in range(3)} == {asked}
    assert len({truth_of(opened_fresh()) for _ in range(12)}) > 1


def opened_fresh(**query: str) -> AppTest:
    at = AppTest.from_function(page, default_timeout=30)
    at.query_params.update({"lang": "en", **query})
    return at.run()


def test_the_rule_is_said_before_the_answer() -> None:
    assert "Right: the exact number. Close: up to 2 off." in said(opened())


def test_another_prompt_opens_the_bet_again_and_leaves_the_mark_on_the_road() -> None:
    at = opened()
    commit(at, float(truth_of(at)))
    at.session_state["shift"] = 1
    at.run()
    assert "You bet here before" in said(at)
    assert "777" not in said(at)
    assert "bets placed in 1 of 2" in said(at)


@pytest.mark.parametrize("step", [1, 0.1])
def test_where_a_slider_has_too_many_places_a_field_starts_empty(step: float) -> None:
    at = AppTest.from_function(page, default_timeout=30)
    at.session_state["bet_dice"], at.session_state["high"], at.session_state["step"] = 7, 5_000, step
    at.query_params["lang"] = "en"
    at.run()
    assert len(at.select_slider) == 0
    assert at.number_input[0].value is None
    assert not at.button[0].disabled, "the click that ends the typing must find it"
    at.button[0].click().run()
    assert "bets" not in at.query_params, "nothing was typed"
    at.number_input[0].set_value(truth_of(at) + 3 * step)
    at.button[0].click().run()
    assert "777\u00a0ms" in said(at)
    kept = at.query_params["bets"]
    at.run()
    assert "777\u00a0ms" in said(at)
    assert at.query_params["bets"] == kept


def test_two_visits_are_asked_different_questions() -> None:
    found = set()
    for dice in range(6):
        at = AppTest.from_function(page, default_timeout=30)
        at.session_state["bet_dice"] = dice
        at.query_params["lang"] = "en"
        found.add(truth_of(at.run()))
    assert len(found) > 2
