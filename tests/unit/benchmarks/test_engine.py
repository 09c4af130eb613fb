"""The engine's benchmark runs and says what it measured; a published trace gives its published hit rate."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import engine as benchmark
from core.engine.engine import Engine
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig

TRACE = [
    {"input_length": 1200, "hash_ids": [0, 1, 2]},
    {"input_length": 1024, "hash_ids": [0, 1]},
    {"input_length": 1600, "hash_ids": [0, 1, 2, 9]},
]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / benchmark.TRACE_NAME
    path.write_text("".join(json.dumps(entry) + "\n" for entry in TRACE), "utf-8")
    return path


def test_a_token_is_its_id_and_its_place(trace: Path) -> None:
    prompts = benchmark.trace_prompts(trace, None)
    assert [len(prompt) for prompt in prompts] == [1200, 1024, 1600]
    assert prompts[0][[0, 511, 512, 1199]].tolist() == [0, 511, 512, 1199]
    assert prompts[2][[1535, 1536, 1599]].tolist() == [1535, 9 * 512, 9 * 512 + 63]
    assert len(benchmark.trace_prompts(trace, 2)) == 2


def test_it_measures_every_row_at_both_block_sizes_and_reports(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "figures.json"
    assert benchmark.main(["--quick", "--trace", str(trace), "--json", str(out)]) == 0
    report = json.loads(out.read_text("utf-8"))
    assert (report["requests"], report["tokens"], report["source"]) == (3, 3824, benchmark.TRACE_NAME)
    measured = {(row["name"], row["block_size"]) for row in report["rows"]}
    assert measured == {(name, size) for name in benchmark.ROWS for size in benchmark.BLOCK_SIZES}
    rates = {row["block_size"]: row["hit_rate"] for row in report["rows"] if row["name"] == "engine"}
    # 512: request 2 reuses one block (its last token is computed), request 3 two. 16: 63 and 75 blocks.
    assert rates == {512: 1536 / 3824, 16: (63 + 75) * 16 / 3824}
    printed, progress = capsys.readouterr()
    assert all(name in printed for name in benchmark.ROWS)
    assert "10/10" in progress


def test_without_a_trace_made_up_prompts_are_measured_and_said_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(benchmark, "find_trace", lambda given: None)
    assert benchmark.main(["--quick", "--requests", "2"]) == 0
    assert "MADE-UP" in capsys.readouterr().out


def test_a_trace_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark.main(["--trace", "nowhere.jsonl"]) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err


def test_the_folder_of_traces_can_be_named(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROTH_TRACES", str(trace.parent))
    assert benchmark.find_trace(None) == trace


@pytest.mark.slow
def test_the_published_trace_gives_its_published_hit_rate() -> None:
    """Conversation trace of Mooncake, unlimited pool, blocks of 512: 37.338 % of all tokens, full blocks."""
    path = benchmark.find_trace(None)
    if path is None:
        pytest.skip("no conversation trace in BROTH_TRACES or ../shared/traces")
    prompts = benchmark.trace_prompts(path, None)
    assert len(prompts) == 12_031
    assert sum(map(len, prompts)) == 144_793_823
    num_blocks = int(max(int(prompt.max()) for prompt in prompts)) // 512 + 12_031
    engine = Engine(
        EngineConfig(block_size=512, num_blocks=num_blocks, max_num_batched_tokens=10**6), block_events=False
    )
    for number, prompt in enumerate(prompts):
        engine.submit(benchmark.as_request(number, np.asarray(prompt)))
        engine.run()
    totals = take_snapshot(engine)["totals"]
    assert round(100 * totals["hits"] / totals["queries"], 3) == 37.338
