"""The line before the clock: one at a time, short ones first, nobody for ever, leaving frees the place."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from core.backends.line import PATIENCE, Line, Place, let_others
from core.backends.progress import never_cancelled
from core.errors import BackendError

LONG_S, WAIT_S = 60.0, 20.0


@dataclass
class Visitor:
    """A fake who measures as long as the test wants: run by run, one at each ``go``."""

    line: Line
    name: str
    seconds: float
    log: list[str]
    runs: int = 1
    places: list[Place | None] = field(default_factory=list)
    gone: threading.Event = field(default_factory=threading.Event)
    go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    at_clock: threading.Event = field(default_factory=threading.Event)
    error: BackendError | None = None

    def comes(self) -> Visitor:
        self.thread = threading.Thread(target=self._measures, daemon=True)
        self.thread.start()
        until(lambda: bool(self.places))
        return self

    def _measures(self) -> None:
        try:
            with self.line.turn(self.seconds, self.places.append, self.gone.is_set, self.gone.is_set):
                for run in range(self.runs):
                    if run:
                        let_others()
                    self.log.append(f"{self.name}>")
                    self.at_clock.set()
                    assert self.go.acquire(timeout=WAIT_S)
                    self.log.append(f"<{self.name}")
        except BackendError as error:
            self.error = error

    def ends(self) -> None:
        self.thread.join(WAIT_S)
        assert not self.thread.is_alive()


def until(true: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(2000):
        if true():
            return
        pause.wait(0.01)
    raise AssertionError("it never came")


def waits(visitor: Visitor) -> Place:
    until(lambda: visitor.places[-1] is not None)
    place = visitor.places[-1]
    assert place is not None
    return place


def all_go(visitors: list[Visitor]) -> None:
    for visitor in visitors:
        visitor.go.release(visitor.runs)
    for visitor in visitors:
        visitor.ends()


def order_of(log: list[str]) -> list[str]:
    return [entry[:-1] for entry in log if entry.endswith(">")]


def never_two(log: list[str]) -> bool:
    return all(
        before.endswith(">") and after == f"<{before[:-1]}"
        for before, after in zip(log[::2], log[1::2], strict=True)
    )


def test_short_ones_go_before_long_ones_each_in_the_order_of_coming() -> None:
    line, log = Line(), list[str]()
    came = [Visitor(line, *who, log).comes() for who in (("A", LONG_S), ("B", LONG_S), ("c", 1), ("d", 2))]
    until(lambda: waits(came[1]).ahead == 3)
    assert waits(came[3]) == Place(2, LONG_S + 1)
    all_go(came)
    assert order_of(log) == ["A", "c", "d", "B"]
    assert never_two(log)


def test_nobody_is_passed_for_ever() -> None:
    line, log = Line(), list[str]()
    first = Visitor(line, "first", 1, log).comes()
    long = Visitor(line, "long", LONG_S, log).comes()
    short = [Visitor(line, f"s{number}", 1, log).comes() for number in range(PATIENCE + 2)]
    all_go([first, long, *short])
    assert order_of(log).index("long") == 1 + PATIENCE


def test_a_long_one_lets_short_ones_in_between_its_runs_and_never_within_one() -> None:
    line, log = Line(), list[str]()
    long = Visitor(line, "L", LONG_S, log, runs=3).comes()
    other = Visitor(line, "O", LONG_S, log).comes()
    short = Visitor(line, "s", 1, log).comes()
    assert long.at_clock.is_set()
    assert not short.at_clock.is_set(), "a run is not cut in two"
    long.go.release()
    until(short.at_clock.is_set)
    assert waits(long).ahead == 1
    all_go([short, long, other])
    assert order_of(log) == ["L", "s", "L", "L", "O"], "it comes back before who came later"
    assert never_two(log)


def test_a_short_one_waits_for_one_run_however_many_long_ones_stand_in_line() -> None:
    """Once, each long one that had given way three times went before every short one for ever."""
    line, log = Line(), list[str]()
    longs = [Visitor(line, f"L{number}", LONG_S, log, runs=6).comes() for number in range(8)]
    until(longs[0].at_clock.is_set)
    shorts = []
    for number in range(5):
        running = order_of(log)[-1]
        shorts.append(Visitor(line, f"s{number}", 1, log).comes())
        until(lambda: waits(shorts[-1]).ahead == 1)
        next(long for long in longs if long.name == running).go.release()
        until(shorts[-1].at_clock.is_set)
        shorts[-1].go.release()
        shorts[-1].ends()
        until(lambda: order_of(log)[-1].startswith("L"))
    for long in longs:
        long.go.release(long.runs)
    for long in longs:
        long.ends()
    assert never_two(log)


def test_leaving_frees_the_place() -> None:
    line, log = Line(), list[str]()
    first, leaves, last = (Visitor(line, name, 5, log).comes() for name in ("first", "leaves", "last"))
    until(lambda: waits(last).ahead == 2)
    leaves.gone.set()
    leaves.ends()
    assert leaves.error is not None
    assert leaves.error.code == "backend.cancelled"
    until(lambda: waits(last) == Place(1, 5))
    all_go([first, last])
    assert order_of(log) == ["first", "last"]


def test_a_bug_in_a_measurement_leaves_the_clock_to_others() -> None:
    line = Line()
    with pytest.raises(ZeroDivisionError), line.turn(1, lambda _place: None, never_cancelled):
        raise ZeroDivisionError
    with line.turn(1, lambda _place: None, lambda: True):
        pass  # free at once, so nobody asks whether to go on waiting


def test_thirty_visitors_all_get_their_turn_and_never_two_at_once() -> None:
    line, log = Line(), list[str]()
    holder = Visitor(line, "holder", 1, log).comes()
    crowd = [
        Visitor(line, f"v{number}", LONG_S if number % 3 else 1, log, runs=1 + number % 3).comes()
        for number in range(30)
    ]
    for visitor in crowd[::7]:
        visitor.gone.set()
        visitor.ends()
    stay = [visitor for visitor in crowd if not visitor.gone.is_set()]
    until(lambda: sorted(waits(visitor).ahead for visitor in stay) == list(range(1, len(stay) + 1)))
    all_go([holder, *stay])
    assert never_two(log)
    assert set(order_of(log)) == {visitor.name for visitor in (holder, *stay)}
    assert len(order_of(log)) == 1 + sum(visitor.runs for visitor in stay)


def test_without_a_line_nobody_is_let_in() -> None:
    let_others()
