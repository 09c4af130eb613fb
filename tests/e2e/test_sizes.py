"""Sizes: a page that is all stage shows it whole, and its words can be read, the presenter's from afar."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.e2e.onstage import STAGE, open_stage, press

SMALL = """(root, least) => {
  const floor = root.querySelector(".stage"), scale = floor.getBoundingClientRect().width / floor.offsetWidth;
  const small = [], walker = document.createTreeWalker(floor, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: holder, textContent } = walker.currentNode, words = textContent.trim();
    if (!words || !holder.getBoundingClientRect().width || holder.closest(".live")) continue;
    const size = parseFloat(getComputedStyle(holder).fontSize) * scale;
    if (size && size < least - 0.01) small.push(`${words} (${holder.className}): ${size.toFixed(1)}`);
  }
  return small;
}"""
"""Words in letters smaller than that many pixels of the screen."""

HIDDEN = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  return main.scrollHeight - main.clientHeight;
}"""
"""Pixels of the page that one has to scroll for."""


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("viewport", [(1280, 720), (1366, 768), (1920, 1080)])
def test_the_whole_stage_is_seen_and_no_word_is_small(
    browser_page: Page, server: str, lang: str, viewport: tuple[int, int]
) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang={lang}#step=60")
    box = page.locator(f"{STAGE} .stage").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= viewport[0]
    assert box["y"] + box["height"] <= viewport[1]
    assert page.evaluate(HIDDEN) == 0
    for key in ("Home", "End", "N", "k", "d"):
        press(page, key)
        assert page.locator(STAGE).evaluate(SMALL, 12) == [], key


@pytest.mark.parametrize("viewport", [(1024, 768)])
def test_a_small_window_shows_it_whole_too(
    browser_page: Page, server: str, viewport: tuple[int, int]
) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang=en")
    box = page.locator(f"{STAGE} .stage").bounding_box()
    assert box is not None
    assert box["width"] == viewport[0]
    assert page.evaluate(HIDDEN) == 0


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("viewport", [(1920, 1080)])
def test_the_presenters_words_can_be_read_from_the_last_row(
    browser_page: Page, server: str, lang: str
) -> None:
    """28 pixels on a screen of 1920 x 1080, with nothing else of the page on it."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang={lang}&present=1#step=60")
    box = page.locator(f"{STAGE} .stage").bounding_box()
    assert box is not None
    assert [round(box[name]) for name in ("x", "y", "width", "height")] == [0, 0, 1920, 1080]
    for key in ("Home", "End", "N", "E"):
        press(page, key)
        assert page.locator(STAGE).evaluate(SMALL, 28) == [], key
