"""Monitor over a bad line: messages come in clumps, words are lost; the clock goes on, the count holds.

A server whose bins are merged early and whose ticks are short, so that several merges fit into seconds.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.e2e.conftest import ROOT, running_server
from tests.e2e.test_monitor import CHART, MONITOR, TIME_OVER, number, open_monitor, pause
from tests.e2e.test_server import APP_PARTS
from ui.monitor.sent import AGAIN
from ui.words.i18n import t

QUICKER = (
    ("core/load/run.py", "most_bins: int = 600", "most_bins: int = 120"),
    ("ui/monitor/run.py", "TICK_S = 1.0", "TICK_S = 0.25"),
    ("assets/monitor/tell.js", "AGAIN_MS = 3000", "AGAIN_MS = 800"),
)
NAME = "broth_monitor"
LONG, SHORT = AGAIN + 4, 3
"""Messages that come at once. A long clump holds more than a message can make up for."""

BEFORE_S, MERGED_S = 448, 480
"""A long clump that begins here holds the third merge and leaves its message behind."""

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


def is_load(told: ForwardMsg) -> bool:
    """Whether a message is for the monitor."""
    element = told.delta.new_element
    return element.WhichOneof("type") == "bidi_component" and element.bidi_component.component_name == NAME


@dataclass
class Line:
    """Between page and server. ``told``: what the server said of the load; ``lost``: words that got lost."""

    bad: bool = False
    held: list[ForwardMsg] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    asked: list[bytes] = field(default_factory=list)
    lost: list[bytes] = field(default_factory=list)

    def route(self, page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()
        self.page_side = page_side
        page_side.on_message(lambda message: self._up(server_side, message))
        server_side.on_message(self._down)

    def _up(self, server_side: WebSocketRoute, message: Any) -> None:
        said = [word for word in (LACKS, PAUSE) if word in message]
        fresh = [word for word in said if word not in self.lost]
        self.asked += said
        self.lost += fresh
        if not fresh:
            server_side.send(message)

    def _down(self, message: Any) -> None:
        told = ForwardMsg()
        told.ParseFromString(message)
        if is_load(told):
            self.told.append(json.loads(told.delta.new_element.bidi_component.bytes))
        self.held.append(told)
        if not self.bad:
            self.clump()

    def clump(self) -> None:
        """All that has come meanwhile, at once. The page finds no time to draw but the last of the load."""
        held, self.held = self.held, []
        last = next((one for one in reversed(held) if is_load(one)), None)
        for told in held:
            if last is not None and is_load(told):
                told.delta.new_element.bidi_component.bytes = last.delta.new_element.bidi_component.bytes
            self.page_side.send(told.SerializeToString())

    def clump_of(self, num_messages: int, page: Page) -> None:
        """Silence until so many messages for the monitor wait."""
        goal = len(self.told) + num_messages
        while len(self.told) < goal:
            page.wait_for_timeout(50)
        self.clump()

    @property
    def end_s(self) -> float:
        end: float = self.told[-1]["samples"]["end_s"][-1]
        return end

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
    line.bad = True
    while line.end_s < BEFORE_S:
        line.clump_of(1, page)
    assert line.merges == 2
    line.clump_of(LONG, page)
    left_behind = line.end_s
    assert (line.merges, left_behind > MERGED_S) == (3, True)
    seen = [clock(page)]
    while line.merges == 3:
        line.clump_of(SHORT, page)
        seen.append(clock(page))
    assert line.asked.count(LACKS) > line.lost.count(LACKS) == 1
    assert seen[-2] > left_behind, "it stood still until bins were merged again"
    line.bad = False
    line.clump()

    pause(page)  # the first word of it is lost too
    expect(page.locator(CHART)).to_be_visible()
    last = line.told[-1]
    assert (last["state"]["playing"], line.lost.count(PAUSE)) == (False, 1)
    words = t("monitor.requests", "en", n=last["state"]["arrived"], total=last["state"]["total"])
    expect(page.locator(f"{MONITOR} .number dd").nth(1)).to_have_text(words)
    assert clock(page) == round(last["samples"]["end_s"][-1])
