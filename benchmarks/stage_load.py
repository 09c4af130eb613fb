"""Forty visitors without browsers: websocket sessions that open pages and choose scenarios, as a class would.

Each session speaks Streamlit's own protocol over the loopback: it sends what the browser would send and
waits for the end of the page's script. Between two wishes it thinks, five seconds on average (exponential,
seeded). What a browser does with the answer is not part of this.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.stage_server import Server

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
    address = server.url.replace("http://", "ws://") + "/_stcore/stream"
    async with connect(address, subprotocols=["streamlit"], max_size=None) as socket:  # type: ignore[list-item]
        page = "execute"
        widgets, took = await ask(socket, page, query=f"s={dice.choice(SCENARIOS)}&lang=en")
        load.first_s.append(took)
        while time.monotonic() < end:
            await asyncio.sleep(dice.expovariate(1 / THINK_S))
            if dice.random() < 0.3:
                page = "start" if page == "execute" else "execute"
                widgets, took = await ask(socket, page)
            else:
                picker, titles = widgets["widget_scenario"]
                widgets, took = await ask(socket, page, change=(picker, dice.choice(titles[:20])))
            load.answers_s.append(took)


async def ask(
    socket: ClientConnection, page: str, query: str = "", change: tuple[str, str] | None = None
) -> tuple[dict[str, tuple[str, list[str]]], float]:
    """Send one wish, wait for its end: the page's choices (key -> id, options), and the seconds it took."""
    wish = BackMsg()
    wish.rerun_script.page_name = page
    wish.rerun_script.query_string = query
    if change is not None:
        state = wish.rerun_script.widget_states.widgets.add()
        state.id, state.string_value = change
    start = time.monotonic()
    await socket.send(wish.SerializeToString())
    widgets: dict[str, tuple[str, list[str]]] = {}
    while True:
        told = ForwardMsg()
        told.ParseFromString(await socket.recv(decode=False))
        if told.WhichOneof("type") == "delta" and told.delta.new_element.WhichOneof("type") == "selectbox":
            box = told.delta.new_element.selectbox
            widgets[box.id.rsplit("-", 1)[1]] = (box.id, list(box.options))
        elif told.WhichOneof("type") == "script_finished":
            return widgets, time.monotonic() - start
