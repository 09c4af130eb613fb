"""Keys: the stage keeps those that would reach Streamlit, text fields keep all of theirs."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.onstage import (
    STAGE,
    Wire,
    caption,
    choose_language,
    expect_address,
    expect_step,
    open_stage,
    press,
    step_of,
)
from ui.words.i18n import t


def test_r_and_c_on_the_stage_do_nothing(browser_page: Page, server: str) -> None:
    """Streamlit would rerun on r and ask about its caches on c: a slip must not cost the page."""
    page = browser_page
    wire = Wire().listen(page)
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    press(page, "ArrowRight", 4)
    sent, said = len(wire.sent), caption(page)
    for key in ("r", "c", "R", "C", "x", "z", "Tab", "r", "c"):  # Tab: on a thing inside the stage as well
        page.keyboard.press(key)
    page.wait_for_timeout(500)
    assert len(wire.sent) == sent
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert (step_of(page), caption(page)) == (4, said)
    page.keyboard.press("?")
    expect(page.locator(f"{STAGE} .drawer.d-help")).to_contain_text(t("stage.key.nextBlock", "en"))
    page.keyboard.press("Escape")
    expect(page.locator(f"{STAGE} .drawer")).to_have_count(0)
    page.keyboard.press("g")  # a field inside the stage: digits and Enter are its own
    page.locator(f"{STAGE} .drawer.d-goto input").fill("23")
    page.keyboard.press("Enter")
    expect_step(page, 23)
    press(page, "ArrowRight")
    expect_address(page, "step=24")


def test_the_stage_has_the_keyboard_and_a_question_waits(browser_page: Page, server: str) -> None:
    """Guided: the run stops before the outcome; a digit answers, the feedback says why, and it goes on."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en&m=guided")
    expect(page.locator(f"{STAGE} .hint")).to_have_text(t("stage.hint", "en"))
    page.keyboard.press("ArrowRight")
    expect_step(page, 1)
    options = page.locator(f"{STAGE} .zQ .option")
    for _ in range(60):
        if options.count():
            break
        page.keyboard.press("ArrowRight")
    asked = step_of(page)
    expect(options.first).to_be_visible()
    press(page, "ArrowRight")
    assert step_of(page) == asked, "the first press only points at the question"
    press(page, "1")
    expect(page.locator(f"{STAGE} .zQ .question")).to_be_visible()
    expect(options).to_have_count(0)
    assert step_of(page) == asked + 1


def test_why_an_answer_was_right_follows_the_language(browser_page: Page, server: str) -> None:
    """All of the feedback is said in the language chosen now, not in that of the answer."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P4&lang=en&m=guided#step=56")
    told = page.locator(f"{STAGE} .zQ .question")
    expect(told).to_contain_text(t("stage.ask.touch", "en", block=0))
    press(page, "2")
    expect(told).to_contain_text(t("stage.ask.touch.told", "en"))
    choose_language(page, "中文", "zh")
    expect(told).to_contain_text(t("stage.ask.touch.told", "zh"))
    expect(told).not_to_contain_text(t("stage.ask.touch.told", "en"))
