"""The thumbnails on the preset cards say what the run then shows."""

from __future__ import annotations

import pytest

from tests.stage_runs import PRESETS, scenario_of, stage_log_of, steps_of
from ui.stage.presets import last_prompt


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_the_thumbnail_is_the_last_requests_plan(scenario_id: str) -> None:
    plan = [step for step in steps_of(scenario_id) if step["op"] == "plan"][-1]
    size = scenario_of(scenario_id).config.block_size
    assert last_prompt(scenario_id) == (plan["args"]["reused"], plan["args"]["need"], size)


@pytest.mark.parametrize(
    ("scenario_id", "expected"),
    [("P0", (3, 5, 4)), ("P1", (3, 1, 4)), ("P2", (0, 4, 4)), ("P6", (2, 1, 4)), ("bank", (1, 1, 16))],
)
def test_thumbnails_by_hand(scenario_id: str, expected: tuple[int, int, int]) -> None:
    assert last_prompt(scenario_id) == expected


@pytest.mark.parametrize("scenario_id", PRESETS)
def test_every_preset_ends_with_nobody_left(scenario_id: str) -> None:
    """Nobody waits for ever, nothing is refused: a lesson has an end."""
    ops = [step["op"] for step in steps_of(scenario_id)]
    assert ops.count("done") == ops.count("arrive")
    assert "reject" not in ops
    assert len(stage_log_of(scenario_id)["events"]) == len(ops)
