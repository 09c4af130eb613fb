"""Cases beyond the collected ones: every operation, every expectation, and requests that never fit."""

from __future__ import annotations

from typing import Any

import pytest

from core.conformance.fields import Fields, Place
from core.conformance.findings import Findings
from core.conformance.formats import replay
from core.errors import RecordingError


def replay_case(run: dict[str, Any], expected: dict[str, Any]) -> Findings | None:
    found = replay(Fields({"id": "X", "input": run, "expected": expected}, Place("case", 1)))
    return found if isinstance(found, Findings) else None


def ops(*operations: dict[str, Any], capacity: int = 8, **more: Any) -> dict[str, Any]:
    return {"kind": "ops", "block_size": 4, "capacity_blocks": capacity, "ops": list(operations), **more}


def op(verb: str, request_id: str, tokens: str | None = None, **more: Any) -> dict[str, Any]:
    prompt = {} if tokens is None else {"tokens": tokens}
    return {"op": verb, "id": request_id, **prompt, **more}


def schedule(*arrivals: dict[str, Any], capacity: int = 8, **more: Any) -> dict[str, Any]:
    run = {"kind": "schedule", "block_size": 4, "capacity_blocks": capacity, "arrivals": list(arrivals)}
    return run | more


def arrival(step: int, request_id: str, tokens: str, **more: Any) -> dict[str, Any]:
    return {"step": step, "id": request_id, "tokens": tokens, **more}


