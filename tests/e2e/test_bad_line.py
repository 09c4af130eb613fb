"""The monitor over a bad line: messages come in clumps, words are lost; the clock goes on and the count is right.

A server whose bins are merged early and whose ticks are short, so that several merges fit into seconds.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.e2e.conftest import ROOT, running_server
from tests.e2e.test_monitor import CHART, MONITOR, TIME_OVER, number, open_monitor, pause
from tests.e2e.test_server import APP_PARTS
from ui.words.i18n import t

QUICKER = (
    ("core/load/run.py", "most_bins: int = 600", "most_bins: int = 40"),
    ("ui/monitor/run.py", "TICK_S = 1.0", "TICK_S = 0.25"),
)
CLUMPS_S = (0.3, 3.2, 0.8)
"""Silence before each clump: the long ones hold more messages than a message can make up for."""

MERGES = 3
LACKS, PAUSE = b'"lacks":true', b'"playing":false'


@pytest.fixture(scope="module")
def quick_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("quick")
    for part in APP_PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    for name, usual, quicker in QUICKER:
        text = (folder / name).read_text("utf-8")
        assert usual in text
        (folder / name).write_text(text.replace(usual, quicker), "utf-8")
    with running_server(folder / "log.txt", folder) as url:
        yield url


@dataclass
class Line:
    """Between page and server. ``told``: what the server said of the load; ``lost``: words that never came."""

    bad: bool = False
    held: list[Any] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    asked: list[bytes] = field(default_factory=list)
    lost: list[bytes] = field(default_factory=list)

    def route(self, page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()
        self.page_side = page_side
        page_side.on_message(lambda message: self._up(server_side, message))
        server_side.on_message(self._down)

    def _up(self, server_side: WebSocketRoute, message: Any) -> None:
        for word in (LACKS, PAUSE):
            if word in message:
                self.asked.append(word)
                if word not in self.lost:
                    return self.lost.append(word)
        server_side.send(message)

    def _down(self, message: Any) -> None:
        told = ForwardMsg()
        told.ParseFromString(message)
        element = told.delta.new_element
        if element.WhichOneof("type") == "bidi_component":
            self.told.append(json.loads(element.bidi_component.bytes))
        self.held.append(message)
        if not self.bad:
            self.clump()

    def clump(self) -> None:
        """All that has come meanwhile, at once."""
        held, self.held = self.held, []
        for message in held:
            self.page_side.send(message)

    @property
    def merges(self) -> int:
        generation: int = self.told[-1]["samples"]["generation"]
        return generation


def clock(page: Page) -> int:
    return int(number(page, 0).removesuffix(" s"))


def test_the_clock_goes_on_past_merged_bins(browser_page: Page, quick_server: str) -> None:
    page, line = browser_page, Line()
    page.route_web_socket(re.compile("_stcore/stream"), line.route)
    open_monitor(page, f"{quick_server}/monitor?lang=en&lp=64&lr=0.5")
    page.get_by_text("64×").click()
    page.wait_for_function(TIME_OVER, arg=5)
    line.bad, seen, until = True, [clock(page)], time.monotonic() + 60
    while line.merges < MERGES or LACKS not in line.lost:
        assert time.monotonic() < until, (line.merges, seen)
        for silence in CLUMPS_S:
            page.wait_for_timeout(1000 * silence)
            line.clump()
        seen.append(clock(page))
    line.bad = False
    line.clump()
    now = line.told[-1]["samples"]["end_s"][-1]
    page.wait_for_function(TIME_OVER, arg=int(now), timeout=8_000)
    assert seen == sorted(set(seen)), "it never stood still"

    pause(page)  # the first word of it is lost too
    expect(page.locator(CHART)).to_be_visible()
    last = line.told[-1]
    assert (last["state"]["playing"], line.lost.count(PAUSE)) == (False, 1)
    words = t("monitor.requests", "en", n=last["state"]["arrived"], total=last["state"]["total"])
    expect(page.locator(f"{MONITOR} .number dd").nth(1)).to_have_text(words)
    assert clock(page) == round(last["samples"]["end_s"][-1])
