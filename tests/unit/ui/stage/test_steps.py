"""From the event log to the steps of the stage: folded they are the engine, and they tell the truth."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given

from core.engine.engine import Engine
from core.engine.events import (
    BlockAllocated,
    BlockComputed,
    BlockEvicted,
    BlockMissed,
    Event,
    RequestAdmitted,
    RequestArrived,
    RequestFinished,
)
from core.scenario.scenario import Scenario, execute, run
from core.timeline.diagnose import explain
from core.timeline.event_log import EventLog
from core.timeline.fold import fold
from core.timeline.frame import Frame, engine_part, initial_frame
from core.timeline.snapshot import take_snapshot
from tests.stage_runs import PRESETS, Step, frames_of, log_of, scenario_of, steps_of, told
from tests.strategies import examples, scenarios
from ui.stage.payload import piece_texts
from ui.stage.steps import stage_steps
from ui.stage.steps.telling import level_of
from ui.words.i18n import LANGS, Lang, t, table

ONE: dict[str, Any] = {"op": "submit", "id": "R0", "tokens": [1, 2, 3]}
RUN = {"op": "run"}

LAGGING = ("probe",)
"""Steps before their event's change: the question is on the screen, the answer is not."""

LEVELS = {
    "request": "arrive chain done preempt resume reject wait reset version policy tick",
    "block": "match miss evict ttl alloc free append plan notstored collision",
    "micro": "cut hash probe touch register dup compute full",
}

MISSES = {
    # preset: every miss as request, block, reason, equal tokens inside the block; from the story, by hand
    "three": "R0 0 never_seen 0, R2 0 chain_broken 3",
    "space": "R0 0 never_seen 0, R1 0 chain_broken 3, R2 0 never_seen 0",
    "P0": "R0 0 never_seen 0, R1 2 chain_broken 2, R2 3 never_seen 0",
    "P1": "R0 0 never_seen 0",
    "P2": "R0 0 never_seen 0, R1 0 chain_broken 3",
    "P2b": "R0 0 never_seen 0, R1 2 chain_broken 3",
    "P3": "R0 0 never_seen 0, R1 0 chain_broken 3",
    "P3b": "R0 0 never_seen 0",
    "P4": "R0 0 never_seen 0, R1 4 never_seen 0, R2 6 never_seen 0, R3 8 never_seen 0",
    "P5": "R0 0 never_seen 0, R2 3 never_seen 0",
    "P6": "R0 0 never_seen 0",
    "P6b": "R0 0 never_seen 0",
    "P7": "R0 0 never_seen 0, R1 2 chain_broken 3",
    "P8": "R0 0 never_seen 0",
    "P9d": "R0 0 never_seen 0, R1 6 chain_broken 2",
    "P10": "R0 0 never_seen 0, R2 0 evicted 0",
    "P11": "R0 0 never_seen 0, R1 0 salt 0",
    "T10": "R0 0 never_seen 0",
    "L640s": "R0 0 never_seen 0",
    "bank": "R0 0 never_seen 0",
    "teacher": "R0 0 never_seen 0, R1 4 never_seen 0, R2 4 never_seen 0",
    "law": "R0 0 never_seen 0, R1 5 never_seen 0, R2 5 never_seen 0",
    "safety": "R0 0 never_seen 0, R1 4 chain_broken 2, R2 4 chain_broken 2",
}


# -- folding --------------------------------------------------------------------------------------------


def check_fold(log: EventLog, steps: list[Step]) -> None:
    """At every step the screen shows the log folded up to that step's event; at the end, all of it."""
    frames = frames_of(log, steps)
    folded: Frame = initial_frame(log.config)
    done = 0
    for place, step in enumerate(steps):
        if step["op"] in LAGGING:
            assert step["patch"] == []
            continue
        for event in log.events[done : step["ev"] + 1]:
            folded = fold(folded, event)
        done = max(done, step["ev"] + 1)
        if place < len(steps) - 1:
            assert frames[place + 1] == folded, (place, step["op"])
    for event in log.events[done:]:
        folded = fold(folded, event)
    if steps:
        assert frames[-1] == folded


def check_commands(scenario: Scenario, steps: list[Step]) -> None:
    """After each command the screen shows the engine, but for what the next step brings along: the time,
    the number of the engine's step, and new hashes of requests that wait."""
    events: list[Event] = []
    engine = Engine(scenario.config, events.append)
    frames, shown = frames_of(EventLog(scenario.config, ()), steps), 0
    for command in scenario.commands:
        execute(engine, command)
        while shown < len(steps) and steps[shown]["ev"] < len(events):
            shown += 1
        assert without_late(engine_part(frames[shown])) == without_late(take_snapshot(engine))


