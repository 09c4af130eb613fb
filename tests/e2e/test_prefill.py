"""Real prefill in a real browser: press measure, see it go on, see the result; the stage shows its times."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import STAGE, settle
from ui.prefill.sections import GROUPS, group_of
from ui.words.i18n import Lang, t, table

MEASURING_MS = 120_000
"""A busy machine takes its time."""


def open_prefill(page: Page, server: str, lang: Lang) -> None:
    page.goto(f"{server}/prefill?lang={lang}")
    settle(page)
    expect(page.get_by_role("heading", name=t("prefill.title", lang))).to_be_visible()


def open_section(page: Page, name: str, lang: Lang) -> None:
    """Choose it, and wait until it stands there."""
    if (group := group_of(name)) != "clock":
        page.get_by_text(t(f"prefill.group.{group}", lang), exact=True).click()
    if len(GROUPS[group]) > 1:
        page.get_by_text(t(f"prefill.{name}.title", lang), exact=True).click()
    intro = re.split(r"[*`]", t(f"prefill.{name}.intro", lang))[0].strip()
    expect(page.get_by_text(intro)).to_be_visible()
    settle(page)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_measuring_goes_on_while_the_page_answers(browser_page: Page, server: str, lang: Lang) -> None:
    page = browser_page
    open_prefill(page, server, lang)
    open_section(page, "sweep", lang)
    page.get_by_role("button", name=t("prefill.measure", lang), exact=True).click()
    bar = page.get_by_test_id("stProgress")
    expect(bar).to_contain_text(t("prefill.sweep.title", lang))
    open_section(page, "pair", lang)
    expect(bar).to_be_visible()
    expect(bar).to_have_count(0, timeout=MEASURING_MS)
    open_section(page, "sweep", lang)
    measured_here = re.split("[:：]", table(lang)["prefill.from.own"])[0]
    expect(page.get_by_text(measured_here)).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_be_visible()


def test_a_measurement_is_stopped(browser_page: Page, server: str) -> None:
    open_prefill(browser_page, server, "en")
    open_section(browser_page, "long", "en")  # long enough for a press on a busy machine
    browser_page.get_by_role("button", name=t("prefill.measure", "en"), exact=True).click()
    browser_page.get_by_role("button", name=t("prefill.cancel", "en"), exact=True).click()
    expect(browser_page.get_by_text(t("error.backend.cancelled", "en"))).to_be_visible(timeout=MEASURING_MS)
    expect(browser_page.get_by_role("button", name=t("prefill.measure", "en"), exact=True)).to_be_enabled()


def test_the_stage_shows_measured_milliseconds(browser_page: Page, server: str) -> None:
    page = browser_page
    page.goto(f"{server}/execute?lang=en&s=P3")
    expect(page.locator(STAGE)).to_be_visible()
    page.get_by_role("button", name=t("control.set_up", "en")).click()
    page.get_by_text(t("prefill.switch", "en"), exact=True).click()
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=MEASURING_MS)
    settle(page)
    page.keyboard.press("Escape")
    page.locator(STAGE).click(position={"x": 5, "y": 5})
    measured = page.locator("p.measured")
    for press in range(90):  # the times may arrive while we walk: then once more from the start
        page.keyboard.press("Home" if press % 30 == 0 else "ArrowRight")
        if measured.count():
            break
    expect(measured).to_have_text(re.compile(r"measured: [\d.]+ ms for the \d+ tokens? of this pass"))
