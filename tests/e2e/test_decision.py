"""The decision sheet in a browser: what stands on the first screen, and one sheet of paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.unit.ui.decision.made_up import asked
from ui.decision.paper import paper_html
from ui.decision.setup import Choice
from ui.words.i18n import LANGS, Lang

SIZES = (1.0, 1.5, 3.0, 6.0, 12.0, 24.0, 48.0)
LINK = "http://127.0.0.1:8501/decision?" + "&".join(f"x{number}=0123456789" for number in range(18))


@pytest.mark.parametrize("lang", LANGS)
def test_the_paper_is_one_page_and_nothing_is_cut(chromium: Browser, tmp_path: Path, lang: Lang) -> None:
    """The longest there is: seven sizes, six kinds of traffic, a long link; not finished, which it says."""
    told = asked(lang, runs=200, choice=Choice(sizes_gib=SIZES), cache_cap=500)
    file = tmp_path / "sheet.html"
    file.write_text(paper_html(told, LINK, "2026-01-02"), "utf-8")
    page = chromium.new_page(viewport={"width": 794, "height": 1122})
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    faults = page.evaluate(
        """() => {
          const main = document.querySelector('main'), faults = [], edge = main.getBoundingClientRect();
          if (main.scrollHeight > 1122 || main.scrollWidth > 794) faults.push(`main ${main.scrollHeight}`);
          for (const one of main.querySelectorAll('*')) {
            const box = one.getBoundingClientRect(), size = parseFloat(getComputedStyle(one).fontSize);
            if (one.className.baseVal === undefined && one.className.includes?.('vh')) continue;
            const name = one.outerHTML.slice(0, 80);
            if (box.bottom > edge.bottom + 1 || box.right > edge.right + 1) faults.push('outside ' + name);
            if (one.textContent.trim() && size < 12) faults.push('small ' + name);
            if (one.clientWidth && one.scrollWidth > one.clientWidth + 1) faults.push('cut ' + name);
            const card = one.closest('.ds-card')?.getBoundingClientRect();
            if (card && (box.right > card.right + 1 || box.bottom > card.bottom + 1)) {
              faults.push('over ' + name);
            }
          }
          return faults;
        }"""
    )
    assert faults == []
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


@pytest.mark.parametrize("viewport", [(1280, 720)])
@pytest.mark.parametrize("lang", LANGS)
def test_finding_numbers_and_figures_stand_on_the_first_screen(
    browser_page: Page, server: str, lang: str
) -> None:
    page = browser_page
    page.goto(f"{server}/decision?lang={lang}&dz=8~16")
    expect(page.locator(".ds .grid")).to_be_visible()
    # while it computes, the grid is drawn anew every second
    page.wait_for_function("document.querySelector('.ds .grid')?.getBoundingClientRect().bottom <= 720")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.parametrize("viewport", [(390, 844)])
def test_a_phone_has_every_column_and_letters_of_their_size(browser_page: Page, server: str) -> None:
    """The tables scroll in their own boxes, which can be reached by keyboard; drawings are not blown up."""
    page = browser_page
    page.goto(f"{server}/decision?lang=en&dz=8~16")
    expect(page.locator(".ds .grid thead th")).to_have_count(7)
    page.wait_for_function("document.querySelector('.ds-drawn svg text')")
    seen = page.evaluate(
        """() => ({
          wide: document.documentElement.scrollWidth,
          hidden: [...document.querySelectorAll('.ds th, .ds td')].filter((one) => !one.offsetWidth).length,
          boxes: [...document.querySelectorAll('.ds .scroll')].map((one) => one.tabIndex),
          letters: [...document.querySelectorAll('.ds-drawn text')].map((one) => {
            return one.getBoundingClientRect().height;
          }).filter((height) => height > 0),
        })"""
    )
    assert seen["wide"] <= 390
    assert seen["hidden"] == 0
    assert seen["boxes"] == [0] * len(seen["boxes"])
    assert seen["letters"]
    assert 11 < min(seen["letters"]) <= max(seen["letters"]) < 22
