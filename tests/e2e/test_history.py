"""Back, coming back, and a server that comes back: nobody loses their place or a click."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import free_port, running_server
from tests.e2e.onstage import STAGE, expect_address, expect_step, open_stage, press, settle
from ui.words.i18n import t

MAIN = '[data-testid="stMain"]'


def go(page: Page, path: str) -> None:
    """A click in the navigation; menus are opened first."""
    link = page.locator(f'a[href$="{path}"]').first
    if not link.is_visible():
        page.locator('[data-testid="stTopNavSection"]').first.click()
    link.click()
    page.wait_for_url(f"**{path}*")
    settle(page)


def test_one_back_is_one_page(browser_page: Page, server: str) -> None:
    """It took two presses on every page: each had an entry without its query and one with it."""
    page, walk = browser_page, ("/ch03", "/glossary", "/ch04", "/monitor")
    shown = {"/ch03": "course.ch03.title", "/glossary": "nav.glossary", "/ch04": "course.ch04.title"}
    page.goto("about:blank")
    page.goto(f"{server}/")
    settle(page)
    before = page.evaluate("history.length")
    for path in walk:
        go(page, path)
        expect_address(page, "v=1")
    assert page.evaluate("history.length") == before + len(walk)
    for path in reversed(walk[:-1]):
        page.go_back()
        expect(page.locator(MAIN)).to_contain_text(t(shown[path], "en"))
        assert page.url.split("?")[0] == f"{server}{path}"
        settle(page)
    page.go_back()
    page.wait_for_url(
        re.compile(rf"^{re.escape(server)}/(\?.*)?$")
    )  # with its query, if it was drawn again meanwhile
    page.wait_for_timeout(1_500)  # a second press before the first is through is Streamlit's affair
    page.go_back()
    page.wait_for_url("about:blank")


def test_a_change_on_a_page_adds_no_entry(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    before = page.evaluate("history.length")
    for label, part in (("中文", "lang=zh"), ("English", "lang=en")):
        page.locator(".st-key-toolbar").get_by_text(label, exact=True).click()
        expect_address(page, part)
        expect_address(page, "#step=0")  # what the query pushed out is put back
    assert page.evaluate("history.length") == before


def test_who_looks_something_up_finds_their_step_again(browser_page: Page, server: str) -> None:
    """98 became 0."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    press(page, "ArrowRight", 17)
    expect_step(page, 17)
    go(page, "/ch03")
    expect(page.locator(STAGE)).to_be_visible()
    go(page, "/execute")
    expect_step(page, 17)
    page.goto("about:blank")
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    expect_step(page, 0)  # an address that is opened says where it stands


def test_the_first_click_after_a_restart_of_the_server_counts(chromium: Browser, tmp_path: Path) -> None:
    """The new server did not know the page: the click introduced it, and did nothing else. (A page of its
    own: the console rightly complains while the server is away.)"""
    context, port = chromium.new_context(locale="en-US"), str(free_port())
    page = context.new_page()
    with running_server(tmp_path / "one.txt", port=port) as url:
        page.goto(f"{url}/ch03?lang=en")
        settle(page)
        expect(page.locator(MAIN)).to_contain_text(t("course.ch03.title", "en"))
    page.wait_for_selector('[data-testid="stApp"]:not([data-test-connection-state="CONNECTED"])')
    with running_server(tmp_path / "two.txt", port=port):
        page.wait_for_selector('[data-testid="stApp"][data-test-connection-state="CONNECTED"]')
        settle(page)
        page.locator(".st-key-toolbar").get_by_text("中文", exact=True).click()
        expect(page.locator(MAIN)).to_contain_text(t("course.ch03.title", "zh"))
        context.close()