def without_late(frame: Frame) -> dict[str, Any]:
    reqs = {
        name: request if request["status"] == "running" else {**request, "hashes": None, "version": None}
        for name, request in frame["reqs"].items()
    }
    return {**frame, "reqs": reqs, "clock": None, "step": None}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("scenario_id", PRESETS)
def test_folding_the_steps_of_a_preset_gives_the_engine(scenario_id: str, lang: Lang) -> None:
    scenario, log = scenario_of(scenario_id, lang), log_of(scenario_id, lang)
    steps = steps_of(scenario_id, lang)
    check_fold(log, steps)
    engine = Engine(scenario.config)
    for command in scenario.commands:
        execute(engine, command)
    assert engine_part(frames_of(log, steps)[-1]) == take_snapshot(engine)
    check_commands(scenario, steps)


@given(scenarios())
@examples(200)
def test_folding_the_steps_of_any_run_gives_the_engine(scenario: Scenario) -> None:
    log = run(scenario)
    steps = stage_steps(log, piece_texts(scenario))
    check_fold(log, steps)
    check_commands(scenario, steps)
    check_told(log, steps)


def test_a_change_after_the_last_step_joins_it() -> None:
    """A step that schedules nobody changes the clock alone; the last frame still is the engine's state."""
    steps = told([ONE, RUN, {"op": "step"}, {"op": "step"}])
    assert steps[-1]["op"] == "done"
    assert [["clock"], 4] in steps[-1]["patch"]


# -- what each step says ----------------------------------------------------------------------------------


def check_told(log: EventLog, steps: list[Step]) -> None:
    """What holds for the steps of every run."""
    assert [step["i"] for step in steps] == list(range(len(steps)))
    assert all(a["ev"] <= b["ev"] for a, b in pairwise(steps))
    for step in steps:
        assert step["level"] == level_of(step["op"])
        assert step.get("tag") == (step["hash"][:4] if "hash" in step else None)
        for lang in LANGS:
            for part in ("what", "why", "noodle"):
                caption = t(f"cap.{step['cap']}.{part}", lang, **step["args"])
                assert "None" not in caption
    check_evictions(steps)
    check_summaries(log, steps)


def check_evictions(steps: list[Step]) -> None:
    """ "Evicted in step k" names the step in which this very tag was dropped, for the last time."""
    for step in steps:
        if step["cap"] != "miss.evicted":
            continue
        number = step["args"]["step"]
        assert 0 < number < step["i"] + 1
        cause = steps[number - 1]
        assert cause["op"] in ("evict", "ttl", "reset")
        if cause["op"] != "reset":
            assert cause["hash"] == step["hash"]
            later = steps[number : step["i"]]
            assert not any(s["op"] in ("evict", "ttl") and s["hash"] == step["hash"] for s in later)


def summaries(log: EventLog) -> dict[str, dict[str, int]]:
    """The numbers of the summary strip, straight from the log, by request."""
    found: dict[str, dict[str, int]] = {}
    owner: dict[int, str] = {}
    reasons = explain(log)
    for index in range(len(log.events) - 1, -1, -1):  # backwards: an eviction belongs to the next allocation
        event = log.events[index]
        if isinstance(event, BlockAllocated):
            owner[event.block_id] = event.request_id
        elif isinstance(event, RequestFinished):
            found[event.request_id] = dict.fromkeys(("reused", "prompt", "computed", "near", "evicted"), 0)
        elif isinstance(event, BlockEvicted) and event.cause == "reused":
            if owner[event.block_id] in found:
                found[owner[event.block_id]]["evicted"] += 1
        elif isinstance(event, BlockComputed) and event.request_id in found:
            found[event.request_id]["computed"] += event.num_new
        elif isinstance(event, RequestAdmitted) and event.request_id in found and not event.resumed:
            found[event.request_id]["reused"] = event.hit_tokens
            found[event.request_id]["near"] = reasons[index].num_near
        elif isinstance(event, RequestArrived) and event.request_id in found:
            found[event.request_id]["prompt"] = len(event.token_ids)
    return found


def check_summaries(log: EventLog, steps: list[Step]) -> None:
    names = [event.request_id for event in log.events if isinstance(event, RequestFinished)]
    done = [step for step in steps if step["op"] == "done"]
    assert [step["rid"] for step in done] == names
    arrived = [event.request_id for event in log.events if isinstance(event, RequestArrived)]
    if len(set(arrived)) == len(arrived):  # an id may come again once it is free; the plain way mixes both
        keys = ("reused", "prompt", "computed", "near", "evicted")
        assert {step["rid"]: {key: step["args"][key] for key in keys} for step in done} == summaries(log)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("scenario_id", PRESETS)
