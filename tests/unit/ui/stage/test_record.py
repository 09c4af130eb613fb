"""Answers and changes survive a reload: into a link and back, whatever people do to the link in between."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.scenario.scenario import run
from tests.address import through_the_address
from tests.strategies import shown_texts
from ui.stage.bet import Bet
from ui.stage.fork import Fork
from ui.stage.own import OWN, OwnPrompts
from ui.stage.payload import stage_log
from ui.stage.record import MAX_FORKS, MAX_LINK, Answer, Record, from_query, read_answer, run_name, to_query
from ui.stage.setup import Setup, load_setup, preset_ids

ANSWERS = st.builds(
    Answer,
    run=st.sampled_from(["P0", "P9b", "own-01ab9f"]),
    step=st.integers(0, 999_999),
    question=st.sampled_from(["hit", "touch", "evict"]),
    right=st.booleans(),
)
FORKS = st.one_of(
    st.builds(Fork, step=st.integers(0, 5_000), change=st.just("slots"), value=st.integers(1, 64)),
    st.builds(Fork, step=st.integers(0, 5_000), change=st.just("prompt"), value=shown_texts),
)


def length_in_link(fork: Fork) -> int:
    """Characters of a change with its separator."""
    return len(quote(fork.to_link(), safe=".").replace("~", "%7E")) + 1


@given(st.lists(FORKS, max_size=12), st.lists(ANSWERS, max_size=12))
@example([Fork(0, "prompt", "汤" * 300)], [])  # longer than a link: it is left out
def test_a_record_comes_back_from_its_link(forks: list[Fork], answers: list[Answer]) -> None:
    record = Record("P0")
    for fork in forks:
        record = record.with_fork("P0", fork)
    for answer in answers:
        record = record.with_answer(answer)
    back, lost = from_query(through_the_address(to_query(record, "P0")), "P0")
    assert lost == []
    dropped = len(record.forks) - len(back.forks)
    assert back.forks == record.forks[dropped:]
    assert not dropped or sum(map(length_in_link, record.forks[dropped - 1 :])) > MAX_LINK
    assert back.score() == record.score()
    assert set(back.answers) == set(record.answers)


@given(shown_texts, shown_texts)
def test_no_link_breaks_the_page(tried: str, quiz: str) -> None:
    record, lost = from_query({"tried": tried, "quiz": quiz}, "P0")
    assert set(lost) <= {"tried", "quiz"}
    assert len(record.forks) <= MAX_FORKS


def test_a_damaged_link_keeps_what_can_be_read() -> None:
    record, lost = from_query({"tried": "3.slots.8~3.slots.x", "quiz": "P0.hit12.HIT!.touch20x"}, "P0")
    assert lost == ["tried", "quiz"]
    assert record.forks == (Fork(3, "slots", 8),)
    assert record.score() == {"hit": (1, 1), "touch": (0, 1)}


def test_only_the_first_answer_counts() -> None:
    record = Record().with_answer(Answer("P0", 12, "hit", False)).with_answer(Answer("P0", 12, "hit", True))
    assert record.score() == {"hit": (0, 1)}
    assert record.with_answer(Answer("P1", 12, "hit", True)).score() == {"hit": (1, 2)}


def test_changes_belong_to_their_run() -> None:
    record = Record().with_fork("P0", Fork(3, "slots", 8))
    assert record.forks_of("P0") == (Fork(3, "slots", 8),)
    assert record.forks_of("P1") == ()
    assert to_query(record, "P1") == {}
    assert record.with_fork("P1", Fork(0, "slots", 4)).forks == (Fork(0, "slots", 4),)


def test_the_same_change_counts_once_and_only_so_many_are_kept() -> None:
    record = Record()
    for number in range(20):
        record = record.with_fork("P0", Fork(number, "slots", 8)).with_fork("P0", Fork(number, "slots", 8))
    assert [fork.step for fork in record.forks] == list(range(20 - MAX_FORKS, 20))


def test_a_link_stays_short() -> None:
    record = Record()
    for number in range(400):
        record = record.with_answer(Answer(f"R{number % 40}", number, "hit", True))
    for number in range(8):
        record = record.with_fork("P0", Fork(number, "prompt", "汤" * 300))
    query = to_query(record, "P0")
    assert all(len(text) <= MAX_LINK for text in query.values())
    assert from_query(query, "P0")[1] == []


def test_runs_have_their_own_names() -> None:
    setups = [
        Setup("P0"),
        Setup("P1"),
        Setup("P0", knobs={"num_slots": 8}),
        Setup("P0", knobs={"num_slots": 9}),
        Setup(OWN, own=OwnPrompts("a")),
        Setup(OWN, own=OwnPrompts("b")),
    ]
    assert len({run_name(setup) for setup in setups}) == len(setups)
    assert run_name(Setup("P0", bet=Bet(3), mode="free")) == "P0"


def questions(preset: str) -> list[dict[str, Any]]:
    scenario = load_setup(Setup(preset), "en")
    return list(stage_log(scenario, run(scenario), preset)["events"])


@pytest.mark.parametrize("preset", preset_ids())
def test_every_question_of_the_stage_can_be_kept(preset: str) -> None:
    steps = questions(preset)
    asked = [(number, step["ask"]["id"]) for number, step in enumerate(steps) if "ask" in step]
    record = Record()
    for number, question in asked:
        told = {
            "id": question,
            "event": float(number),
            "right": True,
            "choice": 0,
            "first": True,
            "votes": [],
        }
        answer = read_answer(told, preset, steps)
        assert answer is not None
        record = record.with_answer(answer)
    back, lost = from_query(to_query(record, preset), preset)
    assert lost == []
    assert len(back.answers) == len(asked)


@pytest.mark.parametrize(
    "told",
    [
        None,
        "answer",
        {},
        {"id": "hit", "event": 10**9, "right": True},
        {"id": "hit", "event": -1, "right": True},
        {"id": "hit", "event": 0, "right": True},  # no question stands there
        {"id": "hit", "event": 0.5, "right": True},
        {"id": "hit", "event": "0", "right": True},
        {"id": "hit", "event": 0, "right": "yes"},
    ],
)
def test_what_is_no_answer_is_dropped(told: object) -> None:
    assert read_answer(told, "P0", questions("P0")) is None
