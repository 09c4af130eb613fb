"""The numbers of a run: each again by a second, plain way from the event log; shares sum to the whole."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cost import GPUS, MODELS, CostModel, Prices
from core.engine.events import (
    BlockAllocated,
    BlockEvicted,
    BlockReleased,
    BlockTouched,
    CacheReset,
    RequestAdmitted,
    RequestFinished,
    RequestPreempted,
)
from core.errors import EventLogError
from core.report import SHARES, Report, compare, make_report
from core.scenario.reader import load_scenario
from core.scenario.scenario import Scenario, run
from core.timeline.diagnose import explain
from core.timeline.event_log import EventLog
from tests.plain_report import Plain, plain_report
from tests.stage_runs import PRESETS, log_of
from tests.strategies import configs, examples, scenarios

COST = CostModel(MODELS["Llama-2-7B"], GPUS["A100"])
Json = dict[str, Any]


def log_from(commands: list[Json], *, num_slots: int = 8, block_size: int = 4, **config: object) -> EventLog:
    data = {
        "schema": 1, "id": "test", "block_size": block_size, "num_slots": num_slots, "config": config,
        "commands": commands,
    }  # fmt: skip
    return run(load_scenario(data))


def serve(name: str, tokens: str, **more: object) -> list[Json]:
    """One request by itself, from arrival to end."""
    return [{"op": "submit", "id": name, "tokens": tokens, **more}, {"op": "run"}]


def shares(commands: list[Json], **config: Any) -> dict[str, int]:
    """The shares that are not empty."""
    report = make_report(log_from(commands, **config), COST)
    return {share: count for share, count in report.waterfall.tokens.items() if count}


# -- a second, plain account ----------------------------------------------------------------------------


def peaks(log: EventLog) -> tuple[int, int]:
    """(blocks held by anybody, blocks counted once per holder), each at its largest."""
    ref: dict[int, int] = {}
    held, holders = [0], [0]
    for event in log.events:
        if isinstance(event, BlockTouched | BlockReleased):
            ref[event.block_id] = event.ref_count
        elif isinstance(event, BlockAllocated):
            ref[event.block_id] = 1
        held.append(sum(count > 0 for count in ref.values()))
        holders.append(sum(ref.values()))
    return max(held), max(holders)


def check_against_the_log(log: EventLog, report: Report) -> None:
    plain = plain_report(log)
    admitted = [e for e in log.events if isinstance(e, RequestAdmitted)]
    first = [e for e in admitted if not e.resumed]
    counted = [e for e in admitted if e.counted]
    assert report.waterfall.tokens == {share: plain.shares[share] for share in SHARES}
    assert sum(row.near_tokens for row in report.rows) == plain.shares["near_miss"]
    assert report.waterfall.total == sum(e.num_tokens for e in first)
    assert all(0 <= report.waterfall.part(share) <= 1 for share in SHARES)
    assert (report.queries, report.hits) == (
        sum(e.num_tokens for e in counted),
        sum(e.hit_tokens for e in counted),
    )
    assert report.hit_rate.value == (report.hits / report.queries if report.queries else None)
    assert report.num_requests == len(first) == len(report.rows)
    assert report.num_finished == sum(isinstance(e, RequestFinished) and not e.aborted for e in log.events)
    assert report.num_preemptions == sum(isinstance(e, RequestPreempted) for e in log.events)
    assert report.recomputed_tokens == sum(e.num_tokens - e.hit_tokens for e in admitted if e.resumed)
    evictions = [e for e in log.events if isinstance(e, BlockEvicted)]
    for cause, count in report.evicted_blocks.items():
        if cause != "reset":
            assert count == sum(e.cause == cause for e in evictions)
    assert (report.peak.shared, report.peak.unshared) == peaks(log)
    check_acts(log, report, plain)
    check_money(report, first)


def check_acts(log: EventLog, report: Report, plain: Plain) -> None:
    found = [
        (act.event, act.tokens, list(act.recomputed_by), act.cause, act.for_request)
        for act in report.worst_evictions
    ]
    assert found == plain.dearest()
    for act in report.worst_evictions:
        assert isinstance(log.events[act.event], BlockEvicted | CacheReset)


def check_money(report: Report, first: list[RequestAdmitted]) -> None:
    full = [COST.prefill_s(e.num_tokens) for e in first]
    with_hit = [COST.prefill_s(e.num_tokens - e.hit_tokens, e.hit_tokens) for e in first]
    saved = sum(full) - sum(with_hit)
    savings = report.savings
    assert savings.tokens.value == report.waterfall.tokens["reused"]
    assert savings.gpu_seconds.value == pytest.approx(saved, abs=1e-12)
    assert savings.money_by_hour.value == pytest.approx(saved * 2.0 / 3600, abs=1e-15)
    assert savings.money_by_token.value == pytest.approx(report.waterfall.tokens["reused"] * 0.9 / 1e6)
    assert savings.gpu_seconds.basis == savings.ms_per_request.basis == savings.ratio.basis == "modelled"
    if first:
        assert savings.ms_per_request.value == pytest.approx(1e3 * saved / len(first), abs=1e-9)
        assert savings.ratio.value == pytest.approx(sum(full) / sum(with_hit))
        assert 1 <= savings.ratio.value <= (savings.linear_ratio.value or 0) * (1 + 1e-9)
        assert [row.event for row in report.rows] == sorted(row.event for row in report.rows)
    else:
        assert savings.ratio.value is None


@given(scenarios(configs(hash_name="xxh3_128", verify_tokens=False)))
@examples(60)
def test_every_number_again_on_random_runs(scenario: Scenario) -> None:
    log = run(scenario)
    check_against_the_log(log, make_report(log, COST))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_number_again_on_every_preset(preset: str) -> None:
    log = log_of(preset)
    check_against_the_log(log, make_report(log, COST))


@given(scenarios(configs(hash_name="weak")), st.booleans())
@examples(30)
def test_shares_sum_up_under_collisions_too(scenario: Scenario, again: bool) -> None:
    log = run(scenario)
    report = make_report(log, COST)
    admitted = [e for e in log.events if isinstance(e, RequestAdmitted) and not e.resumed]
    assert report.waterfall.total == sum(e.num_tokens for e in admitted)
    assert all(count >= 0 for count in report.waterfall.tokens.values())
    if again:
        assert make_report(log, COST) == report


# -- each share by hand ---------------------------------------------------------------------------------


def test_all_new_but_the_tail() -> None:
    assert shares(serve("a", "S[0:10]")) == {"new": 8, "tail": 2}


def test_reused_and_new() -> None:
    assert shares(serve("a", "S[0:9]") + serve("b", "S[0:8] x[0:6]")) == {"reused": 8, "new": 12, "tail": 3}


def test_the_last_token_rule_costs_a_block_that_is_there() -> None:
    assert shares(serve("a", "S[0:8]") + serve("b", "S[0:8]")) == {"new": 8, "reused": 4, "last_token": 4}


def test_a_last_block_that_was_never_there_is_new() -> None:
    """The rule costs nothing here: nobody had computed the second block."""
    assert shares(serve("a", "S[0:5]") + serve("b", "S[0:8]")) == {"new": 8, "reused": 4, "tail": 1}


def test_a_last_block_that_nearly_was_there_is_a_near_miss() -> None:
    """The time stamp of P3b: 09:41 is cached, 09:42 ends the prompt. Three tokens were equal to cached ones,
    and the report called all four new, because the block holds the last token and was never looked up."""
    commands = serve("a", "S[0:8]") + serve("b", "S[0:7] x[0:1]")
    assert shares(commands) == {"new": 8 + 1, "reused": 4, "near_miss": 3}


@pytest.mark.parametrize(("preset", "near"), [("P3b", 3), ("L640s", 12)])
def test_near_misses_of_the_presets_that_two_readings_told_apart(preset: str, near: int) -> None:
    report = make_report(log_of(preset), COST)
    assert (report.waterfall.tokens["near_miss"], report.waterfall.tokens["last_token"]) == (near, 0)


def test_a_near_miss_counts_the_equal_tokens_of_one_block() -> None:
    """Two of four tokens of the second block agree in place; the third block is new whatever it holds."""
    commands = serve("a", "S[0:13]") + serve("b", "S[0:6] x[0:7]")
    assert shares(commands) == {"new": 12 + 6, "reused": 4, "near_miss": 2, "tail": 2}


def test_what_was_pushed_out_is_named_and_charged() -> None:
    """a's three blocks, then b takes all four slots, then a comes again: computed again because of b."""
    commands = serve("a", "S[0:13]") + serve("b", "T[0:13]") + serve("a2", "S[0:13]")
    log = log_from(commands, num_slots=4)
    report = make_report(log, COST)
    assert report.waterfall.tokens["evicted"] == 12
    assert report.waterfall.tokens["tail"] == 3
    (act,) = report.worst_evictions
    assert (act.cause, act.for_request, act.tokens, act.recomputed_by) == ("reused", "b", 12, ("a2",))
    assert isinstance(log.events[act.event], BlockEvicted)
    assert act.num_blocks == 3


