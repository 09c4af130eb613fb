"""The path of presets: each once, in four groups; a result for who has seen the run, and then the exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import streamlit as st

from core.report import make_report
from tests.stage_runs import PRESETS, log_of, stage_log_of, steps_of
from ui.machine.machine import Machine
from ui.stage.presets import PATH, SEEN, hear_seen, path, result_of, was_seen
from ui.stage.record import RECORD, Answer, Record
from ui.stage.setup import SETUP, Setup, preset_ids
from ui.words.i18n import LANGS, table


@pytest.fixture(autouse=True)
def visitor() -> Iterator[None]:
    """A session of one's own."""
    st.session_state.clear()
    yield
    st.session_state.clear()


def test_each_preset_stands_in_one_group() -> None:
    listed = Counter(name for names in PATH.values() for name in names)
    assert max(listed.values()) == 1
    assert set(preset_ids()) <= set(listed)
    assert Counter(name for names in path().values() for name in names) == Counter(preset_ids())
    assert all(len(names) >= 3 for names in path().values())


@pytest.mark.parametrize("lang", LANGS)
def test_each_group_has_its_words(lang: str) -> None:
    for group in PATH:
        assert {f"path.{group}", f"path.{group}.what"} <= table(lang).keys()  # type: ignore[arg-type]


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_the_result_is_exact_and_the_finish_pages(scenario_id: str) -> None:
    """A picture of L640 drew 50 % beside "80 %": now the tokens are said, as the report counts them."""
    shares = make_report(log_of(scenario_id), Machine().cost()).waterfall
    assert result_of(scenario_id) == (shares.tokens["reused"], shares.total)


@pytest.mark.parametrize(
    ("scenario_id", "expected"), [("P0", (20, 58)), ("L640", (4608, 6400)), ("P9", (0, 144))]
)
def test_results_by_hand(scenario_id: str, expected: tuple[int, int]) -> None:
    assert result_of(scenario_id) == expected


def test_nothing_is_seen_at_first() -> None:
    assert not any(was_seen(name) for name in preset_ids())


def test_who_came_to_the_end_has_seen_it() -> None:
    SETUP.set(Setup("P4"))
    hear_seen("P4")
    assert [name for name in preset_ids() if was_seen(name)] == ["P4"]
    for nonsense in ("P5", 7, None, {"scenario": "P4"}):
        hear_seen(nonsense)
    assert SEEN.get() == {"P4"}


def test_another_setting_is_another_run() -> None:
    SETUP.set(Setup("P9", knobs={"num_slots": 5}))
    hear_seen("P9")
    assert not was_seen("P9")


def test_only_all_answers_of_a_run_tell_its_result() -> None:
    """After one answer the others are still open: the card must not tell them."""
    asked = [(step["i"], step["ask"]["id"]) for step in steps_of("P1") if "ask" in step]
    asked = asked or [
        (step["i"], step["ask"]["id"]) for step in stage_log_of("P1")["events"] if "ask" in step
    ]
    assert len(asked) > 1
    answers = [Answer("P1", step, name, True) for step, name in asked]
    RECORD.set(Record(answers=tuple(answers[:-1])))
    assert not was_seen("P1")
    RECORD.set(Record(answers=tuple(answers)))
    assert was_seen("P1")
