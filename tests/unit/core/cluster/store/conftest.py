"""Each test over every store there is: the file, and each server of this machine, started here."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.store_server import HOW_TO_GET, Server, programs, serving
from core.cluster.store.address import open_parts
from core.cluster.store.base import Clock, Layout, Parts
from core.extras import how_to_add

Opened = Callable[..., Parts]
SERVERS = {Path(path).name: path for path in programs()}
STORES = ("file", "valkey-server", "redis-server")


def why_no_server(name: str) -> str:
    """Empty where there is one, and its client."""
    if importlib.util.find_spec("redis") is None:
        return f"the client of servers is not installed: {how_to_add('redis')}"
    return "" if name in SERVERS else f"no {name} here: {HOW_TO_GET}"


@pytest.fixture(scope="session")
def servers() -> Iterator[Callable[[str], Server]]:
    """One of each kind, started when it is first asked for; tests take spaces of their own on it."""
    running: dict[str, Server] = {}
    opened = []

    def server(name: str) -> Server:
        if why := why_no_server(name):
            pytest.skip(why)
        if name not in running:
            context = serving(SERVERS[name])
            opened.append(context)
            running[name] = context.__enter__()
        return running[name]

    yield server
    for context in opened:
        context.__exit__(None, None, None)


@pytest.fixture(params=STORES)
def address(request: pytest.FixtureRequest, tmp_path: Path, servers: Callable[[str], Server]) -> str:
    """Of one store; it may hold other tests' spaces."""
    return f"sqlite:///{tmp_path}/store.sqlite" if request.param == "file" else servers(request.param).address


@pytest.fixture
def opened(address: str, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Opens the store, empty, with a layout and a space of this test's own; closes it in the end."""
    parts: list[Parts] = []
    own = request.node.name

    def open_it(layout: Layout, clock: Clock | None = None, *, clear: bool = True) -> Parts:
        one = open_parts(address, replace(layout, space=own), clock=clock, deadline_s=5.0)
        parts.append(one)
        if clear:
            one.clear()
        return one

    yield open_it
    for one in parts:
        one.close()
