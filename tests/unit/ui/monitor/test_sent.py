"""The monitor over a bad line: whatever the line swallows, the picture is not left behind."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from core.load import LoadRun
from tests.unit.ui.monitor.test_monitor import SMALL
from ui.machine.machine import Machine
from ui.monitor.deeds import LoadPlan
from ui.monitor.payload import monitor_payload
from ui.monitor.run import LoadSession, follow
from ui.monitor.sent import AGAIN, MOST_AGAIN, Sent

CURVE = "hit_rate_total"


def short_run(most_bins: int = 40) -> LoadSession:
    """Its bins are merged at 40 s, 80 s, 160 s ..."""
    load = follow(LoadPlan(replace(SMALL, rate=0.5, pool=64)), Machine())
    load.run = LoadRun(load.run.spec, load.run.config, load.run.time_model, most_bins=most_bins)
    return load


@dataclass
class Browser:
    """What assets/monitor/buffer.js does with a message, once more."""

    generation: int = -1
    curve: list[float | None] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    def take(self, data: dict[str, Any]) -> bool:
        start: int = data["start"]
        anew = start == 0
        if not anew and (data["generation"] != self.generation or start > len(self.ends)):
            return False
        self.generation = data["generation"]
        self.ends[0 if anew else start :] = data["end_s"]
        self.curve[0 if anew else start :] = data["curves"][CURVE]
        return True


def held(load: LoadSession) -> tuple[list[float], list[float | None]]:
    whole = load.run.samples().to_json()
    return whole["end_s"], whole["curves"][CURVE]  # type: ignore[index,return-value]


@pytest.mark.parametrize("seed", range(4))
def test_clumps_and_lost_questions_never_leave_it_behind(seed: int) -> None:
    """Of each clump the browser draws the last message. Asked the same twice, Python answers twice."""
    dice = random.Random(seed)
    load, browser, behind, most_behind, merges = short_run(), Browser(), 0, 0, 0
    while load.run.now_s < 700:
        for _ in range(dice.choice([1, 1, 2, 5, AGAIN, AGAIN + 5])):
            load.run.advance(seconds=dice.choice([1, 4, 16]))
            data = monitor_payload(load, "en", None)["samples"]
        merges = data["generation"]
        if browser.take(data):
            behind = 0
            assert (browser.ends, browser.curve) == held(load)
        else:
            behind += 1
            if dice.random() < 0.7:  # else the question is lost
                load.hear({"press": 0, "playing": None, "lacks": True})
        most_behind = max(most_behind, behind)
    assert merges >= 5
    assert most_behind <= 6


def test_asked_again_with_the_same_words_it_answers_again() -> None:
    """The freeze: the answer was lost, and the second question was equal to the first."""
    load = short_run()
    for _ in range(3):
        for _ in range(load.sent.again + 1):
            load.run.advance(seconds=1)
            data = monitor_payload(load, "en", None)["samples"]
        load.hear({"press": 0, "playing": None, "lacks": True})
        assert monitor_payload(load, "en", None)["samples"]["start"] == 0
    assert data["generation"] >= 1


def test_merged_bins_come_whole_for_as_long_as_new_ones() -> None:
    sent = Sent()
    starts = [sent.since(generation=n >= 20, num_bins=40 + n) for n in range(40)]
    assert starts[:AGAIN] == [0] * AGAIN
    assert starts[AGAIN:20] == list(range(40, 40 + 20 - AGAIN))
    assert starts[20 : 20 + AGAIN] == [0] * AGAIN
    assert starts[20 + AGAIN :] == list(range(60, 60 + 20 - AGAIN))


def test_who_asks_often_gets_more_again_up_to_a_bound() -> None:
    sent = Sent()
    for _ in range(20):
        sent.asked()
    assert sent.again == MOST_AGAIN
    assert [sent.since(0, 5) for _ in range(MOST_AGAIN + 1)] == [0] * MOST_AGAIN + [5]


def test_a_press_counts_once_however_often_it_is_told() -> None:
    load = short_run()
    pause = {"press": 5, "playing": False, "lacks": False}
    load.hear(pause)
    assert (load.playing, monitor_payload(load, "en", None)["state"]["heard"]) == (False, 5)
    load.burst()  # plays again
    load.hear(pause)
    assert load.playing
    load.hear({**pause, "press": 6})
    assert not load.playing
    load.hear({**pause, "press": 7, "playing": True})
    assert load.playing


@pytest.mark.parametrize(
    "told", [None, 7, [], {}, {"press": "1", "playing": False}, {"press": True, "playing": 0}, {"lacks": 1}]
)
def test_what_is_no_word_of_the_monitor_changes_nothing(told: object) -> None:
    load = short_run()
    load.hear(told)
    assert (load.playing, load.heard, load.sent.again) == (True, 0, AGAIN)
