"""The table of routing policies is made, over a trace and without one, and says which."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import cluster as benchmark
from core.cluster.jobs import Recorded
from core.cluster.routers.catalogue import ROUTERS


def test_without_a_trace_made_up_conversations_are_measured_and_said_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(benchmark, "find_trace", lambda given: None)
    out = tmp_path / "table.json"
    assert benchmark.main(["--requests", "60", "--replicas", "1,3", "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "MADE-UP" in printed
    rows = json.loads(out.read_text("utf-8"))["rows"]
    assert [(row["router"], row["replicas"]) for row in rows] == [(n, k) for k in (1, 3) for n in ROUTERS]
    assert all(row["rates"]["delivered"] <= 1 for row in rows)
    assert len({row["rates"]["available"] for row in rows}) == 1
    assert len({row["rates"]["captured"] for row in rows if row["replicas"] == 1}) == 1


def test_a_trace_is_read_and_its_ticks_are_spread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = [
        {"timestamp": 3000 * (at // 3), "input_length": 1200, "output_length": 9, "hash_ids": [0, 1, 5 + at]}
        for at in range(9)
    ]
    path = tmp_path / "some.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    jobs = benchmark.trace_jobs(path, None, 1)
    assert [job.arrival.at_s for job in jobs] == pytest.approx(list(range(9)))
    assert [job.arrival.num_prompt for job in jobs] == [1200] * 9
    arguments = ["--trace", str(path), "--replicas", "2", "--routers", "oracle", "--pace", "card"]
    assert benchmark.main(arguments) == 0
    assert "some.jsonl, 9 requests" in capsys.readouterr().out


def test_what_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark.main(["--trace", "nowhere.jsonl"]) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        benchmark.main(["--routers", "best"])
    assert "best" in capsys.readouterr().err


def test_a_single_request_stands_where_it_was() -> None:
    assert benchmark.spread([Recorded(6.0, 5, 1, [1])])[0].at_s == 6.0
