"""How time is taken: turns in random order, warm-ups thrown away, disturbance marked, stopping, budgets."""

from __future__ import annotations

import gc

import pytest

from core.backends.base import PrefillResult
from core.backends.experiments.fit import fit_terms
from core.backends.experiments.measure import Work, no_garbage_collection, seconds_of, summarise, take_turns
from core.backends.spec import SIZES
from core.errors import BackendError
from tests.unit.core.backends.fakes import took


def recorded(name: str, log: list[str], wall_s: float = 0.01) -> Work:
    def work(number: int) -> PrefillResult:
        log.append(f"{name}{number}")
        return took(wall_s * (1 + number), wall_s)

    return work


def test_everybody_runs_once_a_round_in_an_order_that_changes() -> None:
    log: list[str] = []
    works = {name: recorded(name, log) for name in "abcd"}
    take_turns(works, rounds=6, warm_ups=2, seed=1)
    rounds = [log[i : i + 4] for i in range(0, len(log), 4)]
    assert len(rounds) == 8
    for number, names in enumerate(rounds):
        assert sorted(names) == [f"{name}{number}" for name in "abcd"]
    assert len({tuple(name[0] for name in names) for names in rounds}) > 3
    again: list[str] = []
    take_turns({name: recorded(name, again) for name in "abcd"}, rounds=6, warm_ups=2, seed=1)
    assert again == log


def test_warm_ups_do_not_count() -> None:
    log: list[str] = []
    done = take_turns({"a": recorded("a", log)}, rounds=3, warm_ups=2)
    assert [result.wall_s for result in done.results["a"]] == pytest.approx([0.03, 0.04, 0.05])
    assert done.complete


def test_median_spread_and_disturbance() -> None:
    timing = summarise([took(0.010, 0.009), took(0.030, 0.012), took(0.012, 0.011)])
    assert (timing.num, timing.wall_ms, timing.cpu_ms) == (3, pytest.approx(12), pytest.approx(11))
    assert (timing.wall_low_ms, timing.wall_high_ms) == (pytest.approx(10), pytest.approx(30))
    assert timing.ms == timing.cpu_ms
    assert not timing.disturbed  # one bad round of three
    assert summarise([took(0.03, 0.012), took(0.013, 0.01)]).disturbed
    gpu = summarise([took(0.010), took(0.020)])
    assert (gpu.ms, gpu.cpu_ms, gpu.disturbed) == (pytest.approx(15), None, False)


def test_a_ratio_compares_each_round_with_itself() -> None:
    """A slow minute that hits both sides alike must not look like a difference."""

    def slow(number: int) -> PrefillResult:
        return took(0.4 * (1 + number), 0.4 * (1 + number))

    def fast(number: int) -> PrefillResult:
        return took(0.1 * (1 + number), 0.1 * (1 + number))

    done = take_turns({"slow": slow, "fast": fast}, rounds=5, warm_ups=0)
    assert done.ratio("slow", "fast") == pytest.approx((4, 4, 4))


def test_a_cpu_time_too_short_to_be_seen_gives_way_to_the_wall() -> None:
    assert seconds_of(took(0.2, 0.1)) == 0.1
    assert seconds_of(took(0.2, 0.0)) == seconds_of(took(0.2)) == 0.2
    assert summarise([took(0.2, 0.0)]).ms == pytest.approx(200)


def test_stopping_keeps_whole_rounds() -> None:
    log: list[str] = []
    works = {name: recorded(name, log) for name in "ab"}
    done = take_turns(works, rounds=9, warm_ups=1, cancelled=lambda: len(log) >= 7)
    assert not done.complete
    assert {name: len(runs) for name, runs in done.results.items()} == {"a": 2, "b": 2}


def test_stopping_before_the_first_round_is_whole_leaves_nothing() -> None:
    log: list[str] = []
    with pytest.raises(BackendError) as caught:
        take_turns({name: recorded(name, log) for name in "ab"}, cancelled=lambda: len(log) >= 5)
    assert caught.value.code == "backend.cancelled"


def test_progress_rises_to_one() -> None:
    told: list[float] = []
    take_turns({name: recorded(name, []) for name in "ab"}, rounds=3, warm_ups=1, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(told) >= 8


def test_a_budget_ends_after_a_whole_round() -> None:
    log: list[str] = []
    done = take_turns({name: recorded(name, log) for name in "ab"}, rounds=50, warm_ups=1, budget_s=0)
    assert len(done.results["a"]) == len(done.results["b"]) < 50
    assert done.complete


def test_at_least_one_round_counts_whatever_the_budget() -> None:
    done = take_turns({"a": recorded("a", [])}, rounds=5, warm_ups=3, budget_s=0)
    assert len(done.results["a"]) == 1


def test_the_garbage_collector_waits_and_comes_back() -> None:
    assert gc.isenabled()
    with no_garbage_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with no_garbage_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


# -- the three terms ----------------------------------------------------------------------------------------


def test_the_terms_that_made_the_times_are_found() -> None:
    spec = SIZES["S"]
    points = []
    for hit in range(0, 640, 64):
        new = 640 - hit
        ms = 3.0 + spec.linear_flops(new) / 1e6 / 60 + spec.attention_flops(new, hit) / 1e6 / 20
        points.append((new, hit, ms))
    fit = fit_terms(spec, points)
    assert (fit.fixed_ms, fit.linear_gflops_s) == (pytest.approx(3, rel=1e-3), pytest.approx(60, rel=1e-3))
    assert fit.attention_gflops_s == pytest.approx(20, rel=1e-3)
    assert fit.worst_error < 1e-6


def test_a_term_that_is_not_there_is_not_invented() -> None:
    spec = SIZES["S"]
    points = [(640 - h, h, spec.linear_flops(640 - h) / 1e6 / 60) for h in range(0, 640, 64)]
    fit = fit_terms(spec, points)
    assert fit.fixed_ms == pytest.approx(0, abs=1e-6)
    assert fit.linear_gflops_s == pytest.approx(60)
    assert fit.worst_error < 1e-6
