"""The ledger on the stage (assets/stage/time/ledger.js): every prompt token asked for is one of four things.

Held against the engine's own events, over all presets and over random runs with preemptions, chunks of a
prompt, copies, caps and names that come again.
"""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from core.engine import events as ev
from core.scenario.scenario import run
from core.timeline.event_log import EventLog
from tests.stage_runs import PRESETS, log_of, stage_log_of
from tests.strategies import scenarios
from ui.stage.payload import stage_log

SCRIPT = Path(__file__).with_name("told_ledger.mjs")
Ledger = dict[str, Any]
NUM_RUNS = 200


def ledgers(node: str, logs: list[dict[str, Any]]) -> list[list[Ledger]]:
    """The sums after every step of every run, as the stage's JavaScript counts them."""
    lines = "".join(json.dumps(log) + "\n" for log in logs)
    done = subprocess.run(
        [node, str(SCRIPT)], input=lines, capture_output=True, encoding="utf-8", check=True, timeout=120
    )
    return [json.loads(line) for line in done.stdout.rstrip("\n").split("\n")]


def check_sums(told: list[Ledger]) -> None:
    """Nothing negative, nothing counted twice, nothing lost."""
    for ledger in told:
        for row in [ledger, *ledger["rows"]]:
            parts = [row[name] for name in ("reused", "computed", "reserved", "waiting")]
            assert min(parts) >= 0, row
            assert sum(parts) == row["asked"], row
            assert row["reused"] <= row["asked"]
        assert ledger["looked"] <= ledger["asked"]
    for before, after in pairwise(told):
        assert after["again"] >= before["again"]
        lost = {row["rid"] for row in before["rows"]} - {row["rid"] for row in after["rows"]}
        if not lost:  # a refused request takes what it asked for with it
            assert after["asked"] >= before["asked"]
            assert after["reused"] + after["computed"] >= before["reused"] + before["computed"]


def written_of_prompts(log: EventLog) -> int:
    """Prompt tokens whose KV was written, as often as it was: the engine's events say so."""
    lengths: dict[str, int] = {}
    size, written = log.config.block_size, 0
    for event in log.events:
        if isinstance(event, ev.RequestArrived):
            lengths[event.request_id] = len(event.token_ids)
        elif isinstance(event, ev.BlockComputed):
            room = max(0, lengths[event.request_id] - event.index * size)
            written += min(event.fill, room) - min(event.fill - event.num_new, room)
    return written


def test_presets(node: str) -> None:
    """At every step of every preset; step 8 of P0 said that 15 tokens were computed before one was."""
    told = ledgers(node, [stage_log_of(scenario_id) for scenario_id in PRESETS])
    for scenario_id, run_told in zip(PRESETS, told, strict=True):
        check_sums(run_told)
        log, last = log_of(scenario_id), run_told[-1]
        admitted = [event for event in log.events if isinstance(event, ev.RequestAdmitted)]
        assert last["reused"] == sum(event.hit_tokens for event in admitted if not event.resumed), scenario_id
        assert last["computed"] + last["again"] == written_of_prompts(log), scenario_id
        assert last["reserved"] == last["waiting"] == 0, scenario_id
    three = told[PRESETS.index("three")]
    plan = next(
        i
        for i, step in enumerate(stage_log_of("three")["events"], 1)
        if step["op"] == "plan" and step["rid"] == "R1"
    )
    rates = [(ledger["reused"], ledger["looked"]) for ledger in three[plan - 1 : plan + 3]]
    assert rates == [(0, 11), (8, 22), (8, 22), (8, 22)], "the hit rate said 0 % where HIT, HIT stood"
    steps = [(ledger["computed"], ledger["reserved"]) for ledger in told[PRESETS.index("P0")][8:13]]
    assert steps == [(0, 0), (0, 4), (0, 8), (0, 12), (0, 15)]


def test_random_runs(node: str) -> None:
    """200 runs, most of them crowded."""
    found = []

    @settings(
        max_examples=NUM_RUNS,
        phases=[Phase.generate],
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(scenarios())
    def draw(scenario: Any) -> None:
        log = run(scenario)
        found.append((log, stage_log(scenario, log, "test")))

    draw()
    assert len(found) >= NUM_RUNS
    seen = {type(event) for log, _ in found for event in log.events}
    assert {ev.RequestPreempted, ev.RequestRefused, ev.CacheReset} <= seen, "the runs are not crowded enough"
    told = ledgers(node, [shown for _, shown in found])
    for (log, _), run_told in zip(found, told, strict=True):
        check_sums(run_told)
        again = run_told[-1]["computed"] + run_told[-1]["again"]
        refused = any(isinstance(event, ev.RequestRefused) for event in log.events)
        assert refused or again == written_of_prompts(log)
