"""The results that are shown before anybody measures: readable, labelled, in agreement with the lesson."""

from __future__ import annotations

import datetime
import json
from itertools import pairwise
from pathlib import Path

import pytest

from core.backends.experiments.break_reports import Story
from core.backends.experiments.report import Report
from core.backends.experiments.standing import REASONS, leaves
from ui.prefill.experiments import kept

FOLDER = Path(__file__).resolve().parents[4] / "assets" / "measured"
STORIES = [Story(**story) for story in json.loads((FOLDER / "stories.json").read_text("utf-8"))]
REPORTS = {
    f"{report.device} {report.backend} {report.model} {report.experiment}": report for report in kept()
}


def of(experiment: str) -> list[Report]:
    """Those of CPUs: a GPU's are held to what all are held to."""
    found = [one for one in REPORTS.values() if one.experiment == experiment and one.threads == 1]
    assert found
    return found


@pytest.mark.parametrize("name", REPORTS)
def test_a_kept_result_says_what_made_it(name: str) -> None:
    report = REPORTS[name]
    assert report.complete
    assert report.threads != 1 or report.dtype == "float32"
    assert report.device
    assert datetime.date.fromisoformat(report.date)
    assert {"python", "numpy", "system"} <= set(report.versions)
    assert ("torch" in report.versions) == (report.backend == "torch")
    assert report.rows
    if report.equality is not None:
        assert report.equality.equal


@pytest.mark.parametrize("name", REPORTS)
def test_a_kept_result_is_what_counted_flops_say_or_tells_why_not(name: str) -> None:
    """A headline of 4.45 came from one lucky run and stood above the FLOPs' 4.36, under a sentence that
    said it lies below."""
    report = REPORTS[name]
    assert report.reason in ("", *REASONS)
    assert not leaves(report) or report.reason, (
        "its interval leaves the FLOPs: measure again, or find out why"
    )
    if "runs" in report.settings:
        assert report.runs >= 3


@pytest.mark.parametrize("name", REPORTS)
def test_a_kept_result_was_measured_while_nobody_disturbed_it(name: str) -> None:
    assert not REPORTS[name].disturbed, "measure again on a quiet machine"


@pytest.mark.parametrize("name", REPORTS)
def test_what_is_shown_of_a_kept_result_divides(name: str) -> None:
    """Whoever takes a calculator to the milliseconds finds the ratio and the share that stand beside them."""
    report = REPORTS[name]
    pairs: list[tuple[float, float, float]] = []
    if report.experiment in ("pair", "long", "saving"):
        for row in report.rows:
            pairs.append((row["full"]["cpu_ms"], row["hit"]["cpu_ms"], row["ratio"]))
            assert row["saved"] == pytest.approx(1 - row["hit"]["cpu_ms"] / row["full"]["cpu_ms"], abs=0.005)
    elif report.experiment == "sweep":
        pairs = [(report.rows[0]["ms"], row["ms"], row["measured"]) for row in report.rows]
    elif report.experiment == "decode":
        pairs = [(row["without"]["cpu_ms"], row["with"]["cpu_ms"], row["ratio"]) for row in report.rows]
    elif report.experiment == "users":
        cache, none = (row["total_ms"] for row in report.rows)
        pairs = [(none, cache, report.summary["ratio"])]
    for slow, fast, ratio in pairs:
        assert ratio == pytest.approx(slow / fast, rel=0.012)


@pytest.mark.parametrize("name", REPORTS)
def test_no_engine_is_quicker_than_its_hit_allows(name: str) -> None:
    """Where it says how much was cached: counting tokens is the most that a hit can give, but for noise."""
    report = REPORTS[name]
    for row in report.rows if report.experiment == "engines" else ():
        if row["part"] == "sweep" and row["cached_share"] is not None:
            assert row["ratio_low"] <= 1.1 / (1 - row["cached_share"]), row


def test_a_hit_is_faster_and_less_so_than_counting_promises() -> None:
    for report in of("pair"):
        row = report.rows[0]
        assert (row["total"], row["hit_tokens"], row["linear"]) == (640, 512, 5)
        assert 2 < row["ratio"] < row["linear"]


def test_the_sweep_rises() -> None:
    """Neighbours may lie within each other's noise; the whole may not."""
    for report in of("sweep"):
        measured = [row["measured"] for row in report.rows]
        assert measured[0] == 1
        assert all(later > 0.9 * earlier for earlier, later in pairwise(measured))
        assert all(row["measured"] <= row["linear"] * 1.1 for row in report.rows)
        assert 5 < measured[-1] < report.rows[-1]["linear"]


def test_users_long_and_decode() -> None:
    for report in of("users"):
        assert [row["computed_tokens"] for row in report.rows] == [13_312, 64_000]
        assert 2 < report.summary["ratio"] < report.summary["tokens_ratio"]
    for report in of("long"):
        assert 10 < report.rows[0]["ratio"] < 65
    for report in of("decode"):
        ratios = [row["ratio"] for row in report.rows]
        assert ratios == sorted(ratios)


def test_the_wrong_reuse_is_wrong() -> None:
    chained, content = of("documents")[0].rows
    assert chained["wrong"] == 0 < content["wrong"]
    assert chained["hit_rate"] < content["hit_rate"]
    first, *above = of("breaks")[0].rows
    assert first["in_place_value"] < 1e-6 < 0.01 < min(row["in_place_value"] for row in above)


def test_stories_are_those_that_were_told() -> None:
    report = of("astray")[0]
    told = [(row["story_id"], row["prompt"], row["other_prompt"]) for row in report.rows]
    assert told == [(story.story_id, story.prompt, story.other_prompt) for story in STORIES]
    assert any(row["diverges_at"] == 1 for row in report.rows)
    assert all((row["diverges_at"] is None) == (row["honest"] == row["broken"]) for row in report.rows)
