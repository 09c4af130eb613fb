"""The sheet of one visitor: what a link keeps of it, old links, and what counts as right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import shown_texts
from ui.study.ideas import NEW, RIGHT, SIX, TIMES
from ui.study.six_questions import (
    Answered,
    Sheet,
    from_text,
    num_new_right,
    num_right,
    seed_text,
    to_text,
)
from ui.study.variants import NUM_SEEDS

seeds = st.integers(0, NUM_SEEDS - 1)


def marks(count: int) -> st.SearchStrategy[str]:
    return st.text("abcdABCD.", min_size=count, max_size=count)


earlier = st.builds(Answered, st.none(), st.text("abc.", min_size=6, max_size=6))
befores = earlier | st.builds(Answered, seeds, marks(6))
afters = earlier | st.builds(Answered, seeds, marks(8))
sheets = (
    st.builds(Sheet, st.none(), st.none(), st.none() | seeds)
    | st.builds(Sheet, befores, st.none(), st.none() | seeds)
    | st.builds(Sheet, befores, afters)
)


@given(sheets)
def test_a_link_brings_the_sheet_back(sheet: Sheet) -> None:
    text = to_text(sheet)
    assert (from_text(text) if text else Sheet()) == sheet
    assert len(text) < 30


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "cbbacd",
        "abcabc-",
        "abcabc-abcabc-abcabc",
        "-abcabc",
        "7k3",
        "_AAacAA",
        "7k3_AAac",
        "7k3_AAacAAaa",
        "7k3_AAacAA-2fq_CBbAca",
        "7k3_-2fq_",
        "7k3_AAacAA-2fq_CBbAcaAa-zz_",
        "07k3_",
        "7K3_",
        "7k3_AAacAe",
        "zzzzz_",
    ],
)
def test_a_damaged_sheet_is_no_sheet(text: str) -> None:
    assert from_text(text) is None


@given(shown_texts)
def test_no_text_breaks_it(text: str) -> None:
    found = from_text(text)
    assert found is None or to_text(found) == text


def test_old_links_are_what_they_were() -> None:
    sheet = from_text("cb.ac.-abbacb")
    assert sheet == Sheet(Answered(None, "cb.ac."), Answered(None, "abbacb"))
    assert sheet is not None
    assert sheet.time == "done"
    assert (num_right(sheet.before), num_right(sheet.after)) == (4, 5)


def test_an_old_first_time_goes_on_with_new_questions() -> None:
    sheet = from_text("cbbacb")
    assert sheet is not None
    sheet = sheet.begun(9507)
    assert to_text(sheet) == "cbbacb-7c3_"
    sheet = sheet.answered(dict(RIGHT), {})
    assert to_text(sheet) == "cbbacb-7c3_cbbacbab"


def test_the_times_are_kept_apart() -> None:
    sheet = Sheet().begun(1)
    assert (sheet.time, sheet.is_answered) == ("before", False)
    sheet = sheet.answered({"stamp": "a", "part": "b"}, {"stamp": True, "hit": True})
    assert to_text(sheet) == "1_Ab....", "sure of nothing is nothing"
    assert (sheet.time, sheet.seed, num_right(sheet.before)) == ("after", None, 1)
    sheet = sheet.begun(2).answered(dict(RIGHT), dict.fromkeys(RIGHT, True))
    assert (sheet.time, num_right(sheet.after), num_new_right(sheet.after)) == ("done", 6, 2)
    assert sheet.begun(3) == sheet == sheet.answered({}, {})


def test_what_is_asked_when() -> None:
    assert TIMES["before"] == tuple(SIX)
    assert TIMES["after"] == (*SIX, *NEW)
    assert (len(SIX), len(NEW)) == (6, 2)


def test_no_two_seeds_have_one_name() -> None:
    assert len({seed_text(seed) for seed in range(5000)}) == 5000
    assert len(seed_text(NUM_SEEDS - 1)) == 4
    assert seed_text(0) == "0"
