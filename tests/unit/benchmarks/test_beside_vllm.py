"""The benchmark beside vLLM: what it serves, what it refuses, and what it does where there is no vLLM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import beside_vllm as benchmark
from benchmarks.beside_vllm import Run, Setting
from benchmarks.race import ADAPTER, OurSide, Prompt, prompt_of, race
from core.types import MultiModalItem

TOKENS = np.arange(5_000, dtype=np.uint32)


def prompts(*lengths: int) -> list[Prompt]:
    return [Prompt(TOKENS[:length]) for length in lengths]


def test_prompts_share_images_as_far_as_they_share_tokens() -> None:
    assert prompt_of(TOKENS, "plain") == Prompt(TOKENS, False, ())
    assert prompt_of(TOKENS, "adapter").has_adapter
    images = prompt_of(TOKENS, "images").images
    assert images == tuple(MultiModalItem(f"image {place}", place, 576) for place in (100, 2_148, 4_196))
    other = TOKENS.copy()
    other[2_000:] += 1
    assert prompt_of(other, "images").images[0] == images[0]
    assert not set(prompt_of(other, "images").images[1:]) & set(images)
    assert prompt_of(TOKENS[:600], "images").images == ()


@pytest.mark.parametrize(("in_flight", "num_running"), [(0, 0), (2, 2), (9, 4)])
def test_each_side_serves_every_prompt_and_holds_as_many_as_it_may(in_flight: int, num_running: int) -> None:
    sides = {"list": OurSide(99, 16, "silent"), "numpy": OurSide(99, 16, "KV events")}
    seconds = race(dict(sides), prompts(160, 160, 100, 161), in_flight)
    assert all(spent > 0 for spent in seconds.values())
    for side in sides.values():
        assert side.hits == [0, 144, 96, 160]
        assert side.num_running == num_running


def test_the_oldest_go_while_there_is_no_room() -> None:
    side = OurSide(12, 16, "silent")  # 11 usable
    race({"list": side}, [Prompt(TOKENS[:96]), Prompt(TOKENS[96:256])], 32)
    assert side.num_running == 1


def test_sides_that_do_not_agree_are_refused() -> None:
    served = prompts(160, 160)
    with pytest.raises(AssertionError, match="hits"):
        race({"list": OurSide(99, 16, "silent"), "numpy": OurSide(99, 32, "silent")}, served, 0)
    with pytest.raises(AssertionError, match="free queues"):
        race({"list": OurSide(99, 16, "silent"), "numpy": OurSide(98, 16, "silent")}, served, 0)


def test_a_ratio_says_how_much_faster_we_are_or_how_far_from_bare_calls() -> None:
    setting = Setting(16, "silent", "plain", 0)
    assert Run(setting, {"list": 2.0, "numpy": 1.0, "vllm": 8.0}, 1).ratio("list") == 4
    assert Run(setting, {"list": 8.0, "numpy": 1.0, "bare": 2.0}, 1).ratio("list") == 4
    assert (benchmark.spread([3.04, 2.96]), benchmark.spread([3.31, 2.0, 3.0])) == ("3.0", "2.0–3.3")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.jsonl"
    entries = [{"input_length": 1200, "hash_ids": [0, 1, number]} for number in range(4)]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    return path


def test_without_vllm_it_says_so_and_measures_beside_bare_calls(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(benchmark, "vllm_side", lambda: None)
    monkeypatch.setattr(benchmark, "NUM_BLOCKS", 500)
    out = tmp_path / "figures.json"
    assert benchmark.main(["--quick", "--trace", str(trace), "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "NOT INSTALLED" in printed
    assert "| all events, images |" in printed
    runs = json.loads(out.read_text("utf-8"))["runs"]
    assert len(runs) == 2 * 3 * 3 * 2
    assert {tuple(run["seconds"]) for run in runs} == {("list", "numpy", "bare")}
    assert {run["num_blocks"] for run in runs} == {4 * (1200 // 16), 4 * (1200 // 512)}


def test_with_vllm_every_setting_has_its_events_and_extras(
    trace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another engine of ours stands for vLLM's manager."""
    asked: list[tuple[int, bool, Any]] = []

    class Other(OurSide):
        def __init__(self, num_blocks: int, block_size: int, *, kv_events: bool) -> None:
            super().__init__(num_blocks, block_size, "silent")
            self.sort = (block_size, kv_events)

        def serve(self, number: int, tokens: Any, extras: dict[str, Any]) -> None:
            assert isinstance(tokens, list)
            asked.append((*self.sort, extras["lora"] or bool(extras["mm"])))
            super().serve(number, tokens, extras)

    monkeypatch.setattr(benchmark, "vllm_side", lambda: Other)
    monkeypatch.setattr(benchmark, "NUM_BLOCKS", 500)
    prompt = [np.asarray(TOKENS)]
    table = benchmark.table(benchmark.measure(prompt, 1, 1))
    assert table.count("\n") == 1 + 3 * 3
    kinds = (False, ADAPTER, True)
    assert set(asked) == {
        (size, told, kind) for size in (16, 512) for told in (False, True) for kind in kinds
    }
    assert "round 1 of 1" in capsys.readouterr().err
