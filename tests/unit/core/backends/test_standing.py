"""A measured ratio beside counted FLOPs: where it stands, which reasons hold, classes of machines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.backends.base import PrefillResult
from core.backends.decoders import device
from core.backends.experiments.fit import Fit
from core.backends.experiments.hits import hit_pairs
from core.backends.experiments.machines import machine_of, nearest
from core.backends.experiments.measure import Rounds, take_turns
from core.backends.experiments.report import Report
from core.backends.experiments.runs import Runs, settle, take_runs
from core.backends.experiments.standing import leaves, reason, standing, two_digits
from core.backends.memory import page_faults
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress
from core.backends.spec import SIZES
from core.errors import BackendError
from tests.unit.core.backends.fakes import took
from tests.unit.core.backends.tiny import backend_of

SPEC = SIZES["S"]
EVEN = Fit(0.0, 100.0, 100.0, 0.0)
"""A machine that computes FLOPs and knows nothing else."""


@pytest.mark.parametrize(
    ("low", "high", "flops", "where"),
    [
        (3.9, 4.0, 4.36, "below"),
        (3.9, 4.4, 4.36, "within"),
        (4.5, 4.7, 4.36, "above"),
        (2.2, 2.2, 2.25, "within"),
    ],
)
def test_where_an_interval_stands(low: float, high: float, flops: float, where: str) -> None:
    assert standing(low, high, flops) == where


@pytest.fixture(scope="module")
def pair() -> Report:
    return hit_pairs(backend_of("numpy"), ((640, 512),), runs=1, rounds=1, warm_ups=0)


def told(pair: Report, ratio: float, full: dict[str, Any], one: float = 0.0) -> Report:
    """As if it had been measured on S: a ratio known to two digits."""
    row = {**pair.rows[0], "ratio_low": ratio, "ratio_high": ratio, "flops": 4.36}
    row["full"], row["hit"] = {**row["full"], **full}, {**row["hit"], "faults": 0.0}
    row["one"] = {**row["one"], "cpu_ms": one}
    return replace(pair, rows=(row,))


def test_the_fit_explains_what_it_gives_and_nothing_else(pair: Report) -> None:
    slow = Fit(1.2, 107.0, 101.0, 0.01)
    assert reason(told(pair, 3.9, {}), SPEC, slow) == "fit"
    assert reason(told(pair, 3.0, {}), SPEC, slow) == ""
    within = told(pair, 4.4, {})
    assert not leaves(within)
    assert leaves(told(pair, 3.9, {}))


def test_the_least_pass_explains_a_fixed_part_that_the_fit_does_not_see(pair: Report) -> None:
    """100 ms in all of which 10 ms do not shrink: 100 / (10 + 90 / 4.36) is about 3.1."""
    assert reason(told(pair, 3.1, {"cpu_ms": 100.0}, one=10.0), SPEC, EVEN) == "least"
    assert reason(told(pair, 3.9, {"cpu_ms": 100.0}, one=10.0), SPEC, EVEN) == ""


def test_above_the_flops_takes_page_faults_or_stays_unexplained(pair: Report) -> None:
    """The first run of a process: 3,550 faults of 1.7 µs in each long pass, none in the short one."""
    assert reason(told(pair, 4.9, {"cpu_ms": 53.0, "faults": 3550.0}), SPEC, EVEN) == "faults"
    assert reason(told(pair, 4.9, {"cpu_ms": 53.0, "faults": 40.0}), SPEC, EVEN) == ""


# -- runs ---------------------------------------------------------------------------------------------------


def run_of(ratio: float) -> Rounds:
    return Rounds({"slow": [took(ratio, ratio)], "fast": [took(1.0, 1.0)]}, True)


def test_the_middle_run_is_not_moved_by_a_lucky_one() -> None:
    runs = Runs([run_of(ratio) for ratio in (3.9, 4.5, 4.0, 3.8, 3.9)], True)
    middle = runs.middle([("slow", "fast")])
    assert runs.ratio("slow", "fast", middle) == (3.9, 3.8, 4.5)
    timing = runs.timing("slow", middle)
    assert (timing.num, timing.cpu_ms, timing.cpu_low_ms, timing.cpu_high_ms) == (5, 3900, 3800, 4500)


def test_what_is_shown_of_the_middle_run_divides() -> None:
    """The medians of both sides come from different runs here: 12 / 4 is nobody's ratio."""
    pairs = ((8.0, 2.0), (12.0, 4.0), (15.0, 5.5))
    each = [Rounds({"slow": [took(slow, slow)], "fast": [took(fast, fast)]}, True) for slow, fast in pairs]
    runs = Runs(each, True)
    middle = runs.middle([("slow", "fast")])
    ratio, low, high = runs.ratio("slow", "fast", middle)
    assert ratio == runs.timing("slow", middle).ms / runs.timing("fast", middle).ms == 3
    assert (low, high) == (15 / 5.5, 4)


