"""Every recorded link opens on the state that it was recorded with, and no parameter is without a link.

What the record cannot see: the step behind ``#``, which never reaches Python (``tests/e2e/test_links.py``),
and what a visitor does after the link was opened. ``python -m tests.record_links`` renews the record.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import product
from string import ascii_lowercase
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.record_links import SAME, TESTS, lacks, open_link, opened, recorded

ENTRIES = recorded()
STRANGERS = {"utm_source", "fbclid", "at"}
"""Names in the record that stand for what others add to a link, and for what our own links said once."""

BROKEN = "@.@~_" * 20
"""No value of any parameter."""

AT_ONCE = 900
"""Parameters in one link; Streamlit takes a thousand."""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_a_link_opens_as_it_was_recorded(entry: dict[str, Any]) -> None:
    if lacks(entry):
        pytest.skip(f"not installed here: {entry['needs']}; python3 run.py add {entry['needs']}")
    assert opened(entry["page"], entry["query"]) == entry["opens"]


def test_every_link_has_a_name_of_its_own() -> None:
    names = [entry["name"] for entry in ENTRIES]
    assert len(set(names)) == len(names) >= 40


def test_every_page_is_recorded() -> None:
    files = (TESTS.parent / "pages").glob("*.py")
    pages = {file.stem for file in files if "\ndef render(" in file.read_text("utf-8")}
    assert pages == {entry["page"] for entry in ENTRIES}


# -- no parameter without a link --------------------------------------------------------------------------


def names_opened() -> set[str]:
    """Parameters that stand in a recorded link."""
    return {name for entry in ENTRIES for name in entry["query"]}


def names_written() -> set[str]:
    """Parameters that the app has written back, so that it must have understood a value of them."""
    return {
        name
        for entry in ENTRIES
        for name in (entry["query"] if entry["opens"]["query"] == SAME else entry["opens"]["query"])
    }


def open_broken(names: Collection[str]) -> AppTest:
    """A link with a broken value for each."""
    query = {"lang": "en"} | dict.fromkeys(names, BROKEN)
    at = open_link("glossary", query)
    assert at.query_params == query, "all of it has arrived: Streamlit ignores what is too long"
    return at


def answered(names: list[str]) -> bool:
    """Whether the app knows any of these parameters: it complains of a broken value, or writes it back."""
    at = open_broken(names)
    return at.warning.len > 0 or not set(names).isdisjoint(at.run().query_params)


def known(names: list[str]) -> list[str]:
    """Those that the app knows, found by halving."""
    if not answered(names):
        return []
    half = len(names) // 2
    return known(names[:half]) + known(names[half:]) if half else names


def test_a_broken_value_of_any_recorded_parameter_is_told() -> None:
    """Of any but the language: nobody would read the complaint."""
    names = names_opened() - STRANGERS - {"lang"}
    (told,) = (warning.value for warning in open_broken(names | STRANGERS).warning)
    assert told.count(", ") + 1 == len(names), told


def test_every_recorded_parameter_has_a_value_that_is_understood() -> None:
    assert names_opened() - names_written() == STRANGERS


def test_the_app_knows_no_parameter_that_is_not_recorded() -> None:
    """Every word in the source, and all of one or two letters, are tried as parameters."""
    root = TESTS.parent
    files = [root / "app.py", *(root / "pages").rglob("*.py"), *(root / "ui").rglob("*.py")]
    words = {word for file in files for word in re.findall(r"[A-Za-z_]\w{0,15}", file.read_text("utf-8"))}
    words |= {"".join(letters) for n in (1, 2) for letters in product(ascii_lowercase, repeat=n)}
    assert words > names_opened() - STRANGERS, "the words of the source must hold all names, or prove nothing"
    tried = sorted(word for word in words - names_opened() if not word.startswith("embed"))  # Streamlit's own
    portions = [tried[start : start + AT_ONCE] for start in range(0, len(tried), AT_ONCE)]
    assert known([*portions[0], "ttl"]) == ["ttl"], "one among many is found"
    assert [name for portion in portions for name in known(portion)] == []
