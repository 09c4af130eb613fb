"""What each page costs the server: CPU seconds of one answer, page by page.

    python -m benchmarks.pages [PAGE ...] [--repeats N] [--json OUT]

One visitor at a time speaks Streamlit's protocol to a fresh server. The server's CPU clock (all threads) is
read before a wish and again once it stands still after the answer (``benchmarks/cpu_clock.py``). Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.cpu_clock import cost_of, cpu_s
from benchmarks.stage_server import Server, running
from benchmarks.visitor import Answer, Visitor, visiting
from pages.navigation import PAGES

ELSEWHERE = "glossary"
"""A light page to come back from."""

PLAY_S = 8.0


@dataclass(frozen=True)
class PageCost:
    """CPU seconds of the server. ``ever``: the server's first visitor of the page; ``first``: a new visitor
    once others were there; ``warm``: coming back; ``change``: one widget changed, None where there is none.
    ``num_messages``, ``num_bytes``: of a first visit. ``exceptions``: all red boxes that were seen."""

    page: str
    ever: float
    first: float
    warm: float
    change: float | None
    num_messages: int
    num_bytes: int
    exceptions: tuple[str, ...]


async def page_cost(server: Server, page: str, repeats: int) -> PageCost:
    """One page in all four ways; medians of ``repeats``, of first visits half as many."""
    answers: list[Answer] = []

    async def timed(wish: Callable[[], Awaitable[Answer]]) -> float:
        cost, answer = await cost_of(server, wish)
        answers.append(answer)
        return cost

    firsts = []
    for _ in range(1 + max(repeats // 2, 1)):
        async with visiting(server.url) as visitor:
            firsts.append(await timed(partial(visitor.go, page, "lang=en")))
    opened = answers[-1]
    warm, change = [], []
    async with visiting(server.url) as visitor:
        await visitor.go(page, "lang=en")
        for _ in range(repeats):
            await visitor.go(ELSEWHERE if page != ELSEWHERE else "sheet")
            warm.append(await timed(partial(visitor.go, page)))
        widget, values = next(iter(answers[-1].choices.items()), ("", []))
        for number in range(repeats if values else 0):
            change.append(await timed(partial(visitor.change, widget, values[(number + 1) % 2])))
    return PageCost(
        page,
        firsts[0],
        median(firsts[1:]),
        median(warm),
        median(change) if change else None,
        opened.num_messages,
        opened.num_bytes,
        tuple(sorted({text for answer in answers for text in answer.exceptions})),
    )


async def playing_cost(server: Server) -> float:
    """CPU seconds per second of a monitor that plays, as it does once it is opened."""
    async with visiting(server.url) as visitor:
        answer = await visitor.go("monitor", "lang=en")
        before, start = cpu_s(server.process_id), time.monotonic()
        await _keep_running(visitor, answer, start + PLAY_S)
        return (cpu_s(server.process_id) - before) / (time.monotonic() - start)


async def _keep_running(visitor: Visitor, answer: Answer, until: float) -> None:
    fragment, every_s = next(iter(answer.again_s.items()))
    while time.monotonic() < until:
        await asyncio.sleep(every_s)
        await visitor.run_fragment(fragment)


def measure(pages: Sequence[str] = PAGES, repeats: int = 5) -> tuple[list[PageCost], float | None]:
    """A fresh server, its pages one after another, then a monitor that plays."""

    async def all_of_them(server: Server) -> tuple[list[PageCost], float | None]:
        costs = [await page_cost(server, page, repeats) for page in pages]
        return costs, await playing_cost(server) if "monitor" in pages else None

    with running() as server:
        return asyncio.run(all_of_them(server))


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def table(costs: Sequence[PageCost]) -> str:
    """One row a page."""
    head = ("page", "ever", "first", "warm", "change", "messages", "kB", "red boxes")
    rows = [
        (
            one.page,
            *map(_seconds, (one.ever, one.first, one.warm, one.change)),
            str(one.num_messages),
            f"{one.num_bytes / 1000:.0f}",
            str(len(one.exceptions)),
        )
        for one in costs
    ]
    lines = [head, ("---",) + ("---:",) * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Measure, print the table, write the figures."""
    parser = argparse.ArgumentParser(description="CPU seconds of the server for each page.")
    parser.add_argument("pages", nargs="*", choices=[*PAGES, []], metavar="PAGE")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    costs, playing = measure(asked.pages or PAGES, asked.repeats)
    print(table(costs))
    if playing is not None:
        print(f"\na playing monitor: {playing:.3f} CPU s a second")
    if asked.json:
        found = {"pages": [asdict(one) for one in costs], "playing": playing}
        asked.json.write_text(json.dumps(found, indent=1), "utf-8")


if __name__ == "__main__":
    main()
