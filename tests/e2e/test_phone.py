"""A phone is a real screen: one zone at a time, text of 16 pixels, targets of 44, a swipe is a step."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import PAGE_TIMEOUT_MS
from tests.e2e.onstage import STAGE, expect_step, open_stage, step_of
from ui.words.i18n import t

PHONE = f"{STAGE} .phone"
SIZES = [(390, 844), (360, 640)]

SMALL = """
phone => {
  const wrong = [];
  const seen = node => node.getClientRects().length && !node.closest('[inert], .live, .pghost')
    && getComputedStyle(node).visibility !== 'hidden';
  const classes = node => node.className.baseVal ?? node.className;
  const name = node => `${classes(node)} “${node.textContent.trim().slice(0, 24)}”`;
  const check = node => {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    if (own && parseFloat(getComputedStyle(node).fontSize) < 16) wrong.push('small text: ' + name(node));
    const { width, height, left, right } = node.getBoundingClientRect();
    const isTarget = node.matches('button, [role=button], input, [tabindex="0"]');
    if (isTarget && Math.min(width, height) < 43.9) wrong.push(`target of ${width}×${height}: ` + name(node));
    const over = width > 0 && (left < -0.5 || right > innerWidth + 0.5);
    if (over && !node.closest('.preqs') && !node.matches('.ptrack'))
      wrong.push('over the edge: ' + name(node));
  };
  [...phone.querySelectorAll('*')].filter(seen).forEach(check);
  if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page scrolls across');
  const bottom = phone.querySelector('.pnext').getBoundingClientRect().bottom;
  if (bottom > innerHeight + 0.5) wrong.push('the foot is below the fold: ' + bottom);
  return [...new Set(wrong)];
}
"""
"""What is too small for eye or finger, or stands over the edge."""

AS_TEXT = """
phone => {
  const attributes = node => [...node.attributes].map(one => one.name + '=' + one.value).sort().join(' ');
  const told = node => node.nodeType === 3 ? node.textContent : node.nodeType !== 1 ? '' :
    '<' + node.tagName + ' ' + attributes(node) + '>' + [...node.childNodes].map(told).join('') + '</>';
  return told(phone) + [...phone.querySelectorAll('.pzone')].map(zone => zone.scrollTop).join();
}
"""
"""The tree with its attributes in order: which one was set first is no difference to the eye."""


@pytest.fixture
def viewport() -> tuple[int, int]:
    return SIZES[0]


def too_small(page: Page) -> list[str]:
    return list(page.locator(PHONE).evaluate(SMALL))


def swipe(page: Page, dx: int, dy: int = 0) -> None:
    """One finger, as the browser hears it."""
    finger = page.context.new_cdp_session(page)
    x, y = 195, 500
    points = [{"x": x + dx * part / 8, "y": y + dy * part / 8} for part in range(9)]
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [points[0]]})
    for point in points[1:]:
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def picture(phone: Locator) -> str:
    """All that the phone shows, as it stands in the page, and how far its zones are scrolled."""
    return str(phone.evaluate(AS_TEXT))


def test_a_swipe_is_a_step_and_back_is_exact(chromium: Browser, server: str) -> None:
    """Left is next, right is back, up and down are the page's; a step back shows what stood there."""
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.set_default_timeout(PAGE_TIMEOUT_MS)
    page = context.new_page()
    page.emulate_media(reduced_motion="reduce")
    open_stage(page, f"{server}/execute?s=three&lang=en")
    phone = page.locator(PHONE)
    shown: list[tuple[int, str]] = [(step_of(page), picture(phone))]
    for _ in range(8):
        before = step_of(page)
        swipe(page, -120)
        expect(page.locator(f"{STAGE} .track")).not_to_have_attribute("aria-valuenow", str(before))
        shown.append((step_of(page), picture(phone)))
    for step, html in reversed(shown[:-1]):
        swipe(page, 120)
        expect_step(page, step)
        assert picture(phone) == html, step
    swipe(page, -40)
    swipe(page, -60, 200)
    page.wait_for_timeout(200)
    assert step_of(page) == shown[0][0], "too short, or not across"
    scrolled: Any = page.evaluate("[scrollX, document.querySelector('.stMain')?.scrollLeft ?? 0]")
    assert scrolled == [0, 0]
    context.close()


def test_the_map_shows_another_zone_until_the_next_step(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=three&lang=en")
    phone = page.locator(PHONE)
    follow = phone.get_by_role("button", name=t("stage.phone.follow", "en"))
    expect(follow).to_be_hidden()
    phone.locator(".pstop").nth(2).click()
    expect(phone.locator(".pstop").nth(2)).to_have_attribute("aria-current", "true")
    expect(phone.get_by_text(t("stage.phone.head", "en"), exact=True)).to_be_visible()
    follow.click()
    expect(phone.locator(".pstop").nth(0)).to_have_attribute("aria-current", "true")
    phone.locator(".pstop").nth(1).click()
    phone.locator(".pnext").click()
    expect(phone.locator(".pstop").nth(0)).to_have_attribute("aria-current", "true")


def test_a_question_is_answered_by_tapping_the_thing(browser_page: Page, server: str) -> None:
    """No step runs over it; the block that is tapped is the answer, and what it would have meant is said."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=three&lang=en&m=guided")
    phone = page.locator(PHONE)
    block = phone.locator(".pblk.ask").first
    for _ in range(40):
        if block.is_visible():
            break
        phone.locator(".pnext").click()
    asked = step_of(page)
    expect(phone.locator(".pnext")).to_have_text(t("stage.phone.guess", "en"))
    phone.locator(".pnext").click()
    assert step_of(page) == asked
    expect(phone.locator(".pnudge")).to_have_text(t("stage.ask.first.phone", "en"))
    expect(phone.locator(".pnudge")).to_be_visible()
    expect(phone.locator(".pboard")).to_be_in_viewport(ratio=1)
    assert too_small(page) == []
    block.click()
    expect_step(page, asked + 1)
    expect(phone.locator(".zG .verdict")).to_be_visible()


def test_the_menu_holds_what_a_phone_can_use_and_no_talk_of_keys(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    phone = page.locator(PHONE)
    phone.get_by_role("button", name=t("stage.phone.menu", "en"), exact=True).click()
    sheet = phone.get_by_role("dialog", name=t("stage.phone.menu", "en"))
    expect(sheet).to_be_visible()
    assert too_small(page) == []
    sheet.get_by_role("button", name=t("stage.phone.do.log", "en")).click()
    rows = page.locator(f"{STAGE} .drawer .logrow")
    for _ in range(3):
        page.locator(f"{STAGE} .drawer .close").click()
        phone.locator(".pnext").click()
        phone.get_by_role("button", name=t("stage.phone.menu", "en"), exact=True).click()
        sheet.get_by_role("button", name=t("stage.phone.do.log", "en")).click()
    expect(rows.first).to_be_visible()
    assert all(box["height"] >= 44 for row in rows.all() if (box := row.bounding_box()))
    page.locator(f"{STAGE} .drawer .close").click()
    words = phone.inner_text()
    assert not any(key in words for key in ("→ to", "Space", "Press →", "Shift", "Enter"))