def test_each_command_that_needs_room_is_an_act_of_its_own() -> None:
    """c grows twice; the first time a's block goes, the second time b's."""
    growing: list[Json] = [
        {"op": "start", "id": "c", "tokens": "U[0:5]"},
        {"op": "decode", "id": "c", "tokens": "U[5:9]"},
        {"op": "decode", "id": "c", "tokens": "U[9:13]"},
        {"op": "free", "id": "c"},
    ]
    commands = [*serve("a", "S[0:5]"), *serve("b", "T[0:5]"), *growing]
    commands += serve("a2", "S[0:5]") + serve("b2", "T[0:5]")
    report = make_report(log_from(commands, num_slots=4), COST)
    found = [(act.for_request, act.num_blocks, act.recomputed_by) for act in report.worst_evictions]
    assert found == [("c", 1, ("a2",)), ("c", 1, ("b2",))]


def test_a_block_behind_an_evicted_one_cannot_be_reached() -> None:
    """The second block is forced out; the third is still there, and of no use: both count as evicted."""
    start = {"op": "start", "id": "a", "tokens": "S[0:14]"}
    commands = [start, {"op": "free", "id": "a"}, {"op": "evict", "blocks": [2]}, *serve("b", "S[0:14]")]
    report = make_report(log_from(commands), COST)
    assert report.waterfall.tokens["evicted"] == 8
    assert report.worst_evictions[0].tokens == 8
    assert report.worst_evictions[0].cause == "forced"


