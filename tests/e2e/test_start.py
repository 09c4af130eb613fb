"""The front page and the room around the stage: what is there, where it leads, and that it fits."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import STAGE, expect_address, open_stage, press, settle
from ui.words.i18n import t

OVERFLOW = """() => [document.documentElement, document.querySelector('[data-testid="stMain"]')]
  .map(node => node.scrollWidth - node.clientWidth)"""

DOWNWARDS = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  return main.scrollHeight - main.clientHeight;
}"""


@pytest.mark.parametrize("lang", ["zh"])
def test_from_the_front_page_to_a_walk(browser_page: Page, server: str, lang: str) -> None:
    """The browser speaks Chinese: so does the page. A card, and off."""
    page = browser_page
    page.goto(f"{server}/")
    expect(page.locator(".act[data-ready]")).to_be_visible()
    settle(page)
    expect(page.get_by_text(t("start.alone", "zh"), exact=True)).to_be_visible()
    assert page.evaluate(OVERFLOW) == [0, 0]
    assert page.locator(STAGE).count() == 0, "nothing plays here"
    page.locator(".st-key-preset_P4 button").click()
    expect(page.locator(".st-key-alone")).to_contain_text(t("start.chosen", "zh"))
    settle(page)
    page.locator(".st-key-go_walk button").click()
    page.wait_for_url("**/execute*")
    settle(page)
    expect(page.locator(STAGE)).to_have_count(1)
    expect(page.locator(f"{STAGE} h2")).to_contain_text(t("scenario.P4.title", "zh"))
    for part in ("s=P4", "lang=zh"):
        expect_address(page, part)


def test_who_has_come_to_the_end_of_a_run_finds_its_result_on_the_card(
    browser_page: Page, server: str
) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P6&lang=en")
    press(page, "End")
    settle(page)
    page.locator("header a").first.click()
    card = page.locator(".st-key-alone")
    said = t("preset.seen", "en", reused="8", total="24")
    expect(card.get_by_text(said)).to_have_count(1)
    expect(card.get_by_text(re.compile(r"\d+ of \d+ tokens reused"))).to_have_count(1)


def test_the_stage_fits_on_the_screen(browser_page: Page, server: str) -> None:
    """On the screens of a lecture room the whole stage is in view and nothing scrolls sideways."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang=both")
    press(page, "ArrowRight", 20)
    for width, height in ((1280, 720), (1920, 1080), (1366, 768)):
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator(STAGE)).to_have_attribute("data-mode", "wide")
        page.wait_for_timeout(300)
        assert page.evaluate(OVERFLOW) == [0, 0]
        box = page.locator(STAGE).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
        assert page.evaluate(DOWNWARDS) == 0, "nor is there anything to scroll to"
    page.set_viewport_size({"width": 800, "height": 900})
    expect(page.locator(STAGE)).to_have_attribute("data-mode", "wide")
    page.wait_for_timeout(300)
    assert page.evaluate(OVERFLOW) == [0, 0]
    page.set_viewport_size({"width": 690, "height": 900})
    expect(page.locator(STAGE)).to_have_attribute("data-mode", "phone")
    page.wait_for_timeout(300)
    assert page.evaluate(OVERFLOW) == [0, 0]
    press(page, "ArrowRight")
    expect(page.locator(f"{STAGE} .track")).to_have_attribute("aria-valuenow", "21")
