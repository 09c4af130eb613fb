"""The growth benchmark runs, refuses what grows as a square, and accepts what does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import growth
from benchmarks.growth import Part, Work


class Clock:
    """Time that passes only when somebody works."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def part(self, cost: Callable[[int], float]) -> Part:
        def prepare(num: int) -> Work:
            def work() -> None:
                self.now += cost(num)

            return work

        return Part("made up", "things", 10, prepare)


@pytest.mark.parametrize(
    ("cost", "exponents", "is_fine"),
    [
        (lambda num: 3.0 * num, (1, 1), True),
        (lambda num: num * num, (2, 2), False),
        (lambda num: num**1.2, (1.2, 1.2), False),
        (lambda num: 1_000 * num + num * num, (1.14, 1.26), True),  # not yet twice as much
        (lambda num: 500 * num + num * num, (1.23, 1.39), False),
        (lambda num: 100_000 + num * num, (0.52, 1.0), True),  # hidden: the smallest n is too small
        (lambda num: 30_000 + num * num, (0.77, 1.41), False),  # seen by the last two sizes only
    ],
)
def test_the_judge(cost: Callable[[int], float], exponents: tuple[float, float], is_fine: bool) -> None:
    clock = Clock()
    found = growth.measure(clock.part(cost), clock=clock)
    assert found.sizes == (10, 100, 1000)
    assert found.exponents == pytest.approx(exponents, abs=0.01)
    assert found.is_fine == is_fine
    assert ("FASTER" in growth.row(found)) != is_fine


def test_the_best_time_of_each_size_counts() -> None:
    clock, costs = Clock(), iter([1.0, 10.0, 100.0, 0.5, 20.0, 90.0, *[50.0] * 20])
    found = growth.measure(clock.part(lambda num: next(costs)), clock=clock)
    assert found.seconds == pytest.approx((0.5, 10.0, 50.0))


def test_a_real_square_takes_real_time() -> None:
    def prepare(num: int) -> Work:
        waiting = list(range(num))
        return lambda: [number in waiting for number in range(num)]

    found = growth.measure(Part("searched", "things", 3_000, prepare), quick=True)
    assert (found.sizes, found.is_fine) == ((30, 300, 3_000), False)


def test_all_parts_run_at_tiny_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "figures.json"
    assert growth.main(["--quick", "--json", str(out)]) == 0
    figures = json.loads(out.read_text("utf-8"))
    assert [figure["name"] for figure in figures] == [part.name for part in growth.PARTS]
    assert all(min(figure["seconds"]) > 0 for figure in figures)
    assert all(part.name in capsys.readouterr().out for part in growth.PARTS[:1])


def test_a_part_that_grows_too_fast_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(num: int) -> Work:
        return lambda: sum(range(num**2))

    monkeypatch.setattr(growth, "PARTS", (Part("square", "things", 10, prepare),))
    assert growth.main([]) == 1