def test_a_reset_is_an_act_too() -> None:
    commands = [*serve("a", "S[0:9]"), {"op": "reset"}, *serve("b", "S[0:9]")]
    report = make_report(log_from(commands), COST)
    (act,) = report.worst_evictions
    assert (act.cause, act.for_request, act.num_blocks, act.tokens) == ("reset", None, 2, 8)


def test_kept_out_by_a_policy() -> None:
    commands = serve("a", "S[0:9]") + serve("b", "S[0:9]") + serve("c", "S[0:9]")
    assert shares(commands, admit_after=2) == {"new": 8, "not_admitted": 8, "reused": 8, "tail": 3}


@pytest.mark.parametrize("other", [{"salt": "s"}, {"lora": ["a", "p"]}])
def test_the_same_tokens_in_another_world(other: Json) -> None:
    assert shares(serve("a", "S[0:9]") + serve("b", "S[0:9]", **other)) == {
        "new": 8, "other_world": 8, "tail": 2,
    }  # fmt: skip


def test_whoever_does_not_look_finds_nothing() -> None:
    commands = serve("a", "S[0:9]") + serve("b", "S[0:9]", skip_read=True)
    assert shares(commands) == {"new": 8, "not_read": 8, "tail": 2}
    assert shares(serve("a", "S[0:8]"), enable_caching=False) == {"not_read": 8}


