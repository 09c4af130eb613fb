"""The benchmark of logs, in small: every part runs, and its table says what it must."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import traces
from benchmarks.chat_log import chat_log
from core.replay.prefix_tree import build_tree


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> dict[str, traces.Result]:
    monkeypatch.setattr(traces, "GENERATED", 150)
    monkeypatch.setattr(traces, "LONG_LOG", 300)
    parts = {
        "curve": traces.part_curve(None),
        "fast": traces.part_fast(None),
        "long": traces.part_long(None),
    }
    parts["engine"] = traces.part_engine(None, parts["fast"]["slots"])
    return json.loads(json.dumps(parts))


def test_every_part_runs_and_the_ways_agree(results: dict[str, traces.Result]) -> None:
    lines = traces.report(results, None)
    assert "a seeded log of chats (no trace file here): 150 requests" in lines[0]
    assert any(line.endswith("slots of 16: the same") for line in lines)
    assert any("equals the exact replay on every request" in line for line in lines)
    assert results["fast"]["infinite_hit_rate"] >= results["fast"]["hit_rate"] > 0
    assert [figure.name for figure in traces.figures(results) if figure.limit] != []


def test_a_missed_aim_is_said(results: dict[str, traces.Result]) -> None:
    results["curve"]["cpu_curve_s"] = 0.75
    results["fast"]["digest"] = "another"
    lines = traces.report(results, Path("some.jsonl"))
    assert lines[0].startswith("some.jsonl")
    assert any(
        line.startswith("missed: the curve alone takes 0.750 CPU s, the aim is 0.5.") for line in lines
    )
    assert any(line.endswith("DIFFERENT") for line in lines)


def test_the_log_is_the_same_each_time_and_shares_as_chats_do() -> None:
    log = chat_log(400)
    assert log == chat_log(400)
    assert log != chat_log(400, seed=1)
    arrivals = [chain.arrival_s or 0.0 for chain in log]
    assert arrivals == sorted(arrivals)
    tree = build_tree(log, 512)
    assert 0.2 < sum(tree.matched) / sum(tree.num_full(request) for request in range(400)) < 0.7
