"""Every page in a real browser, in both languages: it draws, nothing throws, nothing sticks out sideways.

Errors of the page's scripts and requests to other hosts fail a test by themselves (conftest.py).
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from pages.navigation import CHAPTERS, MODES, PAGES
from tests.e2e.conftest import BROKEN
from ui.words.i18n import Lang, t

RUNNING = '[data-testid="stStatusWidget"]'
CUT_JS = """() => [...document.querySelectorAll('[data-testid="stMetric"] *')]
  .filter(one => one.clientWidth && one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"""
WIDER_JS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize(
    ("lang", "viewport"), [("zh", (1280, 720)), ("en", (1920, 1080))], ids=["zh-1280x720", "en-1920x1080"]
)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_in_a_browser(name: str, lang: Lang, server: str, browser_page: Page) -> None:
    page = browser_page
    address = "" if name == MODES[0] else name
    page.goto(f"{server}/{address}?lang={lang}")
    title = t(f"course.{name}.title", lang) if name in CHAPTERS else t(f"nav.{name}", lang)
    expect(page.get_by_test_id("stMainBlockContainer")).to_be_visible()
    if name in CHAPTERS:
        expect(page.get_by_role("heading", name=title).first).to_be_visible()
    page.wait_for_function(f"!document.querySelector('{RUNNING}')")
    assert page.locator(BROKEN).count() == 0
    assert page.evaluate(WIDER_JS) <= 0


@pytest.mark.parametrize("viewport", [(390, 844), (800, 900), (1024, 768)])
def test_a_large_number_breaks_and_is_not_cut(server: str, browser_page: Page) -> None:
    page = browser_page
    page.goto(f"{server}/ch01?lang=en&open=ch01.counter")
    expect(page.get_by_test_id("stMetric")).to_have_count(1)
    page.wait_for_function(f"!document.querySelector('{RUNNING}')")
    assert page.evaluate(CUT_JS) == []
