"""Any part of any link, damaged anywhere: nothing is raised, and what was read makes a sound link again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.links import LINK_PARTS
from tests.address import through_the_address
from tests.strategies import examples, shown_texts
from tests.unit.ui.teacher.test_teacher import address_of
from ui.interview import talk
from ui.machine import machine
from ui.machine.own import MY_GPU, MY_MODEL, OwnNumbers
from ui.moment import link as moment_link
from ui.monitor import deeds as monitor_deeds
from ui.monitor.deeds import Deed, LoadPlan
from ui.monitor.setup import LoadSetup
from ui.stage import record, setup
from ui.stage.bet import Bet
from ui.stage.fork import Fork
from ui.stage.own import OWN, OwnPrompts
from ui.stage.record import Answer, Record
from ui.stage.setup import Setup
from ui.study import study
from ui.study.flashcards import new_deck
from ui.study.names import QUESTIONS
from ui.study.six_questions import Sheet
from ui.study.study import Study
from ui.teacher import seq as teacher_seq
from ui.traffic import setup as traffic_setup
from ui.traffic.setup import Side, TrafficSetup, Wanted

Read = Callable[[Mapping[str, str]], tuple[Any, list[str]]]
Write = Callable[[Any], dict[str, str]]

KNOBS = {
    "num_slots": 9,
    "cache_cap": None,
    "ttl": 5,
    "ttl_kind": "absolute",
    "version": "v2",
    "salt": "盐 &=%",
}
DEEDS = (Deed(2, "cache_cap", 9), Deed(4, "ttl_s"), Deed(9, "burst"))
READING = Wanted("mooncake", "chatml", True, 512, "ceil", "qwen")
ROOM = 1_000
"""Characters that every part may take in a link; of longer ones the oldest is left out."""


def shown(found: tuple[Setup, list[str]]) -> tuple[Setup, list[str]]:
    """The setup without prompts that wait while another scenario is on the stage: no link carries those."""
    read, lost = found
    return (read if read.scenario == OWN else replace(read, own=OwnPrompts())), lost


PARTS: dict[str, tuple[Any, Read, Write]] = {
    "setup": (
        Setup(
            OWN, KNOBS, OwnPrompts("汤 ", ("eins", "🍜"), "Ja."), "guided", ("log", "quiz"), True, Bet(20),
            Fork(7, "prompt", "1.~ 汤"),
        ),
        lambda query: shown(setup.from_query(query)),
        setup.to_query,
    ),
    "record": (
        Record("P9", (Fork(3, "slots", 8), Fork(4, "prompt", "a~b.c%")), (Answer("P9", 12, "hit", False),)),
        lambda query: record.from_query(query, "P9"),
        lambda found: record.to_query(found, "P9"),
    ),
    "machine": (
        machine.Machine(MY_MODEL, MY_GPU, 8, own=OwnNumbers(num_layers=40)),
        machine.from_query,
        machine.to_query,
    ),
    "load": (
        LoadPlan(LoadSetup(seed=8, cache_cap=50), DEEDS, 64),
        monitor_deeds.from_query,
        monitor_deeds.to_query,
    ),
    "moment": (moment_link.of_load("R17", 3.25, 9.5), moment_link.from_query, moment_link.to_query),
    "study": (
        Study(new_deck(len(QUESTIONS)).again().knew(), Sheet().begun(9507).answered({"stamp": "a"}, {})),
        study.from_query,
        study.to_query,
    ),
    "talk": (
        talk.Talk("senior", "pool", 20, 2, frozenset({1, 3})),
        talk.from_query,
        talk.to_query,
    ),
    "sequence": (
        teacher_seq.Sequence((teacher_seq.Stop(address_of("bet"), "汤", "eine\nNotiz"),) * 2),
        lambda query: teacher_seq.from_query(query, LINK_PARTS),
        teacher_seq.to_query,
    ),
    "traffic": (
        TrafficSetup("paste", "rag", READING, Side(16, 9, 0.5), Side(8)),
        traffic_setup.from_query,
        traffic_setup.to_query,
    ),
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_the_links_that_are_damaged_are_sound(part: str) -> None:
    value, read, write = PARTS[part]
    assert len(write(value)) >= 1
    assert read(through_the_address(write(value))) == (value, [])


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """A piece of the text taken out, doubled, or another text or sign in its place."""
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 3)) | st.just(len(text)))
    instead = draw(st.just("") | st.just(text[start:end] * 2) | st.sampled_from("0129-~._x٣ ") | shown_texts)
    return text[:start] + instead + text[end:]


@pytest.mark.parametrize("part", PARTS)
@given(data=st.data())
@examples(60)
def test_a_damaged_link_is_read_as_a_sound_one(part: str, data: st.DataObject) -> None:
    value, read, write = PARTS[part]
    query = write(value)
    for name in data.draw(st.lists(st.sampled_from(sorted(query)), min_size=1, max_size=2, unique=True)):
        query[name] = data.draw(damaged(query[name]))
    found, lost = read(query)
    assert set(lost) <= set(query)
    again = through_the_address(write(found))
    kept, lost_again = read(again)
    assert lost_again == []
    assert write(kept) == again
    if len(urlencode(query)) < ROOM:
        assert kept == found