def test_below_two_a_ratio_has_two_places() -> None:
    assert [two_digits(value) for value in (1.0771, 1.994, 2.04, 13.7)] == [1.08, 1.99, 2.0, 14.0]


def test_a_single_run_speaks_for_its_rounds() -> None:
    rounds = Rounds({"slow": [took(3.0, 3.0), took(5.0, 5.0)], "fast": [took(1.0, 1.0)] * 2}, True)
    assert Runs([rounds], True).ratio("slow", "fast", 0) == (4.0, 3.0, 5.0)


def test_runs_tell_their_progress_and_stop() -> None:
    seen: list[float] = []

    def one_run(_number: int, progress: Progress, cancelled: Cancelled) -> Rounds:
        def work(_round: int) -> PrefillResult:
            return took(0.01, 0.01)

        return take_turns({"a": work}, rounds=2, warm_ups=1, progress=progress, cancelled=cancelled)

    assert len(take_runs(one_run, 3, seen.append, never_cancelled).each) == 3
    assert seen == sorted(seen)
    assert seen[-1] == 1
    with pytest.raises(BackendError) as caught:
        take_runs(one_run, 3, no_progress, lambda: True)
    assert caught.value.code == "backend.cancelled"


def test_settled_memory_makes_no_page_faults() -> None:
    """Before, each long pass of a young process had thousands."""
    if page_faults() is None:
        pytest.skip("this system does not count page faults by thread; Linux does")
    backend = backend_of("numpy")
    settle(backend)
    faults = sorted(backend.recompute([1] * 640).faults or 0 for _ in range(5))
    assert faults[2] < 1000


# -- machines -----------------------------------------------------------------------------------------------


def test_machines_have_folders_of_their_own() -> None:
    assert machine_of("AMD EPYC, 2 cores").folder == "amd-epyc-2-cores"
    assert machine_of("Intel(R) Xeon(R), one, 1 core").cores == 1
    assert machine_of("NVIDIA H200").on_gpu
    assert not machine_of("Apple M2, 8 cores").on_gpu


def test_the_nearest_class_is_chosen(pair: Report) -> None:
    devices = ("AMD EPYC, 2 cores", "AMD EPYC, 64 cores", "Apple M2, 8 cores", "NVIDIA H200")
    reports = [replace(pair, device=device) for device in devices]

    def near(device: str) -> str:
        return nearest(reports, device)[0].device

    assert near("AMD EPYC, 2 cores") == "AMD EPYC, 2 cores"
    assert near("AMD EPYC, 48 cores") == "AMD EPYC, 64 cores"
    assert near("Ampere Altra, 8 cores") == "Apple M2, 8 cores"
    assert near("NVIDIA H100") == "NVIDIA H200"
    assert nearest([], "AMD EPYC, 2 cores") == []


@pytest.mark.parametrize(
    ("name", "told"),
    [("AMD EPYC", "AMD EPYC (family 26, model 2)"), ("AMD EPYC 9654", "AMD EPYC 9654")],
)
def test_a_name_without_a_number_gets_the_family(
    name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every EPYC behind a hypervisor calls itself alike: their times are not of one class."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: {name}\n", "utf-8")
    monkeypatch.setattr(device, "_CPUINFO", cpuinfo)
    assert device.cpu_name().startswith(f"{told}, ")
