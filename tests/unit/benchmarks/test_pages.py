"""The page benchmark reads a clock that counts, waits for it to stand still, and sees a real page."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

from benchmarks.cpu_clock import cpu_s, settled_cpu_s
from benchmarks.pages import PageCost, measure, table


def work(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_the_clock_counts_what_a_process_works() -> None:
    before, ours = cpu_s(os.getpid()), time.process_time()
    work(0.05)
    assert cpu_s(os.getpid()) - before == pytest.approx(time.process_time() - ours, abs=0.01)


def test_it_waits_until_the_clock_stands_still() -> None:
    async def late_work() -> float:
        async def busy() -> None:
            for _ in range(5):
                await asyncio.sleep(0.1)
                work(0.02)

        before = cpu_s(os.getpid())
        _, after = await asyncio.gather(busy(), settled_cpu_s(os.getpid()))
        return after - before

    assert asyncio.run(late_work()) >= 0.1


def test_a_real_page_is_measured_in_all_four_ways() -> None:
    (cost,), playing = measure(["ch12"], repeats=1)
    assert (cost.page, cost.exceptions, playing) == ("ch12", (), None)
    assert cost.change is not None
    assert all(0.001 < one < 5 for one in (cost.ever, cost.first, cost.warm, cost.change))
    assert cost.num_messages > 20
    assert cost.num_bytes > 5_000


def test_the_table_has_a_row_for_each_page() -> None:
    costs = [
        PageCost("start", 1, 0.5, 0.25, None, 70, 31_400, ()),
        PageCost("ch01", 1, 1, 1, 1, 2, 3, ("x",)),
    ]
    rows = table(costs).splitlines()[2:]
    assert rows[0] == "| start | 1.000 | 0.500 | 0.250 | – | 70 | 31 | 0 |"
    assert rows[1].endswith("| 1 |")
