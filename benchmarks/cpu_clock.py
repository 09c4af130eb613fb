"""The CPU clock of a server: read it before a wish, and again once it stands still after the answer.

Linux only: no other clock of another process counts nanoseconds.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable

from benchmarks.stage_server import Server
from benchmarks.visitor import Answer

STILL_S, LOOK_S = 0.3, 0.05
HAS_CLOCK = sys.platform.startswith("linux")


def cpu_s(process_id: int) -> float:
    """The CPU clock of a process, all its threads, those that ended too."""
    return time.clock_gettime((~process_id << 3) | 2)  # as clock_getcpuclockid(3) makes it


async def settled_cpu_s(process_id: int) -> float:
    """The same once it stands still for a moment (a server that idles ticks a little)."""
    before, still = cpu_s(process_id), 0.0
    while still < STILL_S:
        await asyncio.sleep(LOOK_S)
        now = cpu_s(process_id)
        still = still + LOOK_S if now - before < 0.002 else 0.0
        before = now
    return before


async def cost_of(server: Server, wish: Callable[[], Awaitable[Answer]]) -> tuple[float, Answer]:
    """CPU seconds that a wish took, and its answer."""
    before = await settled_cpu_s(server.process_id)
    answer = await wish()
    return await settled_cpu_s(server.process_id) - before, answer
