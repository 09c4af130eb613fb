"""What somebody who decides asks of a log: percentiles, hours, least memory, quotas, rules, lower bounds."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel, Prices
from core.replay.runs import replay_runs
from core.traces.model import Trace
from core.traces.options import ReadOptions
from core.traffic.analysis import analyse
from core.traffic.decisions import as_csv, below_json, rate_by, reported_csv, reported_sources
from core.traffic.enough import enough_for
from core.traffic.groups import groups, keys_of, whole
from core.traffic.percentiles import percentiles
from core.traffic.providers import Rule, WritePrices, with_minimum
from core.traffic.quotas import divided, quotas
from core.traffic.settings import Settings
from core.traffic.summary import summarise
from tests.unit.core.traces.logs import read_rows

COST = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])


def tenants(seed: int = 5, count: int = 120) -> Trace:
    """Three tenants with conversations of their own; one has most of the traffic. Dates of two days."""
    dice = np.random.default_rng(seed)
    grown: dict[tuple[str, int], list[int]] = {}
    rows = []
    for number in range(count):
        name = str(dice.choice(["big", "big", "big", "small", "tiny"]))
        talk = (name, int(dice.integers(0, 4)))
        grown[talk] = [*grown.get(talk, [ord(name[0])]), *dice.integers(10, 90, 9).tolist()]
        rows.append({"token_ids": grown[talk], "timestamp": 1_777_633_200 + 900 * number, "tenant": name})
    return read_rows(*rows)


def report(trace: Trace, settings: Settings, rule: Rule | None = None) -> dict[str, Any]:
    found = summarise(trace, [settings], COST, Prices(), ReadOptions().tokenizer, rule=rule)
    json.dumps(found, allow_nan=False)
    run: dict[str, Any] = found["runs"][0]
    return run


# -- percentiles and hours -----------------------------------------------------------------------------------


def test_a_percentile_is_a_value_that_a_request_has() -> None:
    one = percentiles(np.arange(1, 11))
    assert (one.p10, one.p50, one.p90) == (1, 5, 9)
    assert percentiles(np.array([3.5])).p90 == 3.5


def test_percentiles_of_the_whole_and_of_each_source() -> None:
    run = report(tenants(), Settings(4, 60))
    assert run["percentiles"]["prompt_tokens"]["p10"] <= run["percentiles"]["prompt_tokens"]["p90"]
    analysis = analyse(tenants(), Settings(4, 60))
    for one in run["sources"]["tenant"]:
        mine = [at for at, request in enumerate(analysis.requests) if request.tenant == one["name"]]
        rates = sorted((analysis.hits[mine] / analysis.lengths[mine]).tolist())
        assert one["rates"]["p50"] == rates[(len(rates) + 1) // 2 - 1]
        assert one["lengths"]["p90"] in analysis.lengths[mine]


def test_hours_are_the_logs_own_in_utc_and_in_order() -> None:
    """1 May 2026, 11:00 UTC, a request every quarter of an hour."""
    analysis = analyse(tenants(), Settings(4))
    assert keys_of(analysis) == ("tenant", "hour", "hour_of_day")
    hours = [one.name for one in groups(analysis, "hour")]
    assert (hours[0], hours[13], len(hours)) == ("2026-05-01 11:00", "2026-05-02 00:00", 30)
    of_day = groups(analysis, "hour_of_day")
    assert [one.name for one in of_day] == [f"{hour:02}:00" for hour in range(24)]
    assert sum(one.num_requests for one in of_day) == 120


def test_a_log_without_dates_counts_its_hours_from_its_beginning() -> None:
    rows = [{"token_ids": [1, 2, 3], "timestamp": 1800.0 * number} for number in range(24)]
    analysis = analyse(read_rows(*rows), Settings(1))
    assert keys_of(analysis) == ("hour",)
    assert [one.name for one in groups(analysis, "hour")] == [str(hour) for hour in range(12)]


# -- the least memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ttl_s", [None, 9000.0])
def test_enough_is_the_first_size_that_reaches_nine_tenths(seed: int, ttl_s: float | None) -> None:
    analysis = analyse(tenants(seed), Settings(3, None, ttl_s))
    found = enough_for(analysis)
    assert found is not None
    rates = {
        slots: replay_runs(analysis.tree, slots, ttl=analysis.settings.ttl).hit_rate or 0.0
        for slots in range(analysis.curve.first, analysis.curve.last + 3)
    }
    assert rates[found.slots] == found.rate >= 0.9 * found.of - 1e-12
    assert found.of == pytest.approx(analysis.hit_rate)
    if analysis.curve.exact:
        assert all(rate < 0.9 * found.of for slots, rate in rates.items() if slots < found.slots)


def test_enough_in_json_and_none_where_nothing_comes_again() -> None:
    run = report(tenants(), Settings(4, 60))["enough_for"]
    assert run["gib"] * 2**30 == run["bytes"] == run["slots"] * COST.block_bytes(4)
    assert report(read_rows({"token_ids": [1, 2]}, {"token_ids": [3, 4]}), Settings(1))["enough_for"] is None


# -- quotas --------------------------------------------------------------------------------------------------


def test_slots_are_all_given_out_in_proportion() -> None:
    assert list(divided(10, [1, 1, 1])) == [4, 3, 3]
    assert list(divided(7, [5, 2, 1])) == [4, 2, 1]
    assert list(divided(None, [1, 2])) == [None, None]


@pytest.mark.parametrize("shares", ["equal", "tokens"])
@pytest.mark.parametrize("ttl_s", [None, 9000.0])
def test_a_quota_is_the_exact_replay_of_the_tenant_alone(shares: Any, ttl_s: float | None) -> None:
    trace = tenants()
    analysis = analyse(trace, Settings(4, 61, ttl_s))
    found = quotas(analysis, shares)
    assert found is not None
    assert sum(one.num_slots or 0 for one in found.tenants) == 61
    for one in found.tenants:
        rows = [
            {"token_ids": request.tokens().tolist(), "timestamp": request.arrival_s}
            for request in analysis.requests
            if request.tenant == one.name
        ]
        alone = analyse(read_rows(*rows), Settings(4, one.num_slots, ttl_s))
        assert (one.hit_tokens, one.num_refused) == (int(alone.hits.sum()), alone.result.num_refused)
    assert found.shared_rate == pytest.approx(int(analysis.hits.sum()) / int(analysis.lengths.sum()))
    assert any(one.gain for one in found.tenants), "somebody gains or loses"


def test_no_quota_without_slots_or_with_one_tenant() -> None:
    assert report(tenants(), Settings(4))["quotas"] is None
    assert report(read_rows(*({"token_ids": [1, 2, 3]},) * 3), Settings(1, 9))["quotas"] is None
    assert set(report(tenants(), Settings(4, 60))["quotas"]) == {"equal", "tokens"}


def test_more_tenants_than_slots_leave_some_with_none() -> None:
    rows = [{"token_ids": [number, 2], "tenant": str(number)} for number in range(5)]
    found = quotas(analyse(read_rows(*rows), Settings(1, 2)))
    assert found is not None
    assert sorted(one.num_slots or 0 for one in found.tenants) == [0, 0, 0, 1, 1]
    assert sum(one.num_refused for one in found.tenants) == 5


# -- rules of providers --------------------------------------------------------------------------------------


def test_a_rule_is_applied_request_by_request() -> None:
    rule = Rule("x", 1024, 128, WritePrices(1.25, 0.1))
    lengths, hits = np.array([1000, 1023, 1024, 4000]), np.array([960, 1008, 1023, 2006])
    assert rule.below(lengths).tolist() == [True, True, False, False]
    assert rule.cached(hits).tolist() == [with_minimum(hit) for hit in hits.tolist()] == [0, 0, 0, 1920]
    assert rule.paid(lengths, hits).tolist() == [1000, 1023, 1280, pytest.approx(192 + 2080 * 1.25)]
    free = Rule("own", 0, 1, WritePrices(1.0, 0.0))
    assert free.paid(lengths, hits).tolist() == (lengths - hits).tolist()


def test_requests_below_the_minimum_are_named_and_judged() -> None:
    trace = tenants()
    analysis = analyse(trace, Settings(4))
    rule = Rule("x", 40, 1, WritePrices())
    below = [at for at, length in enumerate(analysis.lengths.tolist()) if length < 40]
    found = below_json(analysis, rule)
    assert found["num_requests"] == len(below) == whole(analysis, rule).num_below > 0
    assert found["requests"] == [analysis.requests[at].request_id for at in below]
    assert rate_by(analysis, rule) < rate_by(analysis, Rule()) == analysis.hit_rate
    everything = Rule("x", 10**6, 1, WritePrices())
    assert whole(analysis, everything).verdict() == "short"
    assert {one.verdict() for one in groups(analysis, "tenant", everything)} == {"short"}
    run = report(trace, Settings(4), rule)
    assert run["below_minimum"]["num_requests"] == len(below)


@pytest.mark.parametrize(("slots", "ttl_s"), [(None, None), (None, 60.0), (10**6, 60.0), (10**6, None)])
def test_nobody_is_sent_for_more_room_where_there_is_room_for_everything(
    slots: int | None, ttl_s: float | None
) -> None:
    """A cache with room for everything and a time to live was judged "with more room"."""
    trace = tenants()
    run = report(trace, Settings(4, slots, ttl_s))
    said = {run["verdict"], *(one["verdict"] for found in run["sources"].values() for one in found)}
    assert "room" not in said
    assert "evicted" not in run["reasons"]
    assert all(one["repair"] != "more_slots" for cause in run["causes"] for one in cause["repairs"])
    assert ("longer" in said) == (ttl_s is not None)


def test_room_is_what_helps_where_it_does() -> None:
    assert report(tenants(), Settings(4, 30))["verdict"] == "room"


# -- lower bounds --------------------------------------------------------------------------------------------


def blocks(count: int = 6) -> Trace:
    ids = [[1, 2, 3], [1, 2, 4], [1, 2, 3, 5]]
    rows = [
        {"timestamp": 0, "input_length": 512 * len(ids[at % 3]), "output_length": 1, "hash_ids": ids[at % 3]}
        for at in range(count)
    ]
    return read_rows(*rows)


@pytest.mark.parametrize(("size", "cut"), [(16, True), (512, False), (1024, False), (768, True)])
def test_a_size_that_cuts_the_logs_blocks_gives_lower_bounds_everywhere(size: int, cut: bool) -> None:
    run = report(blocks(), Settings(size, 600))
    assert run["lower_bound"] is run["curve"]["lower_bound"] is run["enough_for"]["lower_bound"] is cut
    assert {one["lower_bound"] for one in run["definitions"]} == {cut}
    assert {one["block_size"]: one["lower_bound"] for one in run["block_sizes"]}[size] is cut
    assert not any(one["lower_bound"] for one in run["block_sizes"] if one["block_size"] % 512 == 0)
    assert all(one["lower_bound"] is cut for one in run["causes"])
    table = list(csv.DictReader(io.StringIO(as_csv(analyse(blocks(), Settings(size, 600)), Rule()))))
    assert {row["lower_bound"] for row in table} == {str(cut)}


# -- tables --------------------------------------------------------------------------------------------------


def test_the_table_has_the_log_and_every_source_and_no_formula() -> None:
    rows = [{"token_ids": [1, 2, number], "tenant": name} for number, name in enumerate(("=1+1", 'b,"c'))]
    found = list(csv.DictReader(io.StringIO(as_csv(analyse(read_rows(*rows), Settings(1)), Rule()))))
    assert [row["by"] for row in found] == ["log", "tenant", "tenant"]
    assert {row["name"] for row in found[1:]} == {"'=1+1", 'b,"c'}
    assert float(found[0]["hit_rate"]) == 2 / 6


def test_what_a_log_reports_stands_by_source_too() -> None:
    def row(name: str, cached: int) -> dict[str, Any]:
        usage = {
            "prompt_tokens": 100,
            "completion_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        return {"id": f"{name}{cached}", "model": name, "usage": usage}

    trace = read_rows(row("a", 0), row("a", 50), row("b", 10), row("b", 0))
    found = reported_sources(trace)["model"]
    assert [(one["name"], one["rate"]) for one in found] == [("a", 0.25), ("b", 0.05)]
    assert "model,a,2,200,50,0.25" in reported_csv(trace)
    assert reported_sources(tenants()) == {}


def test_what_is_reported_by_source_has_bounds_where_rows_do_not_say() -> None:
    """Of a model with 50 of 100 known and 100 unknown tokens the rate said 50 %; it lies between 25 and 75 %,
    also where its own rows report no 0: the log does elsewhere, so none was left out."""

    def row(number: int, model: str, cached: int | None) -> dict[str, Any]:
        details = {} if cached is None else {"prompt_tokens_details": {"cached_tokens": cached}}
        return {
            "id": str(number),
            "model": model,
            "usage": {"prompt_tokens": 100, "completion_tokens": 1, **details},
        }

    told = (("a", 50), ("a", None), ("b", 0), ("b", 100))
    trace = read_rows(*(row(number, *one) for number, one in enumerate(told)))
    a, b = reported_sources(trace)["model"]
    assert (a["rate"], a["bounds"], a["why"], a["unknown"]) == (0.5, [0.25, 0.75], "some_unknown", 1)
    assert (b["rate"], b["bounds"], b["why"], b["unknown"]) == (0.5, None, None, 0)
    lines = reported_csv(trace).split("\r\n")
    assert lines[0].endswith("reported_rate,at_least,at_most")
    assert {"model,a,2,100,50,0.5,0.25,0.75", "model,b,2,200,100,0.5,0.5,0.5"} <= set(lines)
