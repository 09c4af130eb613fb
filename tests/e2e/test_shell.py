"""The shell around every page: it opens, knows its pages, and does so whichever address comes first."""

from __future__ import annotations

import shutil
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import BROKEN, ROOT, running_server

NAV_LINKS = '[data-testid="stSidebarNavLink"], [data-testid="stTopNavLink"]'
STAGE = '[data-testid^="stBidiComponent"] [role="application"]'
# The script of the page has run to its end and nothing is being replaced any more.
SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'
APP_PARTS = ("app.py", "pages", "ui", "core", "assets", ".streamlit")


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(SETTLED)
    expect(page.locator('[data-testid="stMain"] [data-testid="stElementContainer"]').first).to_be_visible()
    expect(page.locator(BROKEN)).to_have_count(0)
    expect(page.locator('[role="dialog"]')).to_have_count(0)  # "Page not found" is a dialog


def nav_paths(page: Page) -> list[str]:
    links = page.locator(NAV_LINKS)
    expect(links.first).to_be_attached()
    return [page.evaluate("a => new URL(a.href).pathname", link) for link in links.element_handles()]


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_front_page_opens(browser_page: Page, server: str, lang: str, colour_scheme: str) -> None:
    open_page(browser_page, f"{server}/")
    assert "/execute" in nav_paths(browser_page)


def test_execute_opens_from_the_navigation(browser_page: Page, server: str) -> None:
    open_page(browser_page, f"{server}/")
    browser_page.locator(f':is({NAV_LINKS})[href$="/execute"]').click()
    browser_page.wait_for_url("**/execute*")
    open_page(browser_page, browser_page.url)


def test_deep_link_as_the_first_request(browser_page: Page, fresh_server: str) -> None:
    """A shared link on a server nobody has visited: Streamlit then runs the page's file without app.py.

    Without the guard at the end of each page the menu would list files ("app", "execute") and the page would
    stand alone, for every later visitor too.
    """
    open_page(browser_page, f"{fresh_server}/execute")
    first = nav_paths(browser_page)
    assert browser_page.url.split("?")[0] == f"{fresh_server}/execute"
    expect(browser_page.locator(STAGE).first).to_be_visible()
    open_page(browser_page, f"{fresh_server}/")
    assert first == nav_paths(browser_page)
    assert "/app" not in first


def test_only_the_stage_is_served(server: str) -> None:
    """The texts and scenarios are read by Python; the browser may fetch the modules and nothing else."""
    for private in (
        "app/static/scenarios/P0.json",
        "app/static/i18n/en.toml",
        "app/static/../assets/i18n/en.toml",
    ):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{server}/{private}", timeout=10)
        refused.value.close()
        assert refused.value.code in {400, 403, 404}


def test_read_only_folder_still_draws_the_stage(browser_page: Page, tmp_path: Path) -> None:
    """Where static/ cannot be filled, the modules travel inside the loader."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for part in APP_PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / part)
    (copy / "static").write_text("in the way, as a read-only folder would be\n")
    with running_server(tmp_path / "log.txt", copy) as url:
        open_page(browser_page, f"{url}/execute")
        expect(browser_page.locator(STAGE).first).to_be_visible()
        browser_page.goto("about:blank")  # the page must not miss the server that stops here
