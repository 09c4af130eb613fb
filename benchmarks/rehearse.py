"""A rehearsal for a class: every page, opened as a class does, on this machine, by visitors without browsers.

    python3 run.py rehearse [--visitors N] [--minutes M]

A server of its own is started. First each page is opened by one visitor alone (CPU seconds, and the memory
of a visitor who stays), then N visitors come at once, over pages of all kinds, with five seconds of thinking
between two wishes. The result is kept for the teacher's page.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from websockets.exceptions import ConnectionClosed

from benchmarks.cpu_clock import HAS_CLOCK, cost_of, cpu_s, settled_cpu_s
from benchmarks.crowd import THINK_S, Crowd, crowd_of
from benchmarks.stage_server import Server, running
from benchmarks.visitor import visiting
from core.backends.memory import available_bytes
from pages.navigation import PAGES
from ui.teacher.rehearsal import BUSY, ENOUGH_S, KEPT, PageRow, Rehearsal, keep

STAY = 3
"""Visitors who stay on a page while the memory that they need is read."""

ELSEWHERE = ("glossary", "sheet")
"""Light pages to come back from."""


class RehearsalError(Exception):
    """Pages broke, or no answer came; says which."""


def rehearse(num_visitors: int, minutes: float, pages: Sequence[str] = PAGES) -> Rehearsal:
    """A fresh server, its pages one by one, then the crowd.

    Raises:
        RehearsalError: figures of pages that break say nothing.
    """
    with running() as server:
        return asyncio.run(_rehearsed(server, num_visitors, minutes, pages))


async def _rehearsed(server: Server, num_visitors: int, minutes: float, pages: Sequence[str]) -> Rehearsal:
    alone = {page: await _alone(server, page) for page in pages}
    memory_before, cpu_before = server.memory_mib(), cpu_s(server.process_id) if HAS_CLOCK else None
    try:
        crowd = await crowd_of(server, num_visitors, minutes * 60, pages)
    except* (TimeoutError, OSError, ConnectionClosed) as lost:
        raise RehearsalError(f"visitors got no answer: {lost.exceptions}") from lost
    if crowd.exceptions:
        raise RehearsalError("pages broke:\n" + "\n".join(sorted(crowd.exceptions)))
    times = [took for _, took in crowd.answers_s]
    free = available_bytes()
    return Rehearsal(
        day=datetime.now(UTC).astimezone().date().isoformat(),
        visitors=num_visitors,
        minutes=minutes,
        think_s=THINK_S,
        num_answers=len(times),
        p50_s=percentile(times, 50),
        p95_s=percentile(times, 95),
        cpu_s=None if cpu_before is None else (cpu_s(server.process_id) - cpu_before) / len(times),
        mib=_grown(memory_before, crowd.memory_mib, num_visitors),
        free_mib=None if free is None else free / 2**20,
        pages=tuple(PageRow(page, _p95_of(page, crowd), *costs) for page, costs in alone.items()),
    )


async def _alone(server: Server, page: str) -> tuple[float | None, float | None, float | None]:
    """CPU seconds of a first and of a later answer, MiB of a visitor who stays.

    The page's very first visitor comes and goes before: what is made once for everybody is nobody's cost.
    """
    async with visiting(server.url) as visitor:
        await visitor.go(page, "lang=en")
    if not HAS_CLOCK:
        return None, None, None
    await settled_cpu_s(server.process_id)
    before, firsts = server.memory_mib(), []
    async with AsyncExitStack() as stack:
        for _ in range(STAY):
            visitor = await stack.enter_async_context(visiting(server.url))
            cost, _ = await cost_of(server, partial(visitor.go, page, "lang=en"))
            firsts.append(cost)
        grown = _grown(before, server.memory_mib(), STAY)
        await visitor.go(next(one for one in ELSEWHERE if one != page))
        again, _ = await cost_of(server, partial(visitor.go, page))
    return sorted(firsts)[STAY // 2], again, grown


def _grown(before: float | None, after: float | None, num_visitors: int) -> float | None:
    """MiB a visitor; what the server gave back meanwhile can outweigh a few of them."""
    return None if before is None or after is None else max(0.0, after - before) / num_visitors


def percentile(values: Iterable[float], percent: int) -> float:
    """The smallest value that so many percent do not exceed."""
    ordered = sorted(values)
    return ordered[math.ceil(len(ordered) * percent / 100) - 1]


def _p95_of(page: str, crowd: Crowd) -> float | None:
    times = [took for one, took in crowd.answers_s if one == page]
    return percentile(times, 95) if times else None


def _shown(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def table(found: Rehearsal) -> str:
    """One row a page."""
    head = ("page", "p95 s, in the crowd", "CPU s, first", "CPU s, again", "MiB a visitor")
    rows = [
        (
            one.page,
            _shown(one.p95_s, 2),
            _shown(one.first_cpu_s, 3),
            _shown(one.cpu_s, 3),
            _shown(one.mib, 1),
        )
        for one in found.pages
    ]
    lines = [head, ("---",) + ("---:",) * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def summary(found: Rehearsal) -> str:
    """What the crowd met, and how many visitors follow from it, with the way there."""
    lines = [
        f"{found.visitors} visitors, {found.minutes:g} min, {found.num_answers} answers, "
        f"a wish every {found.think_s:g} s of thinking:",
        f"  measured: p50 {found.p50_s:.2f} s, p95 {found.p95_s:.2f} s "
        f"({'within' if found.held else 'beyond'} {ENOUGH_S:g} s); {_shown(found.cpu_s, 3)} CPU s an answer, "
        f"{_shown(found.mib, 1)} MiB a visitor, {_shown(found.free_mib, 0)} MiB free",
    ]
    by_cpu, by_memory = found.by_cpu(), found.by_memory()
    if by_cpu is not None:
        lines.append(
            f"  computed: {by_cpu} by CPU = {BUSY:g} x ({found.think_s:g} + {found.cpu_s:.3f}) s / "
            f"{found.cpu_s:.3f} s (one process, busy {BUSY:.0%} of its time)"
        )
    if by_memory is not None:
        lines.append(f"  computed: {by_memory} by memory = those there, and the free memory / MiB a visitor")
    why = "the least that was computed, or this crowd if more" if found.held else "fewer than this crowd"
    return "\n".join([*lines, f"This machine carries about {found.carries} visitors ({why})."])


def main() -> int:
    """Rehearse, print, keep. Status 1 if it failed; then nothing is kept."""
    parser = argparse.ArgumentParser(
        prog="run.py rehearse", description="How many visitors this machine carries."
    )
    parser.add_argument("--visitors", type=int, default=40, metavar="N")
    parser.add_argument("--minutes", type=float, default=1.0, metavar="M")
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=PAGES, metavar="PAGE")
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FILE", help="where the result is kept")
    asked = parser.parse_args()
    if asked.visitors < 1 or not 0 < asked.minutes <= 600:
        parser.error("at least one visitor, and more than no time")
    print(
        f"{len(asked.pages)} pages one by one (a few seconds each), "
        f"then {asked.visitors} visitors for {asked.minutes:g} min",
        flush=True,
    )
    try:
        found = rehearse(asked.visitors, asked.minutes, asked.pages)
    except RehearsalError as failed:
        print(f"Nothing is kept, for {failed}")
        return 1
    print(f"{table(found)}\n\n{summary(found)}")
    keep(found, asked.keep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
