"""Codes of a class: back as they were, and no wrong letter, no exchange goes unseen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import shown_texts
from ui.study.class_code import CHECKS, LONGEST, MARKS, Code, check_letter, read_codes, to_code
from ui.study.six_questions import NOTHING, Answered, Sheet, from_text


def given_marks(count: int) -> st.SearchStrategy[str]:
    """Marks of a time that was answered: one of them at least."""
    return st.text(MARKS, min_size=count, max_size=count).filter(lambda text: text.strip(NOTHING))


codes = st.builds(Code, given_marks(6), given_marks(8))


def written(code: Code) -> str:
    return f"{code.before}-{code.after}-{check_letter(code)}"


@given(codes)
def test_a_code_comes_back(code: Code) -> None:
    text = to_code(Sheet(Answered(1, code.before), Answered(2, code.after)))
    assert text == written(code)
    assert read_codes(text).codes == (code,)
    assert read_codes(text).misread == ()


@given(codes)
def test_every_single_wrong_letter_is_seen(code: Code) -> None:
    """At every place, by every other sign that may stand in a code."""
    text = written(code)
    for place, right in enumerate(text):
        for wrong in {*MARKS, *CHECKS, *CHECKS.upper(), "-"} - {right}:
            damaged = text[:place] + wrong + text[place + 1 :]
            assert read_codes(damaged).codes == (), damaged


@given(codes)
def test_every_exchange_of_neighbours_is_seen(code: Code) -> None:
    """Those on both sides of a dash too."""
    text = written(code)
    for place in range(len(text) - 1):
        damaged = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
        if damaged != text:
            assert read_codes(damaged).codes == (), damaged
    for dash in (6, 15):
        damaged = text[: dash - 1] + text[dash + 1] + "-" + text[dash - 1] + text[dash + 2 :]
        if damaged != text:
            assert read_codes(damaged).codes == (), damaged


def test_a_check_letter_is_no_answer() -> None:
    assert not set(CHECKS) & set(MARKS.lower())
    assert len(CHECKS) == 19 > len(MARKS), "a prime, above every difference of two marks and two places"


ONE = Code("AAacAA", "CBbAcaAa")


@pytest.mark.parametrize(
    "text",
    [
        "{code}",
        "  {code}\t",
        "\n\n{code}\r\n",
        "AAacAA - CBbAcaAa - {check}",
        "A A a c A A-CBbA caAa-{check}",
        "AAacAA–CBbAcaAa—{check}",
        "AAacAA－CBbAcaAa－{check}",
        "{code},",
        "{code};",
        "{code}，",
    ],
)
def test_spaces_and_dashes_of_other_programs(text: str) -> None:
    check = check_letter(ONE)
    assert read_codes(text.format(code=written(ONE), check=check)).codes == (ONE,)


@given(codes)
def test_no_change_of_case_is_silent(code: Code) -> None:
    """Programs that write everything small, or large, or begin a line with a capital."""
    text = written(code)
    for damaged in (text.lower(), text.upper(), text[0].upper() + text[1:], text[0].lower() + text[1:]):
        if damaged != text:
            assert read_codes(damaged).codes == (), damaged


@pytest.mark.parametrize("code", [ONE, Code("...aA.", "CB..ca.a"), Code("abcdab", "abcdabc.")])
@pytest.mark.parametrize(
    "text",
    [
        '"{code}"',
        "“{code}”",
        "「{code}」",
        "‘{code}’",
        "`{code}`",
        "```{code}```",
        "**{code}**",
        "Anna: {code}",
        "Anna：{code}",
        "安娜：{code}",
        "[10:32] Anna: {code}",
        "10:32 Anna: `{code}`",
        "> {code}",
        "(Anna) {code}",
        "1. {code}",
        "1.{code}",
        "12) {code}",
        "3、{code}",
        "- {code}",
        "• {code}",
        "7 {code}",
        "\ufeff{code}",
        "\u200b{code}\u200b",
        "\u200e{code}\u200f",
        "\u2066{code}\u2069",
        "\u202a{code}\u202c",
        "{code}.",
        "{code}...",
        "{code}。",
        "{code}!",
        "Anna, {code}",
        "{code}, Anna",
        "my code is: “{code}”.",
    ],
)
def test_codes_as_chats_have_them(text: str, code: Code) -> None:
    if text == "1.{code}" and code.before.startswith("."):
        return  # nobody knows whose dot that is
    pasted = read_codes(text.format(code=written(code)))
    assert (pasted.codes, pasted.misread) == ((code,), ())


def test_a_damaged_code_beside_a_good_one_is_told() -> None:
    pasted = read_codes(f"Anna: {written(ONE)}, BAacAA-CBbAcaAa-{check_letter(ONE)}")
    assert pasted.codes == (ONE,)
    assert [one.why for one in pasted.misread] == ["check"]


def test_dots_of_other_programs() -> None:
    code = Code("...aA.", "CB..ca.a")
    assert read_codes(written(code).replace("...", "…")).codes == (code,)
    assert read_codes(written(code).replace(".", "。")).codes == (code,)


def test_several_on_a_line() -> None:
    two = Code("abcdab", "abcdabcd")
    assert read_codes(f"{written(ONE)} {written(two)}").codes == (ONE, two)
    assert read_codes(f"{written(ONE)}, {written(two)}").codes == (ONE, two)


def test_mistakes_are_told_by_line() -> None:
    damaged = "BAacAA-CBbAcaAa-" + check_letter(ONE)
    pasted = read_codes(f"{written(ONE)}\n\n{damaged}\nhello <b>world</b>\n{written(ONE).lower()}")
    assert pasted.codes == (ONE,)
    assert [(one.line, one.why) for one in pasted.misread] == [(3, "check"), (4, "form"), (5, "check")]
    assert pasted.misread[1].text == "hello<b>world</b>"


def test_the_same_code_twice_counts_twice_and_is_told() -> None:
    """Letters stand for thoughts: everybody who is sure and right has the same code."""
    pasted = read_codes("\n".join([written(ONE)] * 3))
    assert pasted.codes == (ONE,) * 3
    assert pasted.twins == (2, 3)


def test_a_code_from_paper_has_no_check_letter() -> None:
    pasted = read_codes("AAacAA-CBbAcaAa-?")
    assert (pasted.codes, pasted.by_hand) == ((ONE,), 1)


def test_a_sheet_with_one_time() -> None:
    code = to_code(Sheet(Answered(7, "AAacAA")))
    assert code.startswith("AAacAA-........-")
    (read,) = read_codes(code).codes
    assert (read.has("before"), read.has("after")) == (True, False)
    assert read_codes(to_code(Sheet())).codes == (), "nothing answered is nobody"


def test_answers_of_an_earlier_sheet_are_not_part_of_it() -> None:
    sheet = from_text("cbbacb-7c3_CBBACBAB")
    assert sheet is not None
    assert to_code(sheet).startswith("......-CBBACBAB-")


@given(shown_texts)
def test_whatever_is_pasted(text: str) -> None:
    pasted = read_codes(text)
    assert all(len(one.text) <= 30 for one in pasted.misread)
    assert read_codes("x" * (2 * LONGEST)).codes == ()
