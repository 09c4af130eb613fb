"""In a browser: cards by keyboard and after a reload, links that open on their step, the sheet on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import BROKEN
from tests.e2e.onstage import SETTLED, STAGE, expect_step
from ui.export.six_paper import paper_html
from ui.interview.questions import SHOWS, num_must, words
from ui.stage.show_me import address, step_of
from ui.study.ideas import TIMES
from ui.study.names import QUESTIONS
from ui.words.i18n import Lang, LangMode, t

SIZES = """card => [...card.querySelectorAll("*")]
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
"""How high the text of each element is that has any."""


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(SETTLED)
    expect(page.locator(BROKEN)).to_have_count(0)


def stays(page: Page, name: str) -> bool:
    """Whether the picture stands where it was although the page went on. Its column had no room for that when
    the block inside was as high as the column."""
    page.set_viewport_size({"width": 1280, "height": 620})
    tops = page.evaluate(
        """name => [200, 260].map(most => {
            const main = document.querySelector("[data-testid=stMain]");
            const picture = document.querySelector(`.st-key-picture-${name}`);
            main.scrollTo(0, 0);
            main.scrollTo(0, picture.getBoundingClientRect().top - 64 + most - 180);
            return Math.round(picture.getBoundingClientRect().top);
        })""",
        name,
    )
    return bool(tops[0] == tops[1] and tops[0] > 0)


def test_the_interview_is_played_by_keyboard_and_survives_a_reload(browser_page: Page, server: str) -> None:
    card = browser_page.locator(".st-key-interview")

    def shows(name: str, key: str) -> None:
        expect(card.get_by_text(words(name, key, "en"))).to_be_visible()

    def press(key: str) -> None:
        """The letter, once the button that wears it is there: its code comes later than the text above it."""
        browser_page.wait_for_selector(SETTLED)  # a key that comes while the page is drawn anew is nobody's
        expect(browser_page.locator(".st-key-interview-go kbd", has_text=key.upper())).to_be_visible()
        browser_page.keyboard.press(key)

    open_page(browser_page, f"{server}/ch12?lang=en&open=ch12.kv_q")
    shows("kv_q", "ask")
    press("s")
    first = words("kv_q", "must_1", "en")
    card.get_by_text(first).click()
    browser_page.locator(
        ".st-key-ch12-to_answer button"
    ).click()  # a letter belongs to the box that has focus
    shows("kv_q", "short")
    press("s")
    shows("kv_q", "then")
    browser_page.wait_for_function("() => location.search.includes('talk=')")
    browser_page.reload()
    browser_page.wait_for_selector(SETTLED)
    shows("kv_q", "then")
    expect(card.get_by_text(t("course.ch12.named", "en", n=1, total=num_must("kv_q")))).to_be_visible()
    press("s")
    shows("kv_q", "fails")
    assert stays(browser_page, "interview")
    press("k")
    expect(card.get_by_text(words("kv_q", "ask", "en"))).to_have_count(0)
    told = t("course.ch12.progress", "en", known=1, total=len(QUESTIONS), again=0)
    expect(browser_page.get_by_text(told)).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["match_chain", "pool_preempt"])
def test_a_link_opens_the_stage_on_its_step(browser_page: Page, server: str, name: str, lang: Lang) -> None:
    open_page(browser_page, f"{server}/{address(SHOWS[name], lang)}")
    expect_step(browser_page, step_of(SHOWS[name]))
    expect(browser_page.locator(f"{STAGE} .zG .what").first).not_to_be_empty()


def test_a_word_is_found_and_leads_to_the_stage(browser_page: Page, server: str) -> None:
    open_page(browser_page, f"{server}/glossary?lang=en")
    box = browser_page.get_by_role("textbox")
    box.fill("抢占")
    box.press("Enter")
    row = browser_page.locator("tr", has=browser_page.get_by_text("preempt", exact=True))
    expect(row).to_have_count(1)
    expect(browser_page.get_by_text("ref count", exact=True)).to_have_count(0)
    with browser_page.context.expect_page() as opened:
        row.get_by_role("link").click()
    opened.value.wait_for_selector(SETTLED)
    expect_step(opened.value, step_of(SHOWS["pool_preempt"]))


@pytest.mark.parametrize("mode", ["en", "zh", "both"])
@pytest.mark.parametrize("time", TIMES)
def test_a_copy_prints_on_two_pages(browser_page: Page, tmp_path: Path, time: str, mode: LangMode) -> None:
    """Questions on the first, answers on the second."""
    file = tmp_path / "sheet.html"
    file.write_text(paper_html(mode, time, [9507]), "utf-8")
    browser_page.goto(file.as_uri())
    expect(browser_page.get_by_role("button")).to_be_visible()
    pdf = browser_page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 2
    body = browser_page.locator("section")
    cut = body.evaluate("one => one.scrollHeight - one.clientHeight")
    assert cut <= 1, "nothing is cut off"


def test_the_class_on_the_projector_is_read_from_the_last_row(browser_page: Page, server: str) -> None:
    """Over the whole window, nothing cut off, no text below 28 px at 1920 × 1080; Escape leads back."""
    browser_page.set_viewport_size({"width": 1920, "height": 1080})
    open_page(browser_page, f"{server}/teacher?lang=en")
    for name in ("teacher.part.results", "results.example", "results.project"):
        browser_page.get_by_role("button", name=t(name, "en")).or_(
            browser_page.get_by_role("radio", name=t(name, "en"))
        ).click()
        browser_page.wait_for_selector(SETTLED)
    card = browser_page.locator(".class-card.large")
    expect(card).to_be_visible()
    sizes = card.evaluate(SIZES)
    assert min(sizes) >= 28
    assert len(sizes) > 30
    assert card.evaluate("one => one.scrollHeight - one.clientHeight") <= 1
    assert card.bounding_box() == {"x": 0, "y": 0, "width": 1920, "height": 1080}
    expect(browser_page.locator(".st-key-results-back")).to_be_visible()  # it is what hears the key
    browser_page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(browser_page.get_by_role("textbox")).not_to_be_empty()
