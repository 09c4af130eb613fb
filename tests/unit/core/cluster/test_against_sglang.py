"""Every decision of sglang-router 0.3.2 itself, decided again (benchmarks/against_sglang_router.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import against_sglang_router as recorder
from core.cluster.routers.sglang import CacheAware, Settings

RECORDING = json.loads((Path(__file__).parent / "data" / "sglang_router.json").read_text("utf-8"))


def test_every_decision_is_the_same_and_every_rule_had_its_turn() -> None:
    assert RECORDING["sglang_router"] == "0.3.2"
    differs, why = recorder.first_difference(RECORDING["told"])
    assert differs is None
    assert sum(why.values()) == 300
    assert min(why["below_threshold"], why["matched"], why["imbalanced"]) > 20


@pytest.mark.parametrize("wrong", ["ties", "threshold", "abs", "first_owner", "not_inserted"])
def test_a_rule_that_is_broken_is_noticed(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(CacheAware):
        def __init__(self, settings: Settings, *, first_of_equals: bool = True) -> None:
            changed = {"threshold": Settings(0.5, 2, 1.5), "abs": Settings(0.3, 3, 1.5)}
            super().__init__(changed.get(wrong, settings), first_of_equals=wrong != "ties")

        def _tenant(self, node):  # type: ignore[no-untyped-def]
            return max(node.owners) if wrong == "first_owner" else super()._tenant(node)

        def _send(self, ask, worker, scores, why):  # type: ignore[no-untyped-def]
            if wrong == "not_inserted" and why == "imbalanced":
                ask.units = ask.units[:1]
            return super()._send(ask, worker, scores, why)

    monkeypatch.setattr(recorder, "CacheAware", Broken)
    assert recorder.first_difference(RECORDING["told"])[0] is not None
