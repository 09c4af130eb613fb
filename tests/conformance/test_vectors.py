"""The engine against vLLM's recorded outcomes: every recorded field of every operation is equal.

The recordings in data/ come from vLLM's own cache manager and scheduler: the first ones from 0.32 (0.33 gives
the same), `v033_…` and `priority_small` from 0.33. The cases are hand-written, after public questions and bug
reports. New recordings are made and compared by `python -m tests.fidelity`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.conformance import cache_replay, case_ops, case_schedule, check, sched_replay
from core.engine.engine import Engine
from core.engine.events import Event
from core.timeline.fold import fold
from core.timeline.frame import engine_part, initial_frame
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig

DATA = Path(__file__).parent / "data"
ROOT = DATA.parents[2]
CACHE_FILES = (
    "hand",
    "random_chat",
    "random_mixed",
    "random_rag",
    "random_random",
    "random_system",
    "random_template",
)
# Of vLLM 0.33: tiny pools, odd block sizes, keys, evictions from outside, long runs, priorities.
NEWER_FILES = {
    "v033_cache": "112 scenarios, 12176 operations",
    "v033_sched": "61 scenarios, 10961 operations",
    "v033_priority": "51 scenarios, 4950 operations",
    "priority_small": "16 scenarios, 95 operations",  # each finds another fault: test_mutations.py
}
REPLAYS = (cache_replay, sched_replay, case_ops, case_schedule)


def data(name: str) -> Path:
    return DATA / f"{name}.jsonl.gz"


def recorded(name: str) -> Iterator[dict[str, Any]]:
    """The lines of a file, read without the code under test."""
    with gzip.open(data(name), "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def use_engine(monkeypatch: pytest.MonkeyPatch, engine: Callable[..., Engine]) -> None:
    for replay in REPLAYS:
        monkeypatch.setattr(replay, "Engine", engine)


@pytest.mark.parametrize("name", CACHE_FILES)
def test_cache_scenarios(name: str) -> None:
    report = check([data(name)])
    scenarios = list(recorded(name))
    assert [str(mismatch) for mismatch in report.mismatches] == []
    assert report.errors == []
    assert report.num_scenarios == len(scenarios)
    assert report.num_operations == sum(len(scenario["ops"]) for scenario in scenarios)


def test_all_cache_scenarios_are_there() -> None:
    scenarios = [scenario for name in CACHE_FILES for scenario in recorded(name)]
    assert (len(scenarios), sum(len(scenario["ops"]) for scenario in scenarios)) == (410, 15_379)


def test_scheduler_scenarios() -> None:
    report = check([data("sched")])
    assert str(report) == "61 scenarios, 2276 operations, 0 mismatches, 0 skipped"
    assert report.errors == []


def test_the_papers_say_what_is_there() -> None:
    """README and docs/fidelity.md name the number of scenarios and operations that are replayed."""
    names = [*CACHE_FILES, "sched", *NEWER_FILES]
    scenarios = [scenario for name in names for scenario in recorded(name)]
    num_operations = sum(len(scenario["ops"]) for scenario in scenarios)
    told = f"{len(scenarios)} recorded scenarios with {num_operations:,} operations"
    for paper in ("README.md", "docs/fidelity.md"):
        assert told in " ".join((ROOT / paper).read_text("utf-8").split()), told


@pytest.mark.parametrize("name", NEWER_FILES)
def test_scenarios_of_033(name: str) -> None:
    report = check([data(name)])
    assert [str(mismatch) for mismatch in report.mismatches] == []
    assert str(report) == f"{NEWER_FILES[name]}, 0 mismatches, 0 skipped"
    assert report.errors == []


def test_cases() -> None:
    report = check([data("cases")])
    assert [str(mismatch) for mismatch in report.mismatches] == []
    assert (report.num_scenarios, report.num_skipped, report.errors) == (34, 0, [])


class FoldedEngine(Engine):
    """Folds its log along: before each command, and at the end, the frame must be the engine's own state."""

    def __init__(self, made: list[FoldedEngine], config: EngineConfig, emit: Callable[[Event], None]) -> None:
        self.frame = initial_frame(config)
        self.tell = emit
        self.num_compared = 0
        made.append(self)
        super().__init__(config, emit=self.heard)

    def heard(self, event: Event) -> None:
        self.frame = fold(self.frame, event)
        self.tell(event)

    def compare(self) -> None:
        assert engine_part(self.frame) == take_snapshot(self)
        self.check()
        self.num_compared += 1

    def _tick(self, ticks: int = 1, *, waited: bool = False) -> None:
        self.compare()
        super()._tick(ticks, waited=waited)


SLOWER_FILES = [
    pytest.param(name, marks=pytest.mark.slow) for name in (*CACHE_FILES[1:], "v033_cache", "v033_priority")
]


@pytest.mark.parametrize("name", ["hand", "sched", "cases", *SLOWER_FILES])
def test_the_folded_log_is_the_engines_state(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[FoldedEngine] = []
    use_engine(monkeypatch, partial(FoldedEngine, made))
    report = check([data(name)])
    for engine in made:
        engine.compare()
    assert report.mismatches == []
    assert sum(engine.num_compared for engine in made) >= report.num_operations + len(made)


NEED_BLOCK_EVENTS = {"new", "evicted", "cached", "released", "events", "tables"}


@pytest.mark.parametrize("name", ["hand", "random_chat", "sched"])
def test_without_block_events_the_engine_does_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quiet engine takes other paths through the code; what needs no block event stays equal."""
    use_engine(monkeypatch, partial(Engine, block_events=False))
    report = check([data(name)])
    assert report.mismatches  # nothing is told about blocks, so the run really was quiet
    assert {mismatch.field for mismatch in report.mismatches} <= NEED_BLOCK_EVENTS
    assert report.num_operations == sum(len(scenario["ops"]) for scenario in recorded(name))