# -- the whole ------------------------------------------------------------------------------------------


def test_ten_users_hold_112_blocks_instead_of_400() -> None:
    """512 shared and 128 own tokens each, all at the same time, blocks of 16."""
    users: list[Json] = [{"op": "start", "id": f"u{k}", "tokens": f"S[0:512] u{k}[0:128]"} for k in range(10)]
    report = make_report(log_from(users, num_slots=500, block_size=16), COST)
    assert (report.peak.shared, report.peak.unshared) == (112, 400)
    assert (report.peak_gib.value, report.peak_unshared_gib.value) == (0.875, 3.125)


def test_the_two_peaks_may_lie_at_different_moments() -> None:
    """Six blocks of one request first; later two that share three: five blocks, held eight times."""
    commands: list[Json] = [
        {"op": "start", "id": "a", "tokens": "A[0:24]"},
        {"op": "free", "id": "a"},
        {"op": "start", "id": "b", "tokens": "S[0:12] b[0:2]"},
        {"op": "start", "id": "c", "tokens": "S[0:12] c[0:2]"},
    ]
    report = make_report(log_from(commands, num_slots=12), COST)
    assert (report.peak.shared, report.peak.unshared) == (6, 8)


def test_no_cache_cache_and_a_fork_side_by_side() -> None:
    commands = serve("a", "S[0:512] a[0:128]") + serve("b", "S[0:512] b[0:128]")
    logs = {
        "no_cache": log_from(commands, num_slots=100, block_size=16, enable_caching=False),
        "cache": log_from(commands, num_slots=100, block_size=16),
        "fork": log_from(commands, num_slots=100, block_size=256),
    }
    reports = compare(logs, COST)
    assert [reports[name].hit_rate.value for name in ("no_cache", "cache", "fork")] == [None, 0.4, 0.4]
    times = [reports[name].prefill_s.value or 0 for name in ("no_cache", "cache")]
    assert times[0] == pytest.approx(2 * COST.prefill_s(640))
    assert times[1] == pytest.approx(COST.prefill_s(640) + COST.prefill_s(128, 512))
    saved = reports["cache"].savings
    assert saved.gpu_seconds.value == pytest.approx(times[0] - times[1])
    assert saved.linear_ratio.value == 1280 / 768
    assert (saved.ratio.value or 0) < 1280 / 768


def test_prices_are_editable() -> None:
    log = log_from(serve("a", "S[0:512] a[0:128]") + serve("b", "S[0:512] b[0:128]"), num_slots=200)
    report = make_report(log, COST, Prices(per_gpu_hour=3600, per_million_tokens=5, per_million_cached=0))
    assert report.savings.money_by_hour.value == pytest.approx(report.savings.gpu_seconds.value)
    assert report.savings.money_by_token.value == pytest.approx(512 * 5 / 1e6)


def test_rows_name_the_reason_and_where_to_look() -> None:
    log = log_from(serve("a", "S[0:13]") + serve("b", "S[0:6] x[0:7]"))
    report = make_report(log, COST)
    reasons = explain(log)
    assert [(row.request_id, row.reason, row.near_tokens) for row in report.rows] == [
        ("a", "never_seen", 0),
        ("b", "chain_broken", 2),
    ]
    assert all(reasons[row.event].request_id == row.request_id for row in report.rows)
    assert report.reasons == {"never_seen": 1, "chain_broken": 1}


def test_a_run_of_nothing() -> None:
    report = make_report(log_from([{"op": "wait", "ticks": 3}]), COST)
    assert (report.waterfall.total, report.waterfall.part("reused")) == (0, 0.0)
    assert (report.hit_rate.value, report.savings.gpu_seconds.value) == (None, 0)
    assert report.worst_evictions == ()


def test_a_log_without_block_events_is_refused() -> None:
    scenario = load_scenario({"schema": 1, "commands": serve("a", "S[0:40]")})
    with pytest.raises(EventLogError):
        make_report(run(scenario, block_events=False), COST)
