"""Shared results: made once however many ask, the last asked for stay, a failure is nobody's end."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from ui.frame.shared import Shared, SharedPieces


def counting(made: list[object], value: object) -> Callable[[], object]:
    def make() -> object:
        made.append(value)
        return value

    return make


def test_a_result_is_made_once_and_the_least_wanted_goes_first() -> None:
    few, made = Shared(2), []
    for name in "abacabb":
        assert few.get(name, counting(made, name)) == name
    assert made == ["a", "b", "c", "b"], "a was asked for again before c came, so b went"


def test_those_who_come_together_get_one_result_while_another_key_does_not_wait() -> None:
    shared, made, everybody, other_done = Shared(4), [], Barrier(9), Event()

    def slow() -> list[int]:
        made.append(1)
        assert other_done.wait(10), "another key waited for this one"
        return [7]

    def ask(_: int) -> list[int]:
        everybody.wait(10)
        return shared.get("slow", slow)

    with ThreadPoolExecutor(9) as pool:
        found = pool.map(ask, range(8))
        everybody.wait(10)
        assert shared.get("quick", lambda: 1) == 1
        other_done.set()
        results = list(found)
    assert made == [1]
    assert all(one is results[0] for one in results)


def test_a_failure_is_told_and_not_kept() -> None:
    shared = Shared(2)
    with pytest.raises(ZeroDivisionError):
        shared.get("a", lambda: 1 // 0)
    assert shared.get("a", lambda: 2) == 2


def in_pieces(begun: list[str], name: str, num: int = 3) -> Generator[None, None, str]:
    begun.append(name)
    for _ in range(num):
        yield
    return name


def test_what_is_under_way_is_taken_on_by_whoever_needs_it() -> None:
    shared, begun = SharedPieces[str](2), []
    one, other = (shared.get("a", lambda: in_pieces(begun, "a")) for _ in range(2))
    for making in (one, other, one):
        making.go_on(lambda: False)
        assert not making.done
    other.go_on(lambda: False)
    assert (one.made, begun) == ("a", ["a"])
    assert shared.get("a", lambda: in_pieces(begun, "a")).made == "a"


def test_what_nobody_waits_for_any_more_is_dropped_and_of_the_made_a_few_stay() -> None:
    shared, begun = SharedPieces[str](2), []
    making = shared.get("a", lambda: in_pieces(begun, "a"))
    making.go_on(lambda: False)
    del making
    for name in "abc":
        shared.get(name, lambda name=name: in_pieces(begun, name)).go_on(lambda: True)  # type: ignore[misc]
    assert begun == ["a", "a", "b", "c"]
    assert not shared.get("a", lambda: in_pieces(begun, "a")).done
    assert shared.get("b", lambda: in_pieces(begun, "b")).done


def test_an_error_of_the_making_is_told_to_all_who_wait() -> None:
    def broken() -> Generator[None, None, str]:
        yield
        raise ValueError("no")

    shared = SharedPieces[str](2)
    one, other = (shared.get("a", broken) for _ in range(2))
    one.go_on(lambda: False)
    for making in (one, other):
        with pytest.raises(ValueError, match="no"):
            making.go_on(lambda: False)
