"""Long computing takes turns: one at a time, in the order of coming, and who gives up holds nobody back."""

from __future__ import annotations

import time
from threading import Thread

from ui.server.turns import Turns


def until(turns: Turns, num_waiting: int) -> None:
    end = time.monotonic() + 10
    while turns.num_waiting != num_waiting and time.monotonic() < end:
        time.sleep(0.001)
    assert turns.num_waiting == num_waiting


def test_one_at_a_time_in_the_order_of_coming() -> None:
    turns, order, inside = Turns(), [], []

    def work(name: int) -> None:
        with turns.turn(10) as mine:
            assert mine
            inside.append(name)
            time.sleep(0.005)
            assert inside == [name]
            inside.remove(name)
            order.append(name)

    threads = [Thread(target=work, args=(name,)) for name in range(4)]
    with turns.turn(0) as mine:
        assert mine
        for place, thread in enumerate(threads):
            thread.start()
            until(turns, place + 1)
        assert order == []
    for thread in threads:
        thread.join(10)
    assert order == [0, 1, 2, 3]


def test_who_gives_up_waiting_holds_nobody_back() -> None:
    turns = Turns()
    with turns.turn(0):
        with turns.turn(0.01) as mine:
            assert not mine
        assert turns.num_waiting == 0
    with turns.turn(0) as mine:
        assert mine, "the turn was given back once, not twice"


def test_an_error_gives_the_turn_back() -> None:
    turns = Turns()
    try:
        with turns.turn(0):
            raise ValueError
    except ValueError:
        pass
    with turns.turn(0) as mine:
        assert mine
