"""A class without browsers: so many visitors open pages of every kind, change widgets, think in between.

Each thinks ``THINK_S`` on average (exponential, seeded) between two wishes. What a browser does by itself
meanwhile, such as asking a playing monitor to go on, they do too.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.stage_server import Server
from benchmarks.visitor import Answer, Visitor, visiting

THINK_S = 5.0
COME_WITHIN_S = 5.0
GOES_ON, LANGS = 0.5, ("zh", "en")


@dataclass
class Crowd:
    """What came of it. ``answers_s``: (page, seconds) of each wish; ``memory_mib``: the server's with all of
    them there; ``exceptions``: what pages said when they broke."""

    answers_s: list[tuple[str, float]] = field(default_factory=list)
    exceptions: set[str] = field(default_factory=set)
    memory_mib: float | None = None
    took_s: float = 0.0

    def note(self, page: str, answer: Answer) -> Answer:
        """Count an answer to a wish."""
        self.answers_s.append((page, answer.took_s))
        self.exceptions |= {f"{page}: {text}" for text in answer.exceptions}
        return answer


async def crowd_of(server: Server, num_visitors: int, seconds: float, pages: Sequence[str]) -> Crowd:
    """Let so many come and work for so long; the last answers may come a little later."""
    crowd, start = Crowd(), time.monotonic()
    here = asyncio.Barrier(num_visitors + 1)
    async with asyncio.TaskGroup() as tasks:
        for seed in range(num_visitors):
            tasks.create_task(_one(server, crowd, here, random.Random(seed), start + seconds, pages))
        await here.wait()
        crowd.took_s, crowd.memory_mib = time.monotonic() - start, server.memory_mib()
        await here.wait()
    return crowd


async def _one(
    server: Server,
    crowd: Crowd,
    here: asyncio.Barrier,
    dice: random.Random,
    end: float,
    pages: Sequence[str],
) -> None:
    await asyncio.sleep(dice.uniform(0, min(COME_WITHIN_S, end - time.monotonic())))
    async with visiting(server.url) as visitor:
        page = dice.choice(pages)
        answer = crowd.note(page, await visitor.go(page, f"lang={dice.choice(LANGS)}"))
        while True:
            await _think(visitor, crowd, page, answer, min(end, _until(dice)))
            if time.monotonic() >= end:
                break
            if answer.choices and dice.random() > GOES_ON:
                widget, values = dice.choice(sorted(answer.choices.items()))
                answer = await visitor.change(widget, dice.choice(values))
            else:
                page = dice.choice(pages)
                answer = await visitor.go(page)
            crowd.note(page, answer)
        await here.wait()  # everybody is still there while the memory is read
        await here.wait()


def _until(dice: random.Random) -> float:
    return time.monotonic() + dice.expovariate(1 / THINK_S)


async def _think(visitor: Visitor, crowd: Crowd, page: str, answer: Answer, until: float) -> None:
    """Wait; fragments that run again by themselves do so meanwhile."""
    fragment, every_s = next(iter(answer.again_s.items()), ("", 0.0))
    while fragment and time.monotonic() + every_s < until:
        await asyncio.sleep(every_s)
        ran = await visitor.run_fragment(fragment)
        crowd.exceptions |= {f"{page}: {text}" for text in ran.exceptions}
    await asyncio.sleep(max(0.0, until - time.monotonic()))
