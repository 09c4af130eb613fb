"""Links keep their promise to the place, not only to the page: the page takes it and a reload comes back."""

from __future__ import annotations

import pytest

from tests.app.visit import calm, go_to, visit
from ui.course.glossary import terms
from ui.interview.questions import SHOWS
from ui.stage.show_me import Show, address, place_of

PROMISED = {
    (show.page, show.place): show
    for show in (*(term.show for term in terms()), *SHOWS.values())
    if show.place
}


@pytest.mark.parametrize("show", PROMISED.values(), ids=lambda show: place_of(show.page, show.place))
def test_a_page_opens_at_the_place_that_a_link_names(show: Show) -> None:
    place = place_of(show.page, show.place)
    assert f"open={place}" in address(show, "en")
    at = visit(show.page, lang="en", open=place)
    assert at.session_state["place_taken"] == place
    assert at.query_params["open"] == place
    assert calm(at.run()).query_params["open"] == place, "a reload comes back to it"


def test_a_link_from_page_to_page_names_a_place_too() -> None:
    at = go_to(visit("ch11", lang="en", open="ch11.zero"), "ch12")
    at.query_params["open"] = "ch11.hash"
    assert go_to(at, "ch11").session_state["place_taken"] == "ch11.hash"
    assert at.selectbox(key="ch11-belief").value == "hash"
    assert calm(at.run()).query_params["open"] == "ch11.hash"


def test_a_place_that_a_page_has_not_is_left_alone() -> None:
    at = visit("ch11", lang="en", open="ch11.nowhere")
    assert "place_taken" not in at.session_state


@pytest.mark.parametrize(("lang", "first"), [("en", "ref count"), ("zh", "引用计数")])
def test_a_word_of_the_glossary_has_a_link_of_its_own(lang: str, first: str) -> None:
    at = visit("glossary", lang=lang, open="glossary.ref-count")
    assert at.text_input[0].value == first
    slugs = [term.slug for term in terms()]
    assert len(set(slugs)) == len(slugs)


@pytest.mark.parametrize(
    ("page", "place", "number"), [("ch01", "size", 1), ("ch02", "sizes", 2), ("ch02", "query", 1)]
)
def test_what_is_folded_stands_open(page: str, place: str, number: int) -> None:
    at = visit(page, lang="en", open=place_of(page, place))
    assert [one.proto.expanded for one in at.expander[:number]] == [False] * number
    assert at.expander[number].proto.expanded
