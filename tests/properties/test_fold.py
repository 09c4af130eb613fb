"""fold(log) == engine state, and what holds at every single event in between."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given

from core.engine.engine import Engine
from core.engine.events import BlockComputed, Event, RequestArrived
from core.scenario.scenario import Scenario, execute, run
from core.timeline.fold import fold, fold_all, patches
from core.timeline.frame import Frame, engine_part, initial_frame, prompt_shares
from core.timeline.snapshot import take_snapshot
from tests.strategies import configs, examples, scenarios


def check_frame(frame: Frame) -> None:
    """Queue, ref counts, block tables and hash table agree with each other."""
    slots, queue = frame["slots"], frame["queue"]
    assert len(queue) == len(set(queue))
    assert {int(name) for name, slot in slots.items() if slot["ref"] == 0} == set(queue)
    rows = [row[0] for request in frame["reqs"].values() for row in request["btable"]]
    assert sum(slot["ref"] for slot in slots.values()) == len(rows)
    for name, slot in slots.items():
        assert slot["ref"] == rows.count(int(name)) == len(slot["owners"])
    carriers = {(slot["hash"], int(name)) for name, slot in slots.items() if slot["hash"] is not None}
    listed = [(digest, block_id) for digest, ids in frame["table"].items() for block_id in ids]
    assert len(listed) == len(carriers)
    assert set(listed) == carriers
    assert all(frame["table"].values())


@given(scenarios())
@examples(40)
def test_fold_equals_the_engine_after_every_command(scenario: Scenario) -> None:
    events: list[Event] = []
    engine = Engine(scenario.config, events.append)
    frame = initial_frame(scenario.config)
    for command in scenario.commands:
        execute(engine, command)
        frame = fold_all(frame, events)
        events.clear()
        assert engine_part(frame) == take_snapshot(engine)
        engine.check()


@given(scenarios())
@examples(60)
def test_every_prompt_token_is_somewhere_at_every_event(scenario: Scenario) -> None:
    """Reused + computed + reserved + waiting = asked; and the totals are the sums over all requests."""
    frame = initial_frame(scenario.config)
    reused = computed = 0  # of requests whose name another one has taken over
    for event in run(scenario).events:
        if isinstance(event, RequestArrived) and event.request_id in frame["reqs"]:
            old = prompt_shares(frame["reqs"][event.request_id])
            reused, computed = reused + old.reused, computed + old.computed
        frame = fold(frame, event)
        shares = [prompt_shares(request) for request in frame["reqs"].values()]
        for share, request in zip(shares, frame["reqs"].values(), strict=True):
            assert sum(share) == request["num_prompt"]
            assert min(share) >= 0
            assert request["written"] <= request["computed"]
        totals = frame["totals"]
        assert totals["computed"] == computed + sum(share.computed for share in shares)
        if totals["preempted"] == 0:
            assert totals["hits"] == reused + sum(share.reused for share in shares)
            assert totals["recomputed"] == 0


@given(scenarios())
@examples(40)
def test_all_that_is_computed_is_counted_once(scenario: Scenario) -> None:
    log = run(scenario)
    totals = fold_all(initial_frame(scenario.config), log.events)["totals"]
    written = sum(event.num_new for event in log.events if isinstance(event, BlockComputed))
    assert totals["computed"] + totals["decoded"] + totals["recomputed"] == written


@given(scenarios())
@examples(40)
def test_the_invariants_hold_at_every_event(scenario: Scenario) -> None:
    frame = initial_frame(scenario.config)
    for event in run(scenario).events:
        frame = fold(frame, event)
        check_frame(frame)


def apply_in_place(state: Any, change: list[Any]) -> None:
    """Patches as a screen carries them out: on its own JSON copy, knowing nothing of events."""
    path = change[0]
    if path[0] in ("queue", "waiting", "running") and len(path) == 2:
        line = state[path[0]]
        if path[1] == "out":
            line.remove(change[1])
        elif path[1] == "back":
            line.append(change[1])
        else:
            line.insert(*change[1])
        return
    for key in path[:-1]:
        state = state[key]
    if len(change) == 1:
        del state[path[-1]]
    elif isinstance(state, list) and path[-1] == len(state):
        state.append(change[1])
    else:
        state[path[-1]] = change[1]


@given(scenarios(configs(num_blocks=6)))
@examples(40)
def test_patches_applied_elsewhere_give_the_same_frame(scenario: Scenario) -> None:
    frame = initial_frame(scenario.config)
    screen = json.loads(json.dumps(frame))
    for event in run(scenario).events:
        changes = json.loads(json.dumps(patches(frame, event), allow_nan=False))
        frame = fold(frame, event)
        for change in changes:
            apply_in_place(screen, change)
        assert screen == frame


@given(scenarios(configs(num_blocks=6)))
@examples(25)
def test_folding_never_changes_the_old_frame(scenario: Scenario) -> None:
    frame = initial_frame(scenario.config)
    for event in run(scenario).events:
        before = copy.deepcopy(frame)
        after = fold(frame, event)
        assert frame == before
        frame = after
