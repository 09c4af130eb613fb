"""A whole run for real: every scenario of the lab is computed, each answer is that of a run without cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.backends.experiments.timed_log import time_log
from core.engine.events import BlockComputed
from core.errors import BackendError
from core.scenario.reader import load_scenario
from core.scenario.scenario import run
from tests.unit.core.backends.tiny import backend_of

SCENARIOS = sorted((Path(__file__).resolve().parents[4] / "assets" / "scenarios").glob("*.json"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_scenario_computes_for_real(path: Path) -> None:
    """Scenarios whose hash is made to collide read wrong blocks: that is what they show."""
    scenario = load_scenario(path.read_text("utf-8"), name=path.name)
    log = run(scenario)
    timed = time_log(backend_of("numpy"), log, verify=True)
    assert timed
    for each in timed:
        assert each.wall_ms > 0
        assert each.difference is not None
        if scenario.config.hash_name != "weak":
            assert each.difference.equal, each.plan
        if each.position is not None:
            told = log.events[each.position]
            assert isinstance(told, BlockComputed)
            assert told.request_id == each.plan.request_id


def test_progress_and_stopping() -> None:
    log = run(load_scenario(SCENARIOS[0].read_text("utf-8"), name="one"))
    told: list[float] = []
    timed = time_log(backend_of("numpy"), log, progress=told.append)
    assert told[-1] == 1
    assert len(told) == len(timed)
    assert timed[0].difference is None
    with pytest.raises(BackendError) as caught:
        time_log(backend_of("numpy"), log, cancelled=lambda: True)
    assert caught.value.code == "backend.cancelled"
