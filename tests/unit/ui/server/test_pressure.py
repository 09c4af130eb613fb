"""How busy the server is, told by a clock that the test turns."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from ui.server.pressure import BUSY_S, FEWEST, LOOK_BACK_S, Pressure


class Hands:
    """Wall time and CPU time, moved by hand."""

    def __init__(self) -> None:
        self.now = self.worked = 0.0
        self.pressure = Pressure(lambda: self.now, lambda: self.worked)

    def crowd(self, answers: int, wall_s: float, work_s: float) -> None:
        """So many answers at once, all taking that long."""
        with ExitStack() as all_of_them:
            for _ in range(answers):
                all_of_them.enter_context(self.pressure.answering())
            self.now += wall_s
            self.worked += work_s


@pytest.fixture
def hands() -> Hands:
    return Hands()


def test_a_quiet_server_is_not_busy(hands: Hands) -> None:
    assert hands.pressure.wait_s() == 0
    for _ in range(10):
        hands.crowd(1, wall_s=9, work_s=1)
    assert hands.pressure.wait_s() == 0, "one answer at a time waits for nobody"


def test_waiting_is_what_an_answer_took_beyond_its_own_work(hands: Hands) -> None:
    hands.crowd(10, wall_s=5, work_s=0.5)
    assert hands.pressure.wait_s() == pytest.approx(4.5)
    assert hands.pressure.wait_s() > BUSY_S


def test_work_is_no_waiting(hands: Hands) -> None:
    hands.crowd(10, wall_s=5, work_s=5)
    assert hands.pressure.wait_s() == 0


def test_a_few_answers_tell_nothing(hands: Hands) -> None:
    hands.crowd(FEWEST - 1, wall_s=9, work_s=0)
    assert hands.pressure.wait_s() == 0


def test_what_is_over_is_over(hands: Hands) -> None:
    hands.crowd(10, wall_s=5, work_s=0)
    hands.now += LOOK_BACK_S
    assert hands.pressure.wait_s() == 5
    hands.now += 0.1
    assert hands.pressure.wait_s() == 0


def test_half_of_them_decide(hands: Hands) -> None:
    hands.crowd(10, wall_s=6, work_s=0)
    for _ in range(11):
        hands.crowd(1, wall_s=0.1, work_s=0.1)
    assert hands.pressure.wait_s() == 0


def test_an_answer_that_breaks_is_over_too(hands: Hands) -> None:
    with pytest.raises(ZeroDivisionError), hands.pressure.answering():
        _ = 1 / 0
    assert hands.pressure.is_idle


def test_real_threads_wait_for_each_other() -> None:
    """The same with the real clocks: while one thread holds a lock, the others wait and do not work."""
    pressure, door = Pressure(), threading.Lock()

    def answer() -> None:
        with pressure.answering(), door:
            threading.Event().wait(0.1)

    threads = [threading.Thread(target=answer) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pressure.is_idle
    assert 0.2 < pressure.wait_s() < 5
