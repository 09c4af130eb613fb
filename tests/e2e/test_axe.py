"""axe-core on the pages that everybody sees, in both themes: nothing serious of our own.

axe comes with the package axe-playwright-python (requirements-dev.txt). What is Streamlit's own is listed
here by rule and place, so that a new fault of ours cannot hide among it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import settle

_FOUND = find_spec("axe_playwright_python")
AXE = Path(str(_FOUND.origin)).parent / "axe.min.js" if _FOUND is not None else None

pytestmark = pytest.mark.skipif(
    AXE is None, reason="axe-playwright-python is not installed: pip install -r requirements-dev.txt"
)

PAGES = ("", "execute", "monitor", "ch03", "teacher")
RUN = "axe.run({ resultTypes: ['violations'], rules: { 'label-content-name-mismatch': { enabled: true } } })"
"""Said names must hold what is read on a button: who speaks to the computer says what they read."""

SERIOUS = ("serious", "critical")

STREAMLITS: tuple[tuple[str, str], ...] = ()
"""(rule, part of the selector): markup that we cannot reach."""


def serious_faults(page: Page) -> list[str]:
    """What axe finds serious or worse, one line per node that is not Streamlit's alone."""
    assert AXE is not None
    page.evaluate(AXE.read_text("utf-8"))
    found: dict[str, Any] = page.evaluate(RUN)
    faults: list[str] = []
    for rule in found["violations"]:
        if rule["impact"] not in SERIOUS:
            continue
        for node in rule["nodes"]:
            where = str(node["target"])
            if not any(rule["id"] == name and part in where + node["html"] for name, part in STREAMLITS):
                faults.append(f"{rule['id']}: {where}: {node['html'][:200]}")
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