def test_the_steps_of_a_preset_are_well_told(scenario_id: str, lang: Lang) -> None:
    check_told(log_of(scenario_id, lang), steps_of(scenario_id, lang))


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_both_languages_tell_the_same_steps(scenario_id: str) -> None:
    """Tags and words differ; ops, requests, blocks, slots, levels and the questions asked do not."""
    keys = ("op", "rid", "b", "slot", "level", "cap", "t", "ask")
    en, zh = ([[step.get(key) for key in keys] for step in steps_of(scenario_id, lang)] for lang in LANGS)
    assert en == zh


# -- single tales ----------------------------------------------------------------------------------------


def ops(steps: list[Step], rid: str) -> str:
    return " ".join(step["op"] for step in steps if step.get("rid") == rid)


WAITING = [
    {"op": "submit", "id": "R0", "tokens": [1, 2, 3, 4, 5], "output_tokens": [6, 7, 8, 9]},
    {"op": "step"},
    {"op": "submit", "id": "R1", "tokens": [1, 2, 3, 9, 9, 9, 9]},
    RUN,
]
"""R1 finds two slots free, needs three, and asks again in every step until R0 is done."""


def test_a_request_that_goes_on_waiting_is_told_once() -> None:
    steps = told(WAITING, num_slots=5)
    assert ops(steps, "R1").startswith(
        "arrive cut hash hash hash probe match probe miss wait probe match probe miss plan"
    )
    assert sum(step["op"] == "wait" for step in steps) == 1


def test_a_wait_is_told_again_when_the_look_up_finds_something_else() -> None:
    """R1 waits with two hits; then one of them is dropped on demand, and it waits with one."""
    steps = told(
        [
            {"op": "submit", "id": "R0", "tokens": [1, 2, 3, 4, 5, 6]},
            RUN,
            {"op": "submit", "id": "R1", "tokens": [8, 8, 8, 8, 8, 8], "output_tokens": [8, 8, 8, 8, 8, 8]},
            {"op": "step"},
            {"op": "submit", "id": "R2", "tokens": [1, 2, 3, 4, 5, 9, 9]},
            {"op": "step"},
            {"op": "evict", "blocks": [2]},
            {"op": "step"},
            {"op": "step"},
        ],
        num_slots=6,
    )
    waits = [step for step in steps if step["op"] == "wait"]
    assert [step["rid"] for step in waits] == ["R2", "R2"]
    hits = [step["b"] for step in steps if step["op"] == "match" and step["rid"] == "R2"]
    assert hits == [0, 1, 0]


def test_another_request_under_an_old_name_waits_visibly() -> None:
    """R1 waited and was called off; the next R1 waits too and is not taken for the first."""
    again = WAITING[2]
    steps = told(
        [*WAITING[:3], {"op": "step"}, {"op": "abort", "id": "R1"}, again, {"op": "step"}, RUN],
        num_slots=5,
    )
    assert sum(step["op"] == "wait" for step in steps) == 2


def test_freed_blocks_without_a_tag_under_the_older_rule() -> None:
    """They go to the tail as well, and the caption must not speak of a tag they keep."""
    steps = told([ONE, RUN], queue_rule="all_to_back")
    assert [(step["cap"], "tag" in step) for step in steps if step["op"] == "free"] == [
        ("free.dirty", False),
        ("free.back", True),
    ]


def test_a_miss_after_a_reset_names_the_step_of_the_reset() -> None:
    """It once said: evicted in step 0."""
    steps = told(
        [
            ONE,
            RUN,
            {"op": "reset"},
            {**ONE, "id": "R1"},
            RUN,
        ]
    )
    miss = [step for step in steps if step["op"] == "miss"][-1]
    assert miss["cap"] == "miss.evicted"
    assert steps[miss["args"]["step"] - 1]["op"] == "reset"


def test_an_expiry_names_the_time_to_live_of_that_moment() -> None:
    """The time to live was changed while the run went on; it once said: after 0 ticks."""
    steps = told(
        [
            ONE,
            RUN,
            {"op": "policy", "name": "ttl", "value": 5},
            {"op": "wait", "ticks": 9},
        ]
    )
    assert [step["args"]["ttl"] for step in steps if step["op"] == "ttl"] == [5]


@pytest.mark.parametrize(
    ("name", "value", "caption"),
    [
        ("cache_cap", 3, "policy.cache_cap"),
        ("cache_cap", None, "policy.cache_cap.none"),
        ("admit_after", 2, "policy.admit_after"),
        ("admit_window", 9, "policy.admit_window"),
        ("admit_window", None, "policy.admit_window.none"),
        ("ttl", 5, "policy.ttl"),
        ("ttl", None, "policy.ttl.none"),
        ("ttl_kind", "idle", "policy.ttl_kind.idle"),
        ("ttl_kind", "absolute", "policy.ttl_kind.absolute"),
    ],
)
def test_each_policy_is_told_in_its_own_words(name: str, value: object, caption: str) -> None:
    (step,) = (
        step for step in told([{"op": "policy", "name": name, "value": value}]) if step["op"] == "policy"
    )
    assert step["cap"] == caption


