"""In a browser: a bet is placed on the stage before anything plays, told once, kept, compared at the end."""

from __future__ import annotations

from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.onstage import STAGE, Wire, expect_address, expect_step, open_stage, press, settle
from ui.words.i18n import t

GUIDED = "/execute?s={}&m=guided&lang={}"


def bar(page: Page) -> Locator:
    return page.locator(f"{STAGE} .betpick")


def said(page: Page) -> Locator:
    return page.locator(f"{STAGE} .betsaid")


def cell(page: Page, number: int) -> Locator:
    return page.locator(f"{STAGE} .betcells i").nth(number - 1)


def to_the_end(page: Page) -> None:
    track = page.locator(f"{STAGE} .track")
    box = track.bounding_box()
    assert box is not None
    track.click(position={"x": box["width"] - 10, "y": 15})


def test_a_cell_is_a_bet_and_stands_until_the_end(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, server + GUIDED.format("three", "en"))
    what = t("stage.bet.what", "en", n=3, count=4)
    expect(page.locator(f"{STAGE} .zG .what")).to_have_text(what)
    expect(page.locator(f"{STAGE} .betcells i")).to_have_count(33)
    expect(said(page)).to_have_text(t("stage.bet.open", "en"))
    expect(bar(page)).to_have_attribute("aria-valuetext", t("stage.bet.open", "en"))
    cell(page, 21).hover()
    expect(said(page)).to_have_text(t("stage.bet.hover", "en", n=21, total=33))
    cell(page, 12).click()
    cell(page, 16).click()  # it can be changed as long as the first step stands
    words = t("stage.bet.tokens", "en", n=16, total=33)
    page.mouse.move(5, 5)
    expect(said(page)).to_have_text(words)
    expect(page.locator(f"{STAGE} .live")).to_contain_text(words)
    expect_address(page, "bet=16t")
    page.keyboard.press("ArrowRight")  # a click leaves the arrows to the steps
    expect_step(page, 1)
    expect(bar(page)).to_have_count(0)
    expect(page.locator(f"{STAGE} .zE .apart")).to_contain_text(words)
    settle(page)
    page.reload()
    settle(page)
    expect(page.locator(f"{STAGE} .zE .apart")).to_contain_text(words)
    to_the_end(page)
    card = page.locator(f"{STAGE} .endcard")
    expect(card).to_contain_text(t("stage.end.tokens", "en", bet=16) + " " + t("stage.end.off", "en", off=8))
    expect(card.locator(".betbar span")).to_contain_text(t("stage.end.yourbet", "en"))


def test_next_goes_on_without_a_bet(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, server + GUIDED.format("three", "zh"))
    press(page, "ArrowRight")
    expect_step(page, 1)
    assert "bet=" not in page.url
    to_the_end(page)
    expect(page.locator(f"{STAGE} .endcard")).to_contain_text(t("stage.end.nobet", "zh"))


def test_the_bar_is_a_slider_for_keys(browser_page: Page, server: str) -> None:
    """Arrows, Home, End; Enter leaves it, and then arrows are steps. However many keys: Python hears once."""
    page = browser_page
    wire = Wire().listen(page)
    open_stage(page, server + GUIDED.format("P4", "en"))
    expect(page.locator(f"{STAGE} .betcells i")).to_have_count(1)
    bar(page).focus()
    page.wait_for_timeout(1500)
    before = len(wire.sent)
    page.keyboard.press("Home")
    expect(said(page)).to_have_text(t("stage.bet.tokens", "en", n=0, total=112))
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("PageUp")
    expect(bar(page)).to_have_attribute("aria-valuenow", "14")
    expect(bar(page)).to_be_focused()
    expect_step(page, 0)
    page.keyboard.press("Enter")
    expect_address(page, "bet=14t")
    settle(page)
    assert len(wire.sent) == before + 1
    page.keyboard.press("ArrowRight")
    expect_step(page, 1)


def test_an_old_link_keeps_its_share(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, server + GUIDED.format("three", "en") + "&bet=40")
    expect(said(page)).to_have_text(t("stage.bet.percent", "en", n=40))
    press(page, "ArrowRight")
    expect_step(page, 1)
    to_the_end(page)
    told = t("stage.end.percent", "en", bet=40, rate=24.2)
    expect(page.locator(f"{STAGE} .endcard")).to_contain_text(told)


def test_without_questions_nobody_asks_for_a_bet(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=three&lang=en&bet=16t")
    expect(bar(page)).to_have_count(0)
    press(page, "End")
    expect(page.locator(f"{STAGE} .zG")).to_contain_text(t("stage.end.tokens", "en", bet=16))
    press(page, "Home")
    press(page, "q")
    expect(bar(page)).to_be_visible()


def test_on_a_phone_it_is_one_bar_to_drag(chromium: Browser, server: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    open_stage(page, server + GUIDED.format("three", "en"))
    expect(page.locator(f"{STAGE} .betcells i")).to_have_count(1)
    box = page.locator(f"{STAGE} .betcells").bounding_box()
    assert box is not None
    assert box["height"] >= 44
    page.mouse.move(box["x"] + 10, box["y"] + 20)
    page.mouse.down()
    for part in (0.2, 0.4, 0.5):
        page.mouse.move(box["x"] + box["width"] * part - 1, box["y"] + 20)
    expect_step(page, 0)
    page.mouse.up()
    expect(said(page)).to_have_text(t("stage.bet.tokens", "en", n=17, total=33))
    expect_address(page, "bet=17t")
    expect_step(page, 0)
    page.locator(f"{STAGE} .pnext").click()
    expect_step(page, 1)
    context.close()
