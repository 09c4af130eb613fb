"""A sheet computed in ticks: each ends in time, whatever a run takes, and equal sheets compute once."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from core.decision import Outcome, SheetSpec, Work
from tests.unit.ui.decision.made_up import made_up
from ui.decision import job as runs
from ui.decision.job import SheetJob
from ui.decision.setup import Choice, sheet_spec
from ui.machine.machine import Machine
from ui.monitor.setup import LoadSetup

PIECES = 1000
PIECE_S = 0.01


class Clock:
    """Time that only computing lets pass: a run takes ten seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        self.begun: list[Work] = []
        monkeypatch.setattr(runs, "measuring", self.measuring)
        monkeypatch.setattr(runs, "_RUNS", runs.SharedPieces(2_000))

    def watch(self) -> float:
        return self.now_s

    def measuring(self, spec: SheetSpec, work: Work) -> Generator[None, None, Outcome]:
        self.begun.append(work)
        for _ in range(PIECES):
            self.now_s += PIECE_S
            yield
        return made_up(spec, work)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def job(rate: float = 12.0) -> SheetJob:
    return SheetJob(sheet_spec(LoadSetup(), Machine(), Choice(rate=rate)), True)


def test_a_tick_ends_in_time_and_a_long_run_goes_on_at_the_next(clock: Clock) -> None:
    one = job()
    for count in range(1, 20):
        before = clock.now_s
        one.tick(0.3, None, clock.watch, 0.7)
        assert clock.now_s - before <= 0.7 + 2 * PIECE_S
        assert len(one.found) == int(count * 0.7 / 10 + 0.02), "nothing of a tick is lost"
    assert len(clock.begun) == 2


def test_equal_sheets_share_what_is_under_way_and_others_do_not(clock: Clock) -> None:
    one, same, other = job(), job(), job(12.5)
    while len(one.found) < 2:
        one.tick(0.3, None, clock.watch, 0.7)
        same.tick(0.3, None, clock.watch, 0.7)
    same.tick(0.3, None, clock.watch, 0.1)
    assert clock.begun == list(dict.fromkeys(clock.begun)), "none twice"
    assert clock.now_s < 2 * 10 + 3
    assert same.found.keys() == one.found.keys()
    other.tick(0.3, None, clock.watch, 0.7)
    assert clock.begun[-1] == other.works[0]


def test_what_was_under_way_goes_with_the_last_who_wanted_it(clock: Clock) -> None:
    one = job()
    one.tick(0.3, None, clock.watch, 0.7)
    assert len(runs._RUNS._under_way) == 1
    del one
    assert len(runs._RUNS._under_way) == 0
