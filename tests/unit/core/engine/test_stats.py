"""Statistics from request events: the window of vLLM, the lifetime, resumed requests apart."""

from __future__ import annotations

import doctest
from collections.abc import Iterable

from core.engine import stats
from core.engine.engine import Engine
from core.engine.events import CacheReset, ClockAdvanced, Event, RequestAdmitted
from core.engine.stats import WINDOW_REQUESTS, Statistics
from core.types import EngineConfig, Request


def admitted(queries: int, hits: int, *, counted: bool = True, resumed: bool = False) -> RequestAdmitted:
    return RequestAdmitted("a", queries, hits, queries - hits, queries, 1, counted, resumed, True)


def step(*admissions: Event) -> list[Event]:
    return [ClockAdvanced(1, False), *admissions]


def counted(events: Iterable[Event], statistics: Statistics | None = None) -> Statistics:
    """Statistics, new ones unless given, after these events."""
    statistics = statistics or Statistics()
    for event in events:
        statistics.add(event)
    return statistics


def test_before_the_first_request_there_is_no_rate() -> None:
    statistics = Statistics()
    assert (statistics.window, statistics.lifetime, statistics.preempted) == ((0, 0, 0), (0, 0), (0, 0))
    assert statistics.hit_rate is None


def test_all_counts_are_tokens() -> None:
    statistics = counted(step(admitted(10, 4)) + step(admitted(6, 0)))
    assert statistics.window == (2, 16, 4)
    assert statistics.lifetime == (16, 4)
    assert statistics.num_requests == 2
    assert statistics.hit_rate == 0.25


def test_resumed_and_uncounted_requests_stay_out_of_the_rate() -> None:
    """Rules 44, 45."""
    statistics = counted(
        step(admitted(10, 4), admitted(8, 8, counted=False, resumed=True), admitted(5, 0, counted=False))
    )
    assert statistics.lifetime == (10, 4)
    assert statistics.preempted == (8, 8)


def test_a_resumed_request_that_skips_reading_looked_nothing_up() -> None:
    event = RequestAdmitted("a", 8, 0, 8, 8, 1, False, True, False)
    assert counted(step(event)).preempted == (0, 0)


def test_the_window_drops_whole_steps_from_the_old_end() -> None:
    """Rule 46, with a window of 3: steps of 2, 1 and 2 requests."""
    statistics = Statistics(window_requests=3)
    counted(step(admitted(1, 0), admitted(1, 0)) + step(admitted(10, 5)), statistics)
    assert statistics.window == (3, 12, 5)
    counted(step(admitted(100, 50), admitted(100, 50)), statistics)
    assert statistics.window == (3, 210, 105)  # the first step went as a whole
    assert statistics.lifetime == (212, 105)


def test_the_newest_step_stays_even_if_it_is_larger_than_the_window() -> None:
    statistics = counted(step(*[admitted(1, 1)] * 5), Statistics(window_requests=2))
    assert statistics.window == (5, 5, 5)
    counted(step(admitted(7, 0)), statistics)
    assert statistics.window == (1, 7, 0)


def test_steps_without_an_admission_push_nothing() -> None:
    statistics = Statistics(window_requests=2)
    counted(step(admitted(1, 1), admitted(1, 1)) + step() * 50, statistics)
    assert statistics.window == (2, 2, 2)


def test_the_window_of_vllm_is_a_thousand_requests() -> None:
    assert WINDOW_REQUESTS == 1000
    statistics = Statistics()
    for number in range(1001):
        counted(step(admitted(1, number == 0)), statistics)
    assert statistics.window == (1000, 1000, 0)
    assert statistics.lifetime == (1001, 1)


def test_a_reset_empties_the_window_only_if_it_succeeded() -> None:
    statistics = counted([*step(admitted(10, 4)), CacheReset(False, 0)])
    assert statistics.window == (1, 10, 4)
    statistics.add(CacheReset(True, 2))
    assert (statistics.window, statistics.lifetime) == ((0, 0, 0), (10, 4))
    statistics.add(admitted(5, 5))  # still the same command
    assert statistics.window == (1, 5, 5)


def test_counted_once_per_successful_admission() -> None:
    """Failed starts, look-ups, waiting and skip-reading requests are not counted; whole prompts are."""
    events: list[Event] = []
    engine = Engine(EngineConfig(block_size=4, num_blocks=6), events.append)
    engine.start(Request("a", tuple(range(11))))
    engine.lookup(Request("x", tuple(range(11))))
    assert not engine.start(Request("b", tuple(range(40)))).ok
    engine.start(Request("c", tuple(range(5)), skip_read=True))
    engine.submit(Request("waits", tuple(range(50, 60))))
    engine.step()
    engine.free("a")
    engine.free("c")
    engine.start(Request("d", tuple(range(11))))
    assert counted(events).lifetime == engine.view.statistics.lifetime == (22, 8)


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(stats).attempted > 0
    assert doctest.testmod(stats).failed == 0
