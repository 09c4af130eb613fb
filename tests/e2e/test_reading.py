"""A chapter as a page: lines that can be read, a picture that stays beside its text, a bet by hand."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import settle

SCROLL = "y => document.querySelector('[data-testid=stMain]').scrollTo(0, y)"
TOP = "() => document.querySelector('[class*=st-key-picture-]').getBoundingClientRect().top"
# Characters of the longest line of all paragraphs; beside Chinese a Latin letter counts half.
LONGEST = """zh => Math.max(...[...document.querySelectorAll('.stMarkdown p')].flatMap(p => {
  if (p.closest('[data-testid=stCaptionContainer]')) return [0];
  const walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT), lines = {};
  for (let node; (node = walk.nextNode());) for (let i = 0; i < node.length; i++) {
    const range = document.createRange(), wide = !zh || node.data[i] > '\u2e80';
    range.setStart(node, i); range.setEnd(node, i + 1);
    const line = Math.round(range.getBoundingClientRect().bottom / 8);
    lines[line] = (lines[line] || 0) + (wide ? 1 : 0.5);
  }
  return [0, ...Object.values(lines)];
}))"""


@pytest.mark.parametrize("viewport", [(1280, 720), (1920, 1080)], ids=["laptop", "large"])
@pytest.mark.parametrize(("lang", "most"), [("en", 80), ("zh", 38)])
def test_lines_are_short_and_the_picture_stays(browser_page: Page, server: str, lang: str, most: int) -> None:
    page = browser_page
    page.goto(f"{server}/ch03?lang={lang}")
    settle(page)
    expect(page.locator(".tr-block").first).to_be_visible()
    assert page.evaluate(LONGEST, lang == "zh") <= most
    before = page.evaluate(TOP)
    page.evaluate(SCROLL, 260)
    page.wait_for_function(f"before => ({TOP})() < before", arg=before)
    assert 56 <= page.evaluate(TOP) <= 72, "just below the bar"


@pytest.mark.parametrize("viewport", [(390, 844)], ids=["phone"])
def test_on_a_phone_the_picture_follows_the_first_words_and_a_bet_is_typed(
    browser_page: Page, server: str
) -> None:
    page = browser_page
    page.goto(f"{server}/ch03?lang=en")
    settle(page)
    hook = page.locator(".stMarkdown p", has_text="hangs a board")
    bet = page.locator(".st-key-bet-ch03-a")
    above, below = (one.bounding_box()["y"] for one in (hook, bet))  # type: ignore[index]
    assert above < page.evaluate(TOP) < below
    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
    bet.get_by_role("spinbutton").fill("9")
    bet.get_by_role("button", name="That is my bet").click()  # ends the typing, and commits
    expect(page.locator(".st-key-told-ch03-a")).to_be_visible()
    page.wait_for_url("**bets=03a**")
    page.reload()
    expect(page.locator(".st-key-told-ch03-a")).to_be_visible()
