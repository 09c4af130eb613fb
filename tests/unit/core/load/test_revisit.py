"""Any request of a run again, with block events: the piece is exactly what the run itself would have told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.engine.events import Event, RequestAdmitted, RequestArrived, RequestFinished
from core.errors import RequestError
from core.load import LoadRun, Moment, scenario_around
from core.timeline.event_log import load_jsonl
from core.timeline.fold import fold_all
from core.timeline.snapshot import take_snapshot
from tests.load_tape import Tape
from tests.unit.core.load.test_load import CONFIG, COST, SPEC


def run_with_knobs(*, every: int) -> tuple[LoadRun, list[Event]]:
    """A run in which everything is touched, with all block events; marks every so many requests."""
    run = LoadRun(replace(SPEC, num_requests=200), CONFIG, COST)
    run._mark_every = every
    tape = Tape(run.cached)
    run.advance(requests=50)
    run.set_policy("cache_cap", 30)
    run.advance(seconds=0.4)
    run.burst(seconds=1, factor=4)
    run.advance(requests=30)
    run.set_policy("ttl", 400)
    run.set_policy("cache_cap", None)
    run.advance(requests=30)
    run.restart(4)
    while run.advance(requests=30):
        pass
    return run, tape.events


@pytest.fixture(scope="module")
def recorded() -> tuple[LoadRun, list[Event]]:
    return run_with_knobs(every=40)


def is_piece(events: tuple[Event, ...], whole: list[Event]) -> bool:
    """Whether these events stand in the whole log, one behind the other."""
    starts = [place for place, event in enumerate(whole) if event == events[0]]
    return any(tuple(whole[place : place + len(events)]) == events for place in starts)


@pytest.mark.parametrize("number", [0, 1, 49, 50, 51, 75, 90, 105, 120, 150, 199])
def test_the_piece_is_what_the_run_told(recorded: tuple[LoadRun, list[Event]], number: int) -> None:
    run, whole = recorded
    moment = scenario_around(run, f"R{number}")
    assert is_piece(moment.log.events, whole)
    admitted = moment.log.events[moment.event]
    assert isinstance(admitted, RequestAdmitted)
    assert admitted.request_id == f"R{number}"
    assert any(isinstance(e, RequestFinished) and e.request_id == f"R{number}" for e in moment.log.events)


def test_the_run_has_marks_and_they_change_nothing(recorded: tuple[LoadRun, list[Event]]) -> None:
    run, _ = recorded
    assert len(run.marks) >= 3
    unmarked, _ = run_with_knobs(every=10_000)
    assert unmarked.marks == []
    for number in (45, 100, 160):
        assert scenario_around(run, f"R{number}") == scenario_around(unmarked, f"R{number}")


def test_looking_back_changes_nothing_in_the_run() -> None:
    looking, other = (LoadRun(SPEC, CONFIG, COST) for _ in range(2))
    for run in (looking, other):
        run.advance(requests=100)
    scenario_around(looking, "R40")
    assert take_snapshot(looking.cached.engine) == take_snapshot(other.cached.engine)
    for run in (looking, other):
        while run.advance(requests=50):
            pass
    assert looking.records.cached.first_s.tolist() == other.records.cached.first_s.tolist()
    assert looking.samples() == other.samples()


def folded(moment: Moment) -> Any:
    return fold_all(moment.frame, moment.log.events)


def test_the_log_folds_onto_the_frame(recorded: tuple[LoadRun, list[Event]]) -> None:
    """And agrees with a later piece that begins where this one has passed by."""
    moment = scenario_around(recorded[0], "R80", before=2, after=2)
    frame = folded(moment)
    assert all(slot["ref"] == len(slot["owners"]) for slot in frame["slots"].values())
    assert frame["reqs"]["R80"]["status"] == "finished"
    assert set(frame["reqs"]) <= set(moment.pieces)
    for name, request in frame["reqs"].items():
        assert request["num_tokens"] <= len(moment.pieces[name])
    assert load_jsonl(moment.log.to_jsonl()) == moment.log


def test_the_neighbours_are_in_it(recorded: tuple[LoadRun, list[Event]]) -> None:
    moment = scenario_around(recorded[0], "R60", before=4, after=5)
    arrived = [event.request_id for event in moment.log.events if isinstance(event, RequestArrived)]
    admitted = [event.request_id for event in moment.log.events if isinstance(event, RequestAdmitted)]
    assert {f"R{number}" for number in range(56, 66)} <= set(arrived)
    assert {f"R{number}" for number in range(60, 66)} <= set(admitted)


def test_a_long_piece_is_cut_behind_the_admission(recorded: tuple[LoadRun, list[Event]]) -> None:
    moment = scenario_around(recorded[0], "R80", most_events=1)
    assert not any(isinstance(e, RequestFinished) and e.request_id == "R80" for e in moment.log.events)
    assert moment.event < len(moment.log.events)
    assert len(moment.log.events) < len(scenario_around(recorded[0], "R80").log.events)


@pytest.mark.parametrize("request_id", ["R240", "R-1", "", "R", "Rx", "X3", "R1e3", "R²"])
def test_a_request_that_never_was_is_refused(recorded: tuple[LoadRun, list[Event]], request_id: str) -> None:
    with pytest.raises(RequestError) as caught:
        scenario_around(recorded[0], request_id)
    assert caught.value.code == "load.request"