PAIR = (
    arrival(1, "a", "A[0:9]", output=8),
    arrival(1, "b", "B[0:9]", output=8),
)
"""Six blocks are too few for both once they have grown to more than twelve tokens: b goes, and comes back."""

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a request that never fits is not admitted, and can be finished": (
        ops(op("begin", "a", "A[0:9]"), op("decode", "a", "1"), op("finish", "a"), capacity=2),
        {"hits": {"a": None}, "final": {"free": 2, "evicted": 0, "usage": 0}, "free_after": {"a": 2}},
    ),
    "a pool without any block": (
        ops(op("serve", "a", "A[0:1]"), op("probe", "p", "A[0:9]"), capacity=0),
        {"hits": {"a": None, "p": 0}, "final": {"free": 0, "usage": 0.0}},
    ),
    "one output token has no place in the cache": (
        ops(op("serve", "a", "A[0:7]", output="9"), op("probe", "p", "A[0:7] 9 10")),
        {"hits": {"a": 0, "p": 4}, "final": {"cached_distinct": 1}},
    ),
    "of two output tokens the first has": (
        ops(op("serve", "a", "A[0:7]", output="9,10"), op("probe", "p", "A[0:7] 9 10")),
        {"hits": {"a": 0, "p": 8}},
    ),
    "decoding twice feeds the kept-back token in first": (
        ops(
            op("begin", "a", "A[0:6]"),
            op("decode", "a", "9"),
            op("decode", "a", "10,11"),
            op("finish", "a"),
            op("probe", "p", "A[0:6] 9,10,11"),
        ),
        {"hits": {"p": 8}, "free_after": {"a": 6, "begin_a": 6, "decode_a": 6, "finish_a": 8}},
    ),
    "reset drops everything": (
        ops(op("serve", "a", "A[0:9]"), {"op": "reset"}, op("probe", "p", "A[0:9]")),
        {"hits": {"a": 0, "p": 0}, "final": {"cached_distinct": 0, "evicted": 0}, "free_after": {"reset": 8}},
    ),
    "prompt logprobs of 0 alternatives still need every token": (
        ops(op("serve", "a", "A[0:9]"), op("serve", "b", "A[0:9]", prompt_logprobs=0)),
        {"hits": {"b": 0}, "computed": {"b": 9}, "ratios": {"b": 0}, "stats": {"requests": 1}},
    ),
    "only one of two copies is forced out": (
        ops(
            op("begin", "a", "A[0:4]"),
            op("serve", "b", "A[0:4]"),
            op("finish", "a"),
            op("evict_block", "e", "A[0:4]", index=0),
            op("probe", "p", "A[0:5]"),
            op("evict_block", "f", "A[0:4]", index=0),
            op("probe", "q", "A[0:5]"),
        ),
        {"hits": {"p": 4, "q": 0}, "final": {"evicted": 2, "cached_physical": 0}},
    ),
    "with caching off nothing hits": (
        ops(op("serve", "a", "A[0:9]"), op("serve", "b", "A[0:9]"), enable_caching=False),
        {"hits": {"a": 0, "b": 0}, "stats": {"requests": 0, "queries": 0, "hits": 0}},
    ),
    "what never fits holds up everybody behind it": (
        schedule(arrival(1, "a", "A[0:3]"), arrival(2, "b", "B[0:99]"), arrival(3, "c", "C[0:3]")),
        {"hits": {"a": 0, "b": None, "c": None}, "admitted_at_step": {"a": 1}, "after_step_9": {"free": 8}},
    ),
    "a step waits for late arrivals": (
        schedule(arrival(1, "a", "A[0:9]", output="1,2"), arrival(7, "b", "A[0:9]", output="1")),
        {"hits": {"b": 8}, "admitted_at_step": {"b": 7}, "scheduled_first_step": {"a": 9, "b": 1}},
    ),
    "the step's budget splits a prompt": (
        schedule(arrival(1, "a", "A[0:9]"), max_num_batched_tokens=4),
        {"scheduled_first_step": {"a": 4}, "after_step_1": {"cached_distinct": 1, "usage": 0.125}},
    ),
    "a window of two requests": (
        ops(op("serve", "a", "A[0:9]"), op("serve", "b", "A[0:9]"), op("serve", "c", "A[0:9]"), window=2),
        {
            "stats": {"requests": 3, "hit_rate": 0.889, "preempted_queries": 0},
            "reported_hit_rate": 0.889,
            "hit_rate": 0.8889,
            "cumulative_rate": 0.593,
        },
    ),
    "the rate restarts with a reset, the sums do not": (
        ops(op("serve", "a", "A[0:9]"), op("serve", "b", "A[0:9]"), {"op": "reset"}),
        {"reported_hit_rate": 0.0, "cumulative_rate": 0.444},
    ),
    "a number of tokens is generated, and a later prompt holds them": (
        ops(op("serve", "a", "A[0:7]", output=6), op("probe", "p", "A[0:7] out.a[0:6]")),
        {"hits": {"p": 12}, "generated": {"a": 6}},
    ),
    "who is preempted comes back to its own blocks, and that is no hit rate": (
        schedule(*PAIR, capacity=6),
        {
            "generated": {"a": 8, "b": 8},
            "outputs": {"a": "out.a[0:8]", "b": "out.b[0:8]"},
            "preempted": {"a": 0, "b": 1},
            "num_preempted": 1,
            "reported_hit_rate": 0.0,
            "stats": {
                "requests": 2,
                "queries": 18,
                "hits": 0,
                "preempted_requests": 1,
                "preempted_queries": 13,
                "preempted_hits": 8,
            },
        },
    ),
    "the rates alone": (
        {"kind": "metric_window", "window": 2, "requests": [[100, 0], [100, 0], [100, 90], [50, 45]]},
        {"window_rate": 0.9, "cumulative_rate": 0.386},
    ),
    "several runs, each for itself": (
        {"kind": "multi", "runs": [ops(op("serve", "a", "A[0:9]")), ops(op("serve", "b", "A[0:9]"))]},
        {"runs": [{"hits": {"a": 0}}, {"hits": {"b": 0}}]},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_cases_hold(name: str) -> None:
    findings = replay_case(*CASES[name])
    assert findings is not None
    assert [str(mismatch) for mismatch in findings.mismatches] == []
    assert findings.num_operations > 0


@pytest.mark.parametrize("name", CASES)
def test_other_expectations_are_told(name: str) -> None:
    """Every single number a case expects is looked at: change it, and it is a mismatch."""
    run, expected = CASES[name]
    changed: dict[str, Any] = {
        group: [{field: dict.fromkeys(values, 77) for field, values in part.items()} for part in parts]
        if group == "runs"
        else (dict.fromkeys(parts, 77) if isinstance(parts, dict) else 77)
        for group, parts in expected.items()
    }
    findings = replay_case(run, changed)
    assert findings is not None
    groups = expected.get("runs", [expected])
    num_values = sum(len(v) if isinstance(v, dict) else 1 for group in groups for v in group.values())
    assert len(findings.mismatches) == num_values


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (["b"], ["a"]),
        (["b"], []),
        (1, 2),
        (True, False),
        ({"a": False, "b": True}, {"a": True}),
        ({"b": 1}, {"b": 2}),
        ({"requests": 1, "queries": 13, "hits": 8}, {"hits": 0}),
    ],
)
def test_each_form_of_who_was_preempted(right: object, wrong: object) -> None:
    run = schedule(*PAIR, capacity=6)
    findings = replay_case(run, {"preempted": right, "naive_hit_rate": 0.258, "buggy_stats": {"hits": 8}})
    assert findings is not None
    assert findings.mismatches == []
    findings = replay_case(run, {"preempted": wrong})
    assert findings is not None
    assert len(findings.mismatches) == 1


