"""axe-core on the pages that everybody sees, in both themes: nothing serious of our own.

axe comes with the package axe-playwright-python (requirements-dev.txt). Left out is Streamlit's own side bar,
whose markup we cannot reach: on narrow screens the pages are listed there.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import STAGE, open_stage, press, settle

_FOUND = find_spec("axe_playwright_python")
AXE = Path(str(_FOUND.origin)).parent / "axe.min.js" if _FOUND is not None else None

pytestmark = pytest.mark.skipif(
    AXE is None, reason="axe-playwright-python is not installed: pip install -r requirements-dev.txt"
)

PAGES = ("", "execute", "monitor", "ch03", "teacher")
RUN = """axe.run({ exclude: ['[data-testid="stSidebar"]'] },
  { resultTypes: ['violations'], rules: { 'label-content-name-mismatch': { enabled: true } } })"""
"""Said names must hold what is read on a button: who speaks to the computer says what they read."""

SERIOUS = ("serious", "critical")


def serious_faults(page: Page) -> list[str]:
    """What axe finds serious or worse, one line per node."""
    assert AXE is not None
    page.evaluate(AXE.read_text("utf-8"))
    found: dict[str, Any] = page.evaluate(RUN)
    faults: list[str] = []
    for rule in found["violations"]:
        if rule["impact"] not in SERIOUS:
            continue
        for node in rule["nodes"]:
            faults.append(f"{rule['id']}: {node['target']}: {node['html'][:200]}")
    return faults


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_serious(browser_page: Page, server: str, name: str) -> None:
    page = browser_page
    page.goto(f"{server}/{name}?lang=en")
    settle(page)
    expect(page.locator('[data-testid="stMain"] [data-testid="stElementContainer"]').first).to_be_visible()
    page.wait_for_timeout(2_500)
    assert serious_faults(page) == []


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_nothing_serious_on_a_decision_sheet(browser_page: Page, server: str) -> None:
    """It computes for minutes, so it never stands still."""
    page = browser_page
    page.goto(f"{server}/decision?lang=en&dz=8~16")
    expect(page.locator(".ds .grid")).to_be_visible()
    expect(page.locator(".ds-drawn svg").first).to_be_visible()
    assert serious_faults(page) == []


@pytest.mark.parametrize("viewport", [(1280, 720), (390, 844)])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_serious_while_a_question_stands(browser_page: Page, server: str, lang: str) -> None:
    """On the desk with the menu open too; on a phone in the pool as well."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=three&m=guided&lang={lang}")
    press(page, "ArrowRight", 2)
    page.wait_for_timeout(800)
    assert serious_faults(page) == []
    if page.locator(f"{STAGE} .b-more").is_visible():
        page.locator(f"{STAGE} .b-more").click()
        assert serious_faults(page) == []
        page.keyboard.press("Escape")
    press(page, "x")
    press(page, "ArrowRight", 4)
    page.wait_for_timeout(1_200)
    assert serious_faults(page) == []
