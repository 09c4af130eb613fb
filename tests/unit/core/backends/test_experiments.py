"""The experiments: who hits what, what a report says, and that it survives a file. Times are not judged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.backends.experiments.bench import Bench
from core.backends.experiments.hits import (
    SAVING_CASES,
    Case,
    hit_pairs,
    hit_sweep,
    long_prompt,
    saving_claim,
)
from core.backends.experiments.report import Report
from core.backends.experiments.serving import decoding, many_users
from core.errors import BackendError
from tests.unit.core.backends.tiny import LIBRARIES, TINY, backend_of

SMALL: dict[str, Any] = {"block_size": 4, "runs": 1, "rounds": 2}


def kept(report: Report) -> Report:
    """Through a file and back, as a person exports and a page reads it."""
    text = json.dumps(report.to_json(), allow_nan=False)
    again = Report.from_json(json.loads(text))
    assert again.to_json() == json.loads(text)
    return again


def equal(report: Report) -> bool:
    return report.equality is not None and report.equality.equal


@pytest.mark.parametrize("library", LIBRARIES)
def test_pairs(library: str) -> None:
    report = kept(hit_pairs(backend_of(library), ((40, 32), (40, 10)), **SMALL))
    first, second = report.rows
    assert (first["hit_tokens"], second["hit_tokens"]) == (32, 8)
    assert first["linear"] == 5
    assert 1 < first["flops"] < first["linear"]
    assert first["ratio_low"] <= first["ratio"] <= first["ratio_high"]
    assert first["saved"] == pytest.approx(1 - 1 / first["ratio"], abs=0.03)
    assert first["full"]["num"] == 2
    assert equal(report)
    assert (report.experiment, report.backend, report.model) == ("pair", library, "tiny")
    assert (report.threads, report.dtype) == (1, "float32")
    assert report.complete
    assert {"python", "numpy"} <= set(report.versions)


def test_a_hit_never_covers_the_last_token() -> None:
    assert Case(64, 64).hit_tokens(16) == 48
    assert Case(65, 64).hit_tokens(16) == 64
    assert Case(64, 22).hit_tokens(16) == 16
    report = hit_pairs(backend_of("numpy"), ((16, 16),), **SMALL)
    assert report.rows[0]["hit_tokens"] == 12


def test_the_sweep() -> None:
    report = kept(hit_sweep(backend_of("numpy"), total=80, fractions=(0.0, 0.5, 0.75, 0.95), **SMALL))
    assert [row["hit_tokens"] for row in report.rows] == [0, 40, 60, 76]
    assert [row["linear"] for row in report.rows] == [1, 2, 4, 20]
    assert report.rows[0]["measured"] == 1
    flops = [row["flops"] for row in report.rows]
    assert flops == sorted(flops)
    assert all(row["flops"] <= row["linear"] for row in report.rows)
    assert equal(report)
    fit = report.summary["fit"]
    assert fit["fixed_ms"] >= 0
    assert fit["worst_error"] >= 0


def test_a_sweep_without_any_hit_compares_nothing() -> None:
    report = hit_sweep(backend_of("numpy"), total=20, fractions=(0.0,), **SMALL)
    assert report.rows[0]["hit_tokens"] == 0
    assert report.equality is not None
    assert report.equality.bitwise


def test_the_claim_of_thirty_to_fifty_percent_has_its_cases() -> None:
    saving = saving_claim(backend_of("numpy"), runs=1, rounds=1, warm_ups=0)
    assert saving.experiment == "saving"
    assert tuple((row["total"], row["shared"]) for row in saving.rows) == SAVING_CASES
    assert [row["hit_tokens"] for row in saving.rows] == [16, 192, 256, 320, 384]


@pytest.mark.slow
def test_a_long_prompt() -> None:
    long = long_prompt(backend_of("numpy"), runs=1)
    assert long.settings["warm_ups"] == 1
    assert (long.experiment, long.rows[0]["hit_tokens"], long.rows[0]["linear"]) == ("long", 8192, 65)
    assert equal(long)


def test_many_users_compute_what_counting_says() -> None:
    """The first user pays for the prefix, everybody else for their own tokens: the counts of the lecture."""
    report = kept(many_users(backend_of("numpy"), users=12, shared=32, own=8, block_size=4, runs=2))
    cache, none = report.rows
    assert (cache["side"], none["side"]) == ("cache", "none")
    assert cache["computed_tokens"] == 32 + 12 * 8
    assert none["computed_tokens"] == 12 * 40
    assert report.summary["tokens_ratio"] == pytest.approx(480 / 128)
    assert report.summary["hit_rate"] == pytest.approx(1 - 128 / 480)
    ratio, low, high = (report.summary[f"ratio{end}"] for end in ("", "_low", "_high"))
    assert low <= ratio <= high
    assert low * 0.9 < none["total_ms"] / cache["total_ms"] < high * 1.1
    assert equal(report)


def test_decode_with_and_without_kv() -> None:
    report = kept(decoding(backend_of("numpy"), positions=(5, 256), **{**SMALL, "rounds": 5}))
    assert [row["position"] for row in report.rows] == [5, 256]
    assert report.rows[1]["without"]["cpu_ms"] > report.rows[1]["with"]["cpu_ms"], "the right way round"
    assert report.rows[1]["flops"] > 30
    assert equal(report)


def test_a_stopped_sweep_keeps_its_rounds() -> None:
    told: list[float] = []
    report = hit_sweep(
        backend_of("numpy"), total=40, fractions=(0.0, 0.5), block_size=4, runs=1, rounds=50, warm_ups=0,
        progress=told.append, cancelled=lambda: len(told) >= 10,
    )  # fmt: skip
    assert not report.complete
    assert report.rows[0]["timing"]["num"] == 3
    assert told == sorted(told)


def test_the_bench_runs_the_real_engine() -> None:
    bench = Bench(backend_of("numpy"), 30, 4)
    prefix = bench.fresh(16)
    assert bench.serve(prefix)[0].num_cached == 0
    plan, result = bench.serve(prefix + bench.fresh(4))
    assert (plan.num_cached, result.num_computed) == (16, 4)
    private, _ = bench.serve(prefix + bench.fresh(4), private=True)
    assert private.num_cached == 0
    assert bench.verify(prefix + bench.fresh(4)).equal
    assert bench.engine.view.request_ids() == ()
    bench.engine.check()
    with pytest.raises(RuntimeError, match="too small"):
        bench.plan(bench.fresh(500))


def test_the_same_seed_draws_the_same_tokens() -> None:
    one, other = (Bench(backend_of("numpy"), 4, 4, seed=5) for _ in range(2))
    assert one.fresh(9) == other.fresh(9)
    assert one.fresh(9) != Bench(backend_of("numpy"), 4, 4, seed=6).fresh(9)
    assert max(one.fresh(900)) < TINY.vocab_size


@pytest.mark.parametrize("data", [{}, {"schema": 1}, [], {"schema": 99}, 7, None, "report"])
def test_what_is_no_report_is_refused(data: Any) -> None:
    with pytest.raises(BackendError) as caught:
        Report.from_json(data)
    assert caught.value.code == "backend.report"


def test_a_report_of_another_schema_is_refused() -> None:
    data = hit_pairs(backend_of("numpy"), ((20, 8),), **SMALL).to_json()
    with pytest.raises(BackendError):
        Report.from_json({**data, "schema": 3})


def test_an_earlier_report_is_still_read() -> None:
    """Schema 1: one run, no reason. It may have been exported months ago."""
    data = hit_pairs(backend_of("numpy"), ((20, 8),), **SMALL).to_json()
    settings = {name: value for name, value in data["settings"].items() if name not in ("runs", "warm_ups")}
    old = {name: value for name, value in data.items() if name != "reason"} | {
        "schema": 1,
        "settings": settings,
    }
    report = Report.from_json(old)
    assert (report.runs, report.reason) == (1, "")


def test_several_runs_give_the_middle_one_and_an_interval() -> None:
    report = hit_pairs(backend_of("numpy"), ((40, 32),), block_size=4, runs=3, rounds=2)
    (row,) = report.rows
    assert report.runs == len(row["runs"]) == 3
    assert row["full"]["num"] == 6
    assert row["ratio_low"] <= row["ratio"] <= row["ratio_high"]
    assert row["ratio"] == pytest.approx(row["full"]["cpu_ms"] / row["hit"]["cpu_ms"], rel=0.02)
    assert row["saved"] == pytest.approx(1 - 1 / row["ratio"], abs=0.01)
    assert row["one"]["cpu_ms"] < row["full"]["cpu_ms"]


def test_stopping_between_runs_keeps_the_whole_ones() -> None:
    told: list[float] = []
    report = hit_pairs(
        backend_of("numpy"), ((40, 32),), block_size=4, runs=4, rounds=2, warm_ups=1,
        progress=told.append, cancelled=lambda: bool(told) and told[-1] >= 0.5,
    )  # fmt: skip
    assert not report.complete
    assert len(report.rows[0]["runs"]) == 2
    assert told == sorted(told)