@pytest.mark.parametrize(
    "wrong", [{"a": "out.a[0:7]"}, {"a": "out.b[0:8]"}, {"b": [1, 2]}, {"nobody": 1}, {"a": ""}]
)
def test_other_tokens_than_the_generated_are_told(wrong: dict[str, Any]) -> None:
    findings = replay_case(schedule(*PAIR, capacity=6), {"generated": wrong})
    assert findings is not None
    assert len(findings.mismatches) == 1


@pytest.mark.parametrize("field", ["output", "outputs", "generated"])
@pytest.mark.parametrize("sampled", ["1,2,3", [1, 2, 3], 3])
def test_each_form_of_sampled_tokens(field: str, sampled: object) -> None:
    expected = {"generated": {"a": 3}, "final": {"cached_distinct": 2}}
    for run in (
        ops(op("serve", "a", "A[0:7]", **{field: sampled})),
        schedule(arrival(1, "a", "A[0:7]", **{field: sampled})),
    ):
        findings = replay_case(run, expected)
        assert findings is not None
        assert findings.mismatches == []


def test_a_request_that_outgrows_the_pool_does_not_generate_all() -> None:
    findings = replay_case(
        schedule(arrival(1, "a", "A[0:7]", output=13), capacity=2), {"generated": {"a": 2}}
    )
    assert findings is not None
    assert findings.mismatches == []


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        ({"kind": "price"}, "kind price is no run of this engine"),
        (ops(op("serve", "a", "A[0:9]"), engine="sglang"), "engine sglang"),
        (
            {"kind": "multi", "runs": [ops(op("serve", "a", "A[0:9]")), {"kind": "radix"}]},
            "kind radix is no run of this engine",
        ),
    ],
)
def test_other_kinds_are_skipped_with_their_reason(run: dict[str, Any], reason: str) -> None:
    assert replay(Fields({"id": "X", "input": run, "expected": {}}, Place("case", 1))) == reason


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"kind": "multi", "runs": [ops(), ops()]}, "expected.runs: expected 2 outcomes, got 1"),
        (ops(op("serve", "a", "")), "input.ops[0]: Request a has an empty prompt"),
        (ops(op("evict_block", "e", "A[0:4]", index=1)), "ops[0].index: the chain has 1 full blocks"),
        (
            ops(op("begin", "a", "1"), op("begin", "a", "1")),
            "input.ops[1].id: request 'a' is running already",
        ),
        (ops(capacity=10**12), "input.capacity_blocks: expected a whole number from 0 to 10000000"),
        (ops(op("serve", "a", "1", output=-1)), "input.ops[0].output: expected a whole number from 0"),
        (ops(op("serve", "a b", "1", output=1), window=0), "input.window: expected a whole number from 1"),
        ({"kind": "metric_window", "requests": [[1, 2]]}, "input.requests: expected a list of [tokens, hit"),
        (schedule(arrival(0, "a", "1")), "input.arrivals[0].step: expected a whole number from 1"),
        (
            schedule(arrival(1, "a", "1,2"), arrival(1, "a", "1")),
            "input.arrivals[1]: Request a exists already",
        ),
    ],
)
def test_cases_that_make_no_sense(run: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordingError) as raised:
        replay_case(run, {"runs": [{}]})
    assert message in raised.value.message
    assert raised.value.message.startswith("case:1")


def test_a_run_that_goes_round_in_circles_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the whole-prompt gate a request too large for the pool is admitted and preempted for ever."""
    monkeypatch.setattr("core.conformance.case_schedule.MAX_STEPS", 50)
    settings = {"reserve_full_prompt": False, "enable_caching": False, "max_num_batched_tokens": 8}
    findings = replay_case(schedule(arrival(1, "a", "A[0:12]"), capacity=2, **settings), {"hits": {"a": 0}})
    assert findings is not None
    assert [mismatch.got for mismatch in findings.mismatches] == ["still running after 50 steps"]


def test_a_run_whose_request_outgrows_the_pool_ends() -> None:
    """It preempts itself, and its own cached blocks leave no room to come back: nothing more can happen."""
    findings = replay_case(
        schedule(arrival(1, "a", "A[0:7]", output="A[7:20]"), capacity=2), {"hits": {"a": 0}}
    )
    assert findings is not None
    assert findings.mismatches == []
