"""Tables in Markdown: whatever was typed stays in its cell, is escaped once, and begins no formula."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ui.frame.session import plain
from ui.words.tables import in_cell, markdown_table, no_formula

TYPED = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\\|$`*_\n- a"), max_size=30)


def cells_of(line: str) -> list[str]:
    """The cells of a row as GitHub's Markdown reads them: a bar behind a backslash ends none."""
    pieces = re.findall(r"(?:\\[\\|]|[^|])*", line.strip())
    return [piece.strip() for piece in pieces if piece][0:]


def read(markdown: str) -> str:
    """What is seen of escaped text."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


@given(TYPED, TYPED)
@example("a|b $1$", "\\|$\\$")
@example("|", "\n")
@example("trailing \\", "`|`")
def test_typed_text_stays_in_its_cell_and_is_escaped_once(one: str, other: str) -> None:
    """A question with "|" and "$" was escaped by the page and once more by the table: the backslash was
    escaped, the sign was not, and the row fell to pieces."""
    lines = markdown_table(["a", "b"], [[f"x{plain(one)}x", f"x{plain(other)}x"]]).split("\n")
    assert len(lines) == 3
    found = cells_of(lines[2])
    assert len(found) == 2
    for cell, typed in zip(found, (one, other), strict=True):
        shown = re.sub(r"\s*[\r\n\u2028\u2029]+\s*", " ", read(f"x{plain(typed)}x"))
        assert read(cell) == shown
        assert not re.search(r"(?<!\\)(?:\\\\)*\$", cell), "no formula begins"


@given(TYPED)
def test_escaping_twice_is_escaping_once(typed: str) -> None:
    for markdown in (typed, plain(typed)):
        for escape in (in_cell, no_formula):
            assert escape(escape(markdown)) == escape(markdown)
    assert no_formula(plain(typed)) == plain(typed)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("$3.00 / GPU hour", r"\$3.00 / GPU hour"),
        (r"\$3", r"\$3"),
        (r"\\$3", r"\\\$3"),
        ("`a|b` $1", r"`a\|b` \$1"),
        ("``a`|$``", r"``a`\|$``"),
        ("[1](https://a.b/c) **x**", "[1](https://a.b/c) **x**"),
        ("one\n\ntwo", "one two"),
    ],
)
def test_our_own_markdown_means_what_it_meant(cell: str, shown: str) -> None:
    assert in_cell(cell) == shown


def test_sides_of_columns() -> None:
    assert markdown_table(["a", "b", "c"], []).split("\n")[1] == "|:--|--:|--:|"
    assert markdown_table(["a", "b"], [], "rl").split("\n")[1] == "|--:|:--|"


def test_what_turns_the_direction_of_writing_is_told_and_turns_nothing() -> None:
    assert read(plain("a\u202eb")) == "a[U+202E]b"
    assert plain("שלום") == "שלום"
