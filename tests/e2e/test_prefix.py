"""Why only the prefix, in a real browser: the bet, blocks by keyboard and pointer, a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.onstage import settle
from ui.words.i18n import Lang, t


def open_map(page: Page, server: str, lang: Lang = "en") -> Locator:
    page.goto(f"{server}/prefill?open=prefill.prefix&lang={lang}")
    settle(page)
    drawn = page.locator(".attention[data-ready]")
    expect(drawn).to_be_visible()
    return drawn


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_errors_and_verdicts_come_with_the_bet(browser_page: Page, server: str, lang: Lang) -> None:
    drawn = open_map(browser_page, server, lang)
    expect(drawn.locator("canvas")).to_have_count(1)
    expect(drawn.locator(".verdict")).to_have_count(0)
    for number in (0, 1):
        browser_page.get_by_test_id("stButtonGroup").get_by_text(
            t("prefill.map.block", lang, n=number), exact=True
        ).click()
    browser_page.get_by_role("button", name=t("prefill.prefix.bet.place", lang)).click()
    expect(drawn.locator("canvas")).to_have_count(2)
    expect(drawn.locator(".block.hit")).to_have_count(2)
    expect(drawn.locator(".block.miss")).to_have_count(4)
    told = t("prefill.prefix.bet.right", lang, bet="0, 1" if lang == "en" else "0、1")
    expect(browser_page.get_by_text(told)).to_be_visible()


def test_a_block_is_chosen_by_keys_and_by_pointer(browser_page: Page, server: str) -> None:
    drawn = open_map(browser_page, server)
    drawn.locator(".block").first.click()
    expect(drawn.get_by_role("status")).to_contain_text(t("prefill.map.choose.open", "en"))
    browser_page.get_by_role("button", name=t("prefill.prefix.bet.skip", "en")).click()
    expect(drawn.locator("canvas")).to_have_count(2)
    drawn.locator(".block").first.focus()
    browser_page.keyboard.press("Home")
    for _ in range(2):
        browser_page.keyboard.press("ArrowDown")
    expect(drawn.locator(".block[aria-pressed=true]")).to_have_attribute("data-do", "block:2")
    expect(drawn.get_by_role("status")).to_contain_text("56 of 88 rows read it, 40 of them in later blocks")
    picture = drawn.locator("canvas.triangle")
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": box["width"] * 0.03, "y": box["height"] * 0.9})
    expect(drawn.get_by_role("status")).to_contain_text("88 of 88 rows read it")
    expect(drawn.locator(".hover")).to_have_text(
        re.compile(r"^Token \d+ “.+” gives [\d.]+ % of its attention")
    )
    picture.hover(position={"x": box["width"] * 0.9, "y": box["height"] * 0.1})
    expect(drawn.locator(".hover")).to_contain_text("it lies ahead")


def test_on_a_phone_nothing_is_wider_than_the_screen(browser_page: Page, server: str) -> None:
    browser_page.set_viewport_size({"width": 390, "height": 844})
    drawn = open_map(browser_page, server, "zh")
    browser_page.get_by_role("button", name=t("prefill.prefix.bet.skip", "zh")).click()
    expect(drawn.locator("canvas")).to_have_count(2)
    assert browser_page.evaluate("document.documentElement.scrollWidth") <= 390
    for canvas in drawn.locator("canvas").all():
        box = canvas.bounding_box()
        assert box is not None
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390
