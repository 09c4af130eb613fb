"""What happened to my cache, in a real browser: keys, clicks, a phone, both themes, no words over words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.onstage import settle
from tests.e2e.test_axe import AXE, serious_faults
from tests.usage_logs import chat_rows, make_session, transcript
from ui.words.i18n import Lang, t

OVERLAPS = """(svg) => {
  const texts = [...svg.querySelectorAll("text")];
  const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]);
  const hits = [];
  for (let a = 0; a < boxes.length; a++) for (let b = a + 1; b < boxes.length; b++) {
    const [p, q] = [boxes[a][1], boxes[b][1]];
    const x = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (x > 1 && y > 4) hits.push(boxes[a][0] + " / " + boxes[b][0]);
  }
  return hits;
}"""


def open_usage(page: Page, server: str, lang: Lang, log: Path) -> Locator:
    """The view of a log that was uploaded."""
    page.goto(f"{server}/traffic?lang={lang}&ys=upload")
    settle(page)
    page.locator('input[type="file"]').first.set_input_files(log)
    figure = page.locator(".usage[data-ready]")
    expect(figure.locator("svg, .turns").first).to_be_visible()
    settle(page)
    return figure


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The session of the design: 25 turns, five resets."""
    path = tmp_path / "session.jsonl"
    path.write_text(transcript([make_session()]), "utf-8")
    return path


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_the_finding_the_figure_and_no_words_over_words(
    browser_page: Page, server: str, lang: Lang, log: Path
) -> None:
    figure = open_usage(browser_page, server, lang, log)
    heading = browser_page.get_by_role("heading", name=t("usage.headline", lang, n=5))
    expect(heading).to_be_visible()
    expect(figure.locator(".signbox")).to_have_count(5)
    assert figure.locator("svg").first.evaluate(OVERLAPS) == []
    expect(figure.locator(".side tr.on")).to_contain_text("$0.974")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_where_the_time_to_live_is_no_line_but_a_band(
    browser_page: Page, server: str, lang: Lang, tmp_path: Path
) -> None:
    """A pause of 12 minutes at OpenAI: perhaps, and not "not the time to live"."""
    path = tmp_path / "openai.jsonl"
    path.write_text(
        chat_rows(make_session(25, {8: "ttl", 15: "unexplained"}, ttl_s=510), text=False), "utf-8"
    )
    figure = open_usage(browser_page, server, lang, path)
    svg = figure.locator("svg").first
    assert svg.evaluate(OVERLAPS) == []
    expect(svg.locator("rect.perhaps")).to_have_count(1)
    assert svg.locator("text").all_text_contents().count("↑") == 1, "under the reset after a short pause only"
    figure.locator('.col[data-do="turn:7"]').click()
    expect(figure.locator(".detail")).to_contain_text(t("usage.cause.probably_idle", lang))


def test_keys_walk_only_while_the_figure_has_the_focus(browser_page: Page, server: str, log: Path) -> None:
    figure = open_usage(browser_page, server, "en", log)
    expect(figure).to_have_attribute("data-at", "16")  # the dearest reset stands open
    browser_page.keyboard.press("ArrowRight")
    expect(figure).to_have_attribute("data-at", "16")
    figure.locator('.col[data-do="turn:12"]').click()
    expect(figure).to_have_attribute("data-at", "12")
    expect(figure.locator(".detail")).to_contain_text(t("usage.cause.unexplained", "en"))
    figure.locator('.col[tabindex="0"]').focus()
    browser_page.keyboard.press("ArrowLeft")
    browser_page.keyboard.press("ArrowLeft")
    expect(figure).to_have_attribute("data-at", "10")
    browser_page.keyboard.press("End")
    expect(figure).to_have_attribute("data-at", "24")
    browser_page.keyboard.press("Home")
    expect(figure).to_have_attribute("data-at", "0")
    figure.get_by_role("button", name=t("usage.reset.after", "en")).click()
    expect(figure).to_have_attribute("data-at", "7")
    figure.locator(".resets button").last.click()
    expect(figure).to_have_attribute("data-at", "23")
    expect(figure.locator(".detail.reset")).to_be_visible()


@pytest.mark.parametrize("viewport", [(390, 844)])
def test_on_a_phone_each_turn_is_a_row_for_a_finger(browser_page: Page, server: str, log: Path) -> None:
    figure = open_usage(browser_page, server, "zh", log)
    rows = figure.locator(".turn")
    expect(rows).to_have_count(25)
    heights = rows.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().height)")
    assert min(heights) >= 44
    rows.nth(7).click()
    expect(rows.nth(7)).to_have_attribute("aria-expanded", "true")
    expect(rows.nth(7)).to_contain_text("停顿了 7 分钟")
    wide = browser_page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390


def test_a_long_session_shows_a_part_and_the_strip_moves_it(
    browser_page: Page, server: str, tmp_path: Path
) -> None:
    path = tmp_path / "long.jsonl"
    plan = dict.fromkeys(range(20, 400, 50), "ttl")
    path.write_text(transcript([make_session(400, plan)]), "utf-8")
    figure = open_usage(browser_page, server, "en", path)
    expect(figure.locator(".col")).to_have_count(60)
    strip = figure.get_by_role("slider")
    strip.focus()
    browser_page.keyboard.press("Home")
    expect(strip).to_have_attribute("aria-valuenow", "1")
    browser_page.keyboard.press("ArrowRight")
    expect(strip).to_have_attribute("aria-valuenow", "11")
    box = strip.bounding_box()
    assert box is not None
    browser_page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    expect(strip).to_have_attribute("aria-valuenow", re.compile(r"1[5-9]\d"))


def test_other_prices_change_the_bill(browser_page: Page, server: str, log: Path) -> None:
    figure = open_usage(browser_page, server, "en", log)
    browser_page.get_by_role("button", name=t("usage.prices", "en"), exact=True).click()
    price = browser_page.get_by_role("spinbutton", name=t("usage.prices.per_million", "en"))
    price.fill("30")
    price.press("Enter")
    expect(figure.locator(".side tr.on")).to_contain_text("$9.74")


@pytest.mark.skipif(AXE is None, reason="axe-playwright-python is not installed: requirements-dev.txt")
@pytest.mark.parametrize("viewport", [(1280, 720), (390, 844)])
@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_nothing_serious_for_who_hears_or_barely_sees(browser_page: Page, server: str, log: Path) -> None:
    open_usage(browser_page, server, "en", log)
    browser_page.wait_for_timeout(1_000)
    assert serious_faults(browser_page) == []
