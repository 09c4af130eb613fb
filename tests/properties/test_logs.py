"""A run is its scenario, a log is its file: nothing gets lost or added on the way."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.engine.events import Event
from core.engine.stats import Statistics
from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario, execute, run
from core.timeline.event_log import EventLog, load_jsonl
from core.timeline.fold import fold_all
from core.timeline.frame import Frame, engine_part, initial_frame
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig
from tests.strategies import configs, events, examples, scenarios
from tests.unit.core.engine.test_stats import counted


@given(configs(), st.lists(events, max_size=8))
@examples(40)
def test_any_log_survives_its_file(config: EngineConfig, told: list[Event]) -> None:
    log = EventLog(config, tuple(told))
    written = log.to_jsonl()
    assert load_jsonl(written.encode("utf-8").decode("utf-8")) == log
    assert load_jsonl(written).to_jsonl() == written


@given(scenarios())
@examples(25)
def test_the_same_scenario_gives_the_same_bytes(scenario: Scenario) -> None:
    written = run(scenario).to_jsonl()
    assert run(scenario).to_jsonl() == written
    again = load_scenario(json.dumps(scenario.to_json(), allow_nan=False))
    assert run(again).to_jsonl() == written


@given(scenarios())
@examples(25)
def test_a_scenario_survives_its_json(scenario: Scenario) -> None:
    data = json.loads(json.dumps(scenario.to_json(), allow_nan=False))
    assert load_scenario(data) == scenario
    assert load_scenario(data).to_json() == data


def outcomes(scenario: Scenario, **options: Any) -> tuple[list[Event], list[Frame]]:
    """What an engine tells and the state it is in after every command."""
    told: list[Event] = []
    engine = Engine(scenario.config, told.append if options else None, **options)
    states = []
    for command in scenario.commands:
        execute(engine, command)
        states.append(take_snapshot(engine))
    return told, states


@given(scenarios())
@examples(25)
def test_listening_changes_nothing(scenario: Scenario) -> None:
    """Same outcomes with all events, with request events only, and with nobody listening."""
    everything, states = outcomes(scenario, block_events=True)
    requests_only, states_of_replay = outcomes(scenario, block_events=False)
    _, states_of_the_deaf = outcomes(scenario)
    assert states == states_of_replay == states_of_the_deaf
    assert requests_only == [event for event in everything if not event.is_block_event]
    assert sums(counted(everything)) == sums(counted(requests_only))


def sums(statistics: Statistics) -> tuple[tuple[int, ...], ...]:
    return statistics.window, statistics.lifetime, statistics.preempted


@given(scenarios())
@examples(25)
def test_statistics_from_events_are_the_engines(scenario: Scenario) -> None:
    told: list[Event] = []
    engine = Engine(scenario.config, told.append)
    for command in scenario.commands:
        execute(engine, command)
        assert sums(engine.view.statistics) == sums(counted(told))
    folded = engine_part(fold_all(initial_frame(scenario.config), told))
    statistics, totals = engine.view.statistics, folded["totals"]
    assert (statistics.num_requests, *statistics.lifetime) == (
        totals["requests"],
        totals["queries"],
        totals["hits"],
    )
    assert all(hit <= asked for asked, hit in (statistics.lifetime, statistics.preempted))
    assert statistics.window[0] <= statistics.num_requests
