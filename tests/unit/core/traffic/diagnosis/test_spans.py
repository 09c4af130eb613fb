"""Texts beside each other: what they have in common, which span changes, what kind of text it is."""

from __future__ import annotations

import pytest

from core.traffic.diagnosis.folding import folded, one_white_space, units
from core.traffic.diagnosis.kinds import Kind, cut_to_day, cut_to_hour, kind_of
from core.traffic.diagnosis.places import place_of
from core.traffic.diagnosis.skeletons import Skeleton, skeleton_of

RULES = "Answer the customer in two sentences and never make up an order number."


def skeleton(*texts: str) -> Skeleton:
    found = skeleton_of(texts[0])
    for text in texts[1:]:
        found = found.with_text(text)
    return found


def taken(one: Skeleton, text: str, sentences: bool = False) -> list[str]:
    spans = one.sentences(text) if sentences else one.words(text)
    assert spans is not None
    return [text[start:stop] for start, stop in spans]


@pytest.mark.parametrize("end", ["\n", "\n\n", " ", ". "])
def test_a_date_in_front(end: str) -> None:
    texts = [f"Now: 2030-01-0{n}T10:0{n}{end}{RULES}" for n in range(1, 9)]
    one = skeleton(*texts)
    assert [taken(one, text) for text in texts] == [[f"2030-01-0{n}T10:0{n}"] for n in range(1, 9)]
    line = taken(one, texts[0], sentences=True)[0]
    assert line.startswith("Now: ") or end == " "
    assert RULES not in line
    assert one.spans("quite another text") is None


def test_several_spans_in_one_sentence_are_one() -> None:
    texts = [f"Weather: {n} degrees, wind {n * 3} km/h.\n{RULES}" for n in range(5)]
    assert taken(skeleton(*texts), texts[4], sentences=True) == ["Weather: 4 degrees, wind 12 km/h."]


def test_a_sentence_that_some_have_and_some_have_not() -> None:
    """The next sentence was taken with it, and dropped."""
    texts = [RULES, f"It is 10:30. {RULES}", f"It is 11:45. {RULES}"]
    one = skeleton(*texts)
    assert [taken(one, text, sentences=True) for text in texts[:2]] == [[""], ["It is 10:30. "]]


def test_chance_words_are_no_skeleton() -> None:
    one = skeleton("The cat and the dog sat on it", "My hat and a log lay on top")
    assert one.num_fixed == 0
    assert skeleton("same", "same").spans("same") == []


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["2026-03-02T09:00:00", "2026-03-02 16:13:17+00:00"], "date_time"),
        (["Monday, March 02, 2026", "Tuesday, March 03, 2026"], "date"),
        (["03/02/2026 09:00 AM", "03/02/2026 04:13 PM"], "date_time"),
        (["2026年3月2日", "2026年3月12日"], "date"),
        (["09:00", "16:13:17"], "time"),
        (["1767225600", "1767226537"], "time"),
        (["0f8fad5b-d9cb-469f-a165-70867728950e"], "id"),
        (["req_abcdefgh", "req_bcdefg2h", "req_zyxwvuts"], "id"),
        (["10.0.0.1", "10.200.3.77"], "id"),
        (["0.8444", "12", "-3"], "number"),
        (["Ana", "Boris"], "words"),
        (["/srv/project-1/src", "/srv/project-2/src"], "words"),
        ([" ", "\n"], "white_space"),
        ([], "words"),
    ],
)
def test_kinds(texts: list[str], kind: Kind) -> None:
    assert kind_of(texts) == kind


def test_dates_with_less_in_them() -> None:
    text = "Now 2026-03-02T09:41:07+00:00, or 03/02/2026 09:41 AM; at 09:41."
    assert cut_to_day(text) == "Now 2026-03-02, or 03/02/2026; at 09:41."
    assert cut_to_hour("2026-03-02T09:41:07Z") == "2026-03-02T09:00Z"


def test_one_form_of_white_space() -> None:
    assert one_white_space("a\u00a0b \r\n\r\n\r\n\r\nc\t \td ") == "a b\n\nc d"
    assert folded("A \r\n b") == folded("a\u00a0B")
    assert list(units('Go on. {"a": "one of them", "b": "another one"}\nshort')) == [
        '{"a": "one of them", "', 'b": "another one"}',
    ]  # fmt: skip


def test_places_are_those_of_the_call() -> None:
    assert (
        place_of("request.body.messages[2].content[0].text", "changing_text") == "messages[2].content[0].text"
    )
    assert place_of("body.tools[3]", "tool_subset") == "tools"
    assert place_of("system", "changing_text") == "system"
