"""How a person reads and plays the stage, for the browser tests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from playwright.sync_api import Page, WebSocket, expect

STAGE = '[data-testid^="stBidiComponent"] [role="application"]'
A_NUMBER = re.compile(r"[1-9]\d*")
SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def open_stage(page: Page, url: str) -> None:
    """Open an address whose page has a stage; it is drawn, and the page's script has run to its end."""
    page.goto(url)
    settle(page)
    expect(page.locator(STAGE)).to_be_visible()
    expect(page.locator(f"{STAGE} .track")).to_have_attribute("aria-valuemax", A_NUMBER)


def settle(page: Page) -> None:
    page.wait_for_selector(SETTLED)


def hears_keys(page: Page, yes: bool = True) -> None:
    """Wait until the dot beside the buttons says whether a key comes to the stage."""
    hears = page.locator(f"{STAGE} .hears")
    expect(hears).to_have_attribute("data-on", "1") if yes else expect(hears).not_to_have_attribute(
        "data-on", "1"
    )


def step_of(page: Page) -> int:
    """The step on the screen, as the timeline's slider tells it."""
    return int(page.locator(f"{STAGE} .track").get_attribute("aria-valuenow") or -1)


def num_steps(page: Page) -> int:
    return int(page.locator(f"{STAGE} .track").get_attribute("aria-valuemax") or -1)


def expect_step(page: Page, step: int) -> None:
    """Wait until the stage shows this step."""
    expect(page.locator(f"{STAGE} .track")).to_have_attribute("aria-valuenow", str(step))


def expect_address(page: Page, part: str) -> None:
    """Wait until the address bar holds this; it is written after a short rest."""
    page.wait_for_function("part => location.href.includes(part)", arg=part)


def caption(page: Page) -> str:
    """The first line under the pool: what happened."""
    return page.locator(f"{STAGE} .zG .what").first.inner_text()


def press(page: Page, key: str, times: int = 1) -> None:
    """Keys as fast as they come, on the stage."""
    page.locator(STAGE).focus()
    for _ in range(times):
        page.keyboard.press(key)


def choose_language(page: Page, label: str, lang: str) -> None:
    """Click one of the three languages and wait until the stage speaks it."""
    page.locator(".st-key-toolbar").get_by_text(label, exact=True).click()
    expect(page.locator(STAGE)).to_have_attribute("lang", lang)
    settle(page)


@dataclass
class Wire:
    """Counts what a page says to its server: one message is one rerun asked for."""

    sent: list[int] = field(default_factory=list)

    def listen(self, page: Page) -> Wire:
        page.on("websocket", self._hear)
        return self

    def _hear(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda payload: self.sent.append(len(payload)))