def test_no_version_is_a_dash_in_the_captions() -> None:
    steps = told(
        [
            {"op": "version", "version": "v2"},
            ONE,
            RUN,
            {"op": "version", "version": ""},
            {**ONE, "id": "R1"},
            RUN,
        ]
    )
    assert [step["args"]["version"] for step in steps if step["op"] == "version"] == ["v2", "–"]
    assert [s["args"]["version"] for s in steps if s["cap"] == "miss.version"] == ["–"]


def test_several_tokens_at_once_may_fill_several_blocks() -> None:
    steps = told(
        [
            {"op": "start", "id": "R0", "tokens": [1, 2, 3]},
            {"op": "decode", "id": "R0", "tokens": [4, 5, 6, 7]},
            {"op": "free", "id": "R0"},
        ]
    )
    assert [step["b"] for step in steps if step["op"] == "full"] == [1, 2]


def test_levels() -> None:
    expected = {op: level for level, ops in LEVELS.items() for op in ops.split()}
    assert {op: level_of(op) for op in expected} == expected
    captions = {key.split(".")[1] for key in table("en") if key.startswith("cap.")} - {"beat"}
    assert captions == set(expected), "every op has a caption and a level"


def misses(scenario_id: str) -> str:
    steps = [step for step in steps_of(scenario_id) if step["op"] == "miss"]
    return ", ".join(f"{s['rid']} {s['b']} {s['args']['reason']} {s['args']['near']}" for s in steps)


@pytest.mark.parametrize("scenario_id", MISSES)
def test_every_miss_of_a_preset_has_the_expected_reason(scenario_id: str) -> None:
    assert misses(scenario_id) == MISSES[scenario_id]


@pytest.mark.parametrize("scenario_id", ["P9", "P9b"])
def test_four_pots_in_room_for_three_miss_because_of_evictions(scenario_id: str) -> None:
    """The first round is new, every later order comes just after its pot was poured out."""
    kinds = [step["args"]["reason"] for step in steps_of(scenario_id) if step["op"] == "miss"]
    assert kinds == ["never_seen"] + ["chain_broken"] * 3 + ["evicted"] * 20


def test_the_owners_rule_misses() -> None:
    """What came too rarely was not stored; only the pot after three quiet days had been there and is gone."""
    kinds = Counter(step["args"]["reason"] for step in steps_of("P9c") if step["op"] == "miss")
    assert kinds == {"never_seen": 2, "not_admitted": 3, "chain_broken": 9, "evicted": 1}


def test_every_preset_with_a_miss_is_in_a_table() -> None:
    asked = set(MISSES) | {"P9", "P9b", "P9c", "L640"}
    assert set(PRESETS) <= asked
    lecture = [step for step in steps_of("L640") if step["op"] == "miss"]
    assert {step["args"]["reason"] for step in lecture} == {"never_seen"}
    assert {step["b"] for step in lecture[1:]} == {32}


def test_each_miss_event_is_a_step_in_the_presets() -> None:
    for scenario_id in PRESETS:
        events = [event for event in log_of(scenario_id).events if isinstance(event, BlockMissed)]
        assert sum(step["op"] == "miss" for step in steps_of(scenario_id)) == len(events)


def test_p0_is_the_golden_example_on_the_screen_too() -> None:
    """vLLM's worked example: block tables and queue after each request, as a person sees them."""
    log, steps = log_of("P0"), steps_of("P0")
    frames = frames_of(log, steps)
    tables, queues = {}, {}
    for place, step in enumerate(steps):
        rows = frames[place + 1]["reqs"].get(step.get("rid", ""), {}).get("btable", [])
        if rows:
            tables[step["rid"]] = max(tables.get(step["rid"], []), [row[0] for row in rows], key=len)
        if step["op"] == "done":
            queues[step["rid"]] = frames[place + 1]["queue"]
    assert tables == {"R0": [1, 2, 3, 4, 5], "R1": [1, 2, 6, 7], "R2": [1, 2, 3, 5, 8, 9, 10, 4]}
    assert queues == {
        "R0": [5, 8, 9, 10, 4, 3],
        "R1": [5, 8, 9, 10, 4, 3, 7, 6, 2, 1],
        "R2": [7, 6, 4, 10, 9, 8, 5, 3, 2, 1],
    }
    assert [step["slot"] for step in steps if step["op"] == "evict"] == [4]
    assert [step["args"]["reused"] for step in steps if step["op"] == "done"] == [0, 8, 12]
