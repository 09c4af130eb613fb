"""In a browser: a teacher opens a lecture in its two windows, builds one of two stops, and sends the link."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import BROKEN, complaint, leaves
from tests.e2e.onstage import SETTLED, STAGE, expect_step, settle
from ui.teacher.places import address_of, opens_on
from ui.teacher.stops import SCRIPTS, words
from ui.words.i18n import Lang, t

FIRST, SECOND = "A time stamp in front", "Who goes?"


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(SETTLED)
    expect(page.locator(BROKEN)).to_have_count(0)


def keyed(page: Page, key: str, inside: str) -> Locator:
    """The part of a widget, found by the widget's key."""
    return page.locator(f".st-key-{key} {inside}").first


def choose_part(page: Page, name: str, lang: Lang = "en") -> None:
    page.locator(".st-key-teacher-part").get_by_text(t(f"teacher.part.{name}", lang), exact=True).click()
    settle(page)


def fill(page: Page, key: str, text: str, inside: str = "input") -> None:
    box = keyed(page, key, inside)
    box.fill(text)
    box.press("Tab")
    settle(page)


def build(page: Page, server: str) -> str:
    """Two stops: one pasted from the address bar, one chosen. Returns the link that presents them."""
    open_page(page, f"{server}/teacher?lang=en")
    choose_part(page, "own")
    fill(page, "teacher-pasted", f"{server}/{address_of('stamp').link('zh')}")
    keyed(page, "teacher-add-pasted", "button").click()
    expect(keyed(page, "teacher-title-0", "input")).to_be_visible()
    fill(page, "teacher-title-0", FIRST)
    fill(page, "teacher-note-0", "ask <b>first</b>\n# then step", "textarea")
    keyed(page, "teacher-add-chosen", "button").click()
    expect(keyed(page, "teacher-title-1", "input")).to_be_visible()
    fill(page, "teacher-title-1", SECOND)
    keyed(page, "teacher-up-1", "button").click()
    expect(keyed(page, "teacher-title-0", "input")).to_have_value(SECOND)
    keyed(page, "teacher-down-0", "button").click()
    expect(keyed(page, "teacher-title-0", "input")).to_have_value(FIRST)
    shown = page.locator('[data-testid="stCode"]', has_text="seq=")
    expect(shown).to_have_count(1)
    return shown.inner_text().replace("\n", "").strip()


LECTURE = ".st-key-lecture-whole"


def test_a_sequence_is_built_sent_and_given(browser_page: Page, chromium: Browser, server: str) -> None:
    link = build(browser_page, server)
    assert link.startswith(f"{server}/present?seq=")
    somebody = chromium.new_context(viewport={"width": 1280, "height": 720})
    wrong: list[str] = []
    somebody.on("request", lambda sent: wrong.append(leaves(sent)) if leaves(sent) else None)
    page = somebody.new_page()
    page.on("console", lambda message: wrong.append(complaint(message)) if complaint(message) else None)
    page.on("pageerror", lambda error: wrong.append(f"uncaught: {error}"))
    page.goto(link)
    lecture = page.locator(LECTURE)
    expect(lecture.get_by_text(FIRST).first).to_be_visible()
    expect(page.get_by_text("ask <b>first</b>")).to_have_count(0)
    expect(page.locator(".stAppHeader")).not_to_be_visible()
    question = words("stamp", "ask", "en")  # the place is a stop of the scripts, and comes with its question
    expect(lecture.get_by_text(question)).to_have_count(0)
    page.keyboard.press("PageDown")
    expect(lecture.get_by_text(question).first).to_be_visible()
    somebody.close()
    assert wrong == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_script_opens_in_two_windows(browser_page: Page, server: str, lang: Lang) -> None:
    """The projector sees the first stop, the teacher also what one hears; no menu leads to either."""
    open_page(browser_page, f"{server}/teacher?lang={lang}")
    expect(browser_page.get_by_role("link", name=t("nav.present", lang), exact=True)).to_have_count(0)
    windows = []
    for key in ("teacher-give", "teacher-give-notes"):
        with browser_page.context.expect_page() as opened:
            keyed(browser_page, key, "a").click()
        windows.append(opened.value)
    deck, notes = windows
    first = SCRIPTS[10][0][0]
    expect(deck.locator(LECTURE).get_by_text(words(first, "see", lang)).first).to_be_visible()
    expect(deck.get_by_text(words(first, "hear", lang))).to_have_count(0)
    expect(notes.locator(LECTURE).get_by_text(words(first, "hear", lang))).to_be_visible()


@pytest.mark.parametrize("name", ["same", "saved"])
def test_a_stop_opens_on_the_stage(browser_page: Page, server: str, name: str) -> None:
    open_page(browser_page, f"{server}/teacher?lang=zh")
    link = address_of(name).link("zh")
    with browser_page.context.expect_page() as opened:
        browser_page.locator(f'table a[href$="{link}"]').click()
    opened.value.wait_for_selector(SETTLED)
    expect(opened.value.locator(f'{BROKEN}, [role="dialog"]')).to_have_count(0)
    step = opens_on(name)
    if step is not None:
        expect_step(opened.value, step)
        expect(opened.value.locator(STAGE)).to_have_attribute("lang", re.compile("zh"))


def test_the_presenter_link_changes_the_layout(browser_page: Page, server: str) -> None:
    open_page(browser_page, f"{server}/execute?s=P0&present=1&hide=table,totals&lang=en#step=10")
    expect(browser_page.locator(f"{STAGE}.presenter, .presenter {STAGE}")).to_have_count(1)
    expect(browser_page.locator(f"{STAGE} .zB")).not_to_be_visible()
    expect(browser_page.locator(f"{STAGE} .zC")).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_the_code_is_drawn_black_on_white(
    browser_page: Page, server: str, lang: Lang, colour_scheme: str
) -> None:
    open_page(browser_page, f"{server}/teacher?lang={lang}")
    choose_part(browser_page, "class", lang)
    expect(browser_page.locator('[data-testid="stImage"]')).to_have_count(0)
    fill(browser_page, "teacher-host", "192.168.1.23")
    image = browser_page.get_by_role("img", name=t("teacher.class.code", lang))
    expect(image).to_be_visible()
    corner = image.evaluate(
        """one => {
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [one.naturalWidth, one.naturalHeight];
            const pen = canvas.getContext("2d");
            pen.drawImage(one, 0, 0);
            return [4, 36].map(at => pen.getImageData(at, at, 1, 1).data[0]);
        }"""
    )
    assert corner == [255, 0], "a light edge, then the dark frame of the first corner"
