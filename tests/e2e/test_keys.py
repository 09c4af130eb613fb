"""Keys: the stage keeps those that would reach Streamlit, text fields keep all of theirs; it hears them where
it was clicked or where it is all of the page, and says so."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import (
    STAGE,
    Wire,
    caption,
    choose_language,
    expect_address,
    expect_step,
    hears_keys,
    open_stage,
    press,
    settle,
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
    """Guided: the run stops before the outcome, whatever is pressed; a digit answers, with its reason."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en&m=guided")
    hears_keys(page)
    expect(page.locator(f"{STAGE} .hears")).to_have_text(t("stage.keys.on", "en"))
    page.keyboard.press("ArrowRight")
    asking = page.locator(f"{STAGE} .zG[data-asking]")
    for _ in range(60):
        if asking.count():
            break
        page.keyboard.press("ArrowRight")
    asked = step_of(page)
    knob = page.locator(f"{STAGE} [data-do=next]")
    expect(knob).to_have_text(t("stage.btn.guess", "en"))
    press(page, "ArrowRight", 3)
    press(page, "n")
    knob.click()
    assert step_of(page) == asked, "nothing steps over an open question"
    expect(page.locator(f"{STAGE} .live")).to_contain_text(t("stage.ask.first", "en"))
    press(page, "x")
    expect(asking).to_have_count(0)
    assert step_of(page) > asked
    expect(page.locator(f"{STAGE} .zG")).to_contain_text(t("stage.ask.right", "en"))
    expect(knob).to_have_text(t("stage.btn.next", "en"))


def test_a_verdict_follows_the_language(browser_page: Page, server: str) -> None:
    """All of it is said in the language chosen now, not in that of the answer."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en&m=guided")
    bench = page.locator(f"{STAGE} .zG")
    for _ in range(60):
        if page.locator(f"{STAGE} .zG[data-asking]").count():
            break
        page.keyboard.press("ArrowRight")
    press(page, "x")
    expect(bench).to_contain_text(t("stage.ask.right", "en"))
    choose_language(page, "中文", "zh")
    expect(bench).to_contain_text(t("stage.ask.right", "zh"))
    expect(bench).not_to_contain_text(t("stage.ask.right", "en"))


@pytest.mark.parametrize("viewport", [(1920, 900)])
def test_a_click_on_the_margin_does_not_deafen_a_page_that_is_all_stage(
    browser_page: Page, server: str
) -> None:
    """Once one click beside the stage took the keyboard away, and nothing told the speaker."""
    page = browser_page
    wire = Wire().listen(page)
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    page.mouse.click(20, 500)
    hears_keys(page)
    sent = len(wire.sent)
    for key in ("ArrowRight", "r", "c", "PageDown"):
        page.keyboard.press(key)
    expect_step(page, 2)
    page.wait_for_timeout(300)
    assert len(wire.sent) == sent
    page.get_by_text("Set up", exact=True).click()
    expect(page.get_by_test_id("stPopoverBody")).to_be_visible()
    hears_keys(page, False)
    expect(page.locator(f"{STAGE} .hears")).to_have_text(t("stage.keys.off", "en"))
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    assert step_of(page) == 2, "an open popover's keys are its own"
    page.keyboard.press("Escape")
    page.mouse.click(20, 500)
    hears_keys(page)


def test_where_it_is_a_part_of_the_page_keys_scroll_until_it_is_clicked(
    browser_page: Page, server: str
) -> None:
    """A chapter: PageDown, Space, End and arrows are the page's, and a slider's arrows are the slider's."""
    page = browser_page
    open_stage(page, f"{server}/ch03?lang=en")
    at = step_of(page)
    hears_keys(page, False)
    scrolled = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    settle(page)  # what is drawn anew after the click would take the place of what was clicked
    page.get_by_role("heading").first.click()
    for key in ("PageDown", " ", "End"):
        before = page.evaluate(scrolled)
        page.keyboard.press(key)
        page.wait_for_function(f"before => ({scrolled})() > before", arg=before)
    assert step_of(page) == at
    page.keyboard.press("Home")
    page.get_by_role("slider").and_(page.locator(":not(.track)")).first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    page.locator(f"{STAGE} .count").click()
    hears_keys(page)
    at = step_of(page)
    page.keyboard.press("ArrowRight")
    assert step_of(page) > at


def test_space_after_a_click_on_a_button_plays_and_pauses(browser_page: Page, server: str) -> None:
    """The button that was clicked kept the focus, and Space pressed it once more."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang=en")
    page.locator(f"{STAGE} .controls [data-do=back]").click()
    play = page.locator(f"{STAGE} [data-do=play]")
    for word in ("pause", "play", "pause", "play"):
        page.keyboard.press(" ")
        expect(play).to_have_text(t(f"stage.btn.{word}", "en"))
    play.click()
    expect(play).to_have_text(t("stage.btn.pause", "en"))
    page.keyboard.press(" ")
    expect(play).to_have_text(t("stage.btn.play", "en"))


def test_the_menu_is_a_menu(browser_page: Page, server: str) -> None:
    """Arrow keys walk in it, Escape and a click elsewhere close it, an entry does what its key does."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang=en")
    more = page.locator(f"{STAGE} [data-menu=more]")
    menu = page.get_by_role("menu", name=t("stage.menu.title", "en"))
    more.click()
    expect(menu).to_be_visible()
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("menuitem", name=t("stage.menu.first", "en"))).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("menuitem", name=t("stage.menu.help", "en"))).to_be_focused()
    for key, entry in [("Home", "first"), ("ArrowDown", "last"), ("ArrowRight", "table")]:
        page.keyboard.press(key)
        expect(page.get_by_role("menuitem", name=t(f"stage.menu.{entry}", "en"))).to_be_focused()
    assert step_of(page) == 0, "the menu's keys are its own"
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(more).to_be_focused()
    more.click()
    page.locator(f"{STAGE} .count").click()
    expect(menu).to_be_hidden()
    more.click()
    page.get_by_role("menuitem", name=t("stage.menu.nextMiss", "en")).click()
    expect(menu).to_be_hidden()
    missed = step_of(page)
    assert missed > 0
    press(page, "N")
    press(page, "Home")
    press(page, "n")
    assert step_of(page) == missed
    page.locator(f"{STAGE} [data-menu=level]").click()
    page.get_by_role("menuitemradio", name=t("stage.level.request", "en")).click()
    expect(page.locator(f"{STAGE} [data-menu=level]")).to_have_text(t("stage.level.request", "en"))
    press(page, "ArrowRight")
    assert step_of(page) > missed + 1


def test_bookmarks_are_jumped_to(browser_page: Page, server: str) -> None:
    """They could be set and seen, and never reached again."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang=en#step=7&bm=3,20")
    press(page, "m")
    for key, step in [("j", 20), ("j", 3), ("j", 7), ("J", 3), ("J", 20), ("J", 7)]:
        press(page, key)
        assert step_of(page) == step, key
    press(page, "m")  # and away with it
    press(page, "J")
    press(page, "j")
    assert step_of(page) == 20


def test_a_language_chosen_on_the_stage_counts_each_time(browser_page: Page, server: str) -> None:
    """There, back by the page, and there again: the second time the stage says what it said before."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    for _ in range(2):
        press(page, "l")
        expect_address(page, "lang=both")
        choose_language(page, "English", "en")
        expect_address(page, "lang=en")
