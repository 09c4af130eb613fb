"""What all parts of the link keep to, whichever there are."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.links import LINK_PARTS
from ui.frame.link import LinkPart
from ui.stage.record import RECORD
from ui.teacher.address import AddressError, read_address
from ui.words.i18n import LANGS, table

ROOT = Path(__file__).resolve().parents[4]
NAMES = [name for part in LINK_PARTS for name in part.names]
each_part = pytest.mark.parametrize("part", LINK_PARTS, ids=lambda part: part.key)


def test_no_two_parts_share_a_name_or_a_place_in_the_session() -> None:
    for found in (NAMES, [part.key for part in LINK_PARTS]):
        assert [name for name, times in Counter(found).items() if times > 1] == []


@each_part
def test_every_parameter_has_a_word_that_a_person_knows_it_by(part: LinkPart[Any]) -> None:
    assert part.names
    assert part.personal <= set(part.names)
    for lang in LANGS:
        assert set(part.names.values()) <= set(table(lang))


@each_part
def test_an_empty_link_reads_as_what_is_usual(part: LinkPart[Any]) -> None:
    assert part.read({}) == (part.usual(), [])
    assert set(part.write(part.usual())) <= set(part.names)


@given(query=st.dictionaries(st.sampled_from(NAMES), st.text(max_size=40)))
def test_any_text_in_a_link_is_taken_or_named(query: dict[str, str]) -> None:
    again: dict[str, str] = {}
    for part in LINK_PARTS:
        value, lost = part.read(query)
        assert set(lost) <= set(part.names) & set(query)
        written = part.write(value)
        assert set(written) <= set(part.names)
        again |= written
    for part in LINK_PARTS:
        if part is not RECORD:  # of this one a link says what belongs to the visitor's setup
            assert part.read(again) == (part.read(query)[0], [])


@pytest.mark.parametrize("name", NAMES)
def test_an_address_that_is_handed_on_knows_every_parameter(name: str) -> None:
    """What is the visitor's own is left out, whatever it says; of all else, nonsense is refused by name."""
    personal = {name for part in LINK_PARTS for name in part.personal}
    nonsense = "~.~" * 20
    if name in personal:
        assert read_address(f"ch01?{name}={nonsense}", LINK_PARTS).text == "ch01"
        return
    with pytest.raises(AddressError) as caught:
        read_address(f"ch01?{name}={nonsense}", LINK_PARTS)
    assert caught.value.code == "teacher.damaged"
    assert caught.value.values["names"] == name


def test_no_part_shares_its_place_with_a_widget() -> None:
    """The lecture's component and the lecture's part of the link did: once the browser had told something,
    the page found that in place of what was asked for."""
    rooms = (ROOT / "ui", ROOT / "pages")
    source = "\n".join(path.read_text("utf-8") for room in rooms for path in room.rglob("*.py"))
    widgets = set(re.findall(r'\b\w*key\s*=\s*"([\w-]+)"', source, re.IGNORECASE))
    assert {"lecture", "start_tab"} & widgets
    assert {part.key for part in LINK_PARTS} & widgets == set()
