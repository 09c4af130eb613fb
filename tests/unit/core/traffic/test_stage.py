"""A request of a log on the stage: small, and missed for the reason that the whole log gives."""

from __future__ import annotations

import pytest

from core.engine.events import RequestAdmitted
from core.scenario.scenario import run
from core.timeline.diagnose import explain
from core.traffic.analysis import analyse, misses_of
from core.traffic.settings import Settings
from core.traffic.stage import MOST_BLOCK, scene_around
from tests.unit.core.traces.logs import read_rows
from tests.unit.core.traffic.test_traffic import OPTIONS, sample
from ui.stage.payload import MAX_STEPS, stage_log

SAME = {
    "differs": {"chain_broken", "never_seen"},
    "grown": {"never_seen", "chain_broken"},
    "first": {"never_seen"},
    "evicted": {"evicted"},
    "all": {"not_full", "last_token"},
    "too_short": {"not_full", "last_token"},
}


@pytest.mark.parametrize("slots", [None, 150])
def test_the_stage_shows_the_reason_of_the_log(slots: int | None) -> None:
    analysis = analyse(sample(), Settings(16, slots))
    misses = misses_of(analysis)
    for number in range(0, len(misses), 8):
        scene = scene_around(analysis, misses, number, OPTIONS.tokenizer)
        log = run(scene.scenario)
        at = max(place for place, event in enumerate(log.events) if isinstance(event, RequestAdmitted))
        assert explain(log)[at].kind in SAME[misses[number].reason]
        shown = stage_log(scene.scenario, log, "title")
        assert 0 < len(shown["events"]) < MAX_STEPS / 4
        assert scene.request_id in shown["pieces"]
        assert len(shown["pieces"][scene.request_id]) <= 8 * 16


def test_blocks_of_a_log_without_text_are_cut_short() -> None:
    rows = [
        {"timestamp": k, "input_length": 6000, "output_length": 1, "hash_ids": [*range(10), 20 + k, 40 + k]}
        for k in range(3)
    ]
    analysis = analyse(read_rows(*rows), Settings(512))
    scene = scene_around(analysis, misses_of(analysis), 2, OPTIONS.tokenizer)
    assert (scene.shown_block_size, scene.left_out_blocks) == (MOST_BLOCK, 5)
    log = run(scene.scenario)
    admitted = [event for event in log.events if isinstance(event, RequestAdmitted)]
    assert [event.hit_tokens for event in admitted] == [0, 5 * MOST_BLOCK]
