"""Forty visitors without browsers: websocket sessions that open pages and choose scenarios, as a class would.

Between two wishes each of them (``benchmarks.visitor``) thinks, five seconds on average (exponential,
seeded).
What a browser does with the answer is not part of this.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field

from benchmarks.stage_server import Server
from benchmarks.visitor import visiting

THINK_S = 5.0
START_WITHIN_S = 5.0
SCENARIOS = ("P0", "P1", "P4", "P5", "P9", "T10")


@dataclass
class Load:
    """What came of it. ``memory_mib``: how much the server has grown."""

    num_sessions: int
    first_s: list[float] = field(default_factory=list)
    answers_s: list[float] = field(default_factory=list)
    memory_mib: float | None = None


def run_load(server: Server, num_sessions: int, seconds: float) -> Load:
    """Let so many sessions work for so long. The server's first visitor comes and goes before."""
    load = Load(num_sessions)

    async def everybody() -> None:
        await visitor(server, Load(0), seed=-1, seconds=0.0)
        before = server.memory_mib()
        ends = [visitor(server, load, seed, seconds) for seed in range(num_sessions)]
        await asyncio.gather(*ends)
        after = server.memory_mib()
        load.memory_mib = None if before is None or after is None else after - before

    asyncio.run(everybody())
    return load


async def visitor(server: Server, load: Load, seed: int, seconds: float) -> None:
    """One visitor: a page, then wishes until the time is up. The last answers may come a little later."""
    dice = random.Random(seed)
    await asyncio.sleep(dice.uniform(0, min(START_WITHIN_S, seconds)))
    end = time.monotonic() + seconds
    async with visiting(server.url) as who:
        page = "execute"
        answer = await who.go(page, f"s={dice.choice(SCENARIOS)}&lang=en")
        load.first_s.append(answer.took_s)
        while time.monotonic() < end:
            await asyncio.sleep(dice.expovariate(1 / THINK_S))
            picker = next((name for name in answer.choices if name.endswith("-widget_scenario")), None)
            if dice.random() < 0.3 or picker is None:  # the front page has cards instead
                page = "start" if page == "execute" else "execute"
                answer = await who.go(page)
            else:
                answer = await who.change(picker, dice.choice(answer.choices[picker][:20]))
            load.answers_s.append(answer.took_s)
