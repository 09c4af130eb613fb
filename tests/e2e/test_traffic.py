"""Your traffic in a real browser: an upload, a mistake, a row, the stage and the way back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.onstage import STAGE, settle
from tests.usage_logs import make_session, transcript
from ui.words.i18n import Lang, t


def open_traffic(page: Page, server: str, lang: Lang) -> None:
    page.goto(f"{server}/traffic?lang={lang}")
    settle(page)
    expect(page.get_by_role("heading", name=t("traffic.title", lang))).to_be_visible()


def view(page: Page, name: str, lang: Lang) -> None:
    page.get_by_text(t(f"traffic.view.{name}", lang), exact=True).first.click()
    settle(page)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_cause_leads_to_the_stage_and_back(browser_page: Page, server: str, lang: Lang) -> None:
    open_traffic(browser_page, server, lang)
    view(browser_page, "misses", lang)
    browser_page.get_by_role("button", name=t("traffic.example", lang)).first.click()
    expect(browser_page.locator(STAGE)).to_be_visible()
    browser_page.get_by_role("button", name=t("traffic.back", lang)).click()
    expect(browser_page.get_by_role("heading", name=t("traffic.causes", lang))).to_be_visible()
    expect(browser_page.get_by_role("button", name=t("traffic.watch", lang))).to_be_visible()


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_a_point_of_the_curve_leads_to_the_stage(browser_page: Page, server: str) -> None:
    open_traffic(browser_page, server, "en")
    points = browser_page.locator(".js-plotly-plot .scatterlayer .point")
    expect(points.first).to_be_attached()
    points.nth(40).click(force=True)
    expect(browser_page.locator(STAGE)).to_be_visible()


def test_an_upload_replaces_the_sample_and_a_broken_one_changes_nothing(
    browser_page: Page, server: str, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text('{"prompt": "one two three four"}\n' * 3, "utf-8")
    bad.write_text('{"prompt": "one"}\n{"prompt": 5}\n', "utf-8")
    open_traffic(browser_page, server, "en")
    browser_page.get_by_text(t("traffic.source.upload", "en"), exact=True).click()
    settle(browser_page)
    box = browser_page.locator('input[type="file"]').first
    box.set_input_files(good)
    expect(browser_page.get_by_text("good.jsonl: 3 requests, 12 prompt tokens")).to_be_visible()
    browser_page.get_by_text(t("traffic.source.paste", "en"), exact=True).click()
    settle(browser_page)
    browser_page.get_by_text(t("traffic.source.upload", "en"), exact=True).click()
    settle(browser_page)
    browser_page.locator('input[type="file"]').first.set_input_files(bad)
    expect(browser_page.get_by_text("bad.jsonl, line 2")).to_be_visible()
    expect(browser_page.get_by_text("good.jsonl: 3 requests, 12 prompt tokens")).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_two_scrapes_give_the_rate_of_the_run_and_a_chart(
    browser_page: Page, server: str, tmp_path: Path, lang: Lang
) -> None:
    """Dropped together, in the wrong order; an engine that only the last one shows is left out, and said."""
    text = 'vllm:prefix_cache_queries{{e="a"}} {}\nvllm:prefix_cache_hits{{e="a"}} {}\n'
    pages = {"before": text.format(1000, 500), "mid": text.format(1500, 540), "after": text.format(2000, 600)}
    pages["after"] += text.replace('"a"', '"b"').format(90_000_000, 89_000_000)
    for name, page in pages.items():
        (tmp_path / f"{name}.txt").write_text(page, "utf-8")
    browser_page.goto(f"{server}/traffic?lang={lang}&ys=upload")
    settle(browser_page)
    files = [tmp_path / f"{name}.txt" for name in ("after", "mid", "before")]
    browser_page.locator('input[type="file"]').first.set_input_files(files)
    expect(browser_page.get_by_role("heading", name=t("traffic.counters", lang))).to_be_visible()
    expect(browser_page.locator("strong").filter(has_text="10.00")).to_be_visible()
    expect(browser_page.locator("strong").filter(has_text="98.89")).to_be_visible()
    expect(browser_page.locator(".js-plotly-plot .scatterlayer .point")).to_have_count(2)
    expect(browser_page.get_by_text(t("traffic.counters.by_name", lang))).to_be_visible()


def test_a_long_reading_can_be_stopped_and_is_not_begun_again(
    browser_page: Page, server: str, tmp_path: Path
) -> None:
    """The bar moves, the button is heard, what was shown before is still there."""
    long = tmp_path / "long.jsonl"
    with long.open("w", encoding="utf-8") as file:
        for place in range(16_000):
            words = " ".join(f"w{(place * 31 + k) % 9973}" for k in range(400))
            file.write(json.dumps({"prompt": words}) + "\n")
    open_traffic(browser_page, server, "en")
    browser_page.get_by_text(t("traffic.source.upload", "en"), exact=True).click()
    settle(browser_page)
    browser_page.locator('input[type="file"]').first.set_input_files(long)
    bar = browser_page.get_by_text(re.compile(r"Reading … [1-9]\d? %"))
    expect(bar.first).to_be_visible()
    browser_page.get_by_role("button", name=t("traffic.cancel", "en"), exact=True).click()
    expect(browser_page.get_by_text(t("traffic.stopped", "en"))).to_be_visible()
    expect(browser_page.get_by_text("mixed.jsonl: 247 requests")).to_be_visible()
    expect(browser_page.get_by_role("button", name=t("traffic.begin", "en"))).to_be_visible()


def test_a_reload_keeps_the_settings(browser_page: Page, server: str) -> None:
    open_traffic(browser_page, server, "en")
    slots = browser_page.get_by_role("spinbutton", name=t("traffic.slots", "en"), exact=True)
    slots.fill("300")
    slots.press("Enter")
    settle(browser_page)
    view(browser_page, "compare", "en")
    browser_page.wait_for_url(re.compile(r"yv=compare"))
    assert "ya=~300~" in unquote(browser_page.url)
    browser_page.reload()
    settle(browser_page)
    expect(slots).to_have_value("300")
    other = t("traffic.side_b", "en", what=t("traffic.slots", "en"))
    expect(browser_page.get_by_role("spinbutton", name=other, exact=True)).to_be_visible()


def test_the_trade_offs_open_by_their_link(browser_page: Page, fresh_server: str) -> None:
    browser_page.goto(f"{fresh_server}/tradeoffs?lang=zh")
    settle(browser_page)
    expect(browser_page.get_by_role("heading", name=t("tradeoff.title", "zh"))).to_be_visible()
    expect(browser_page.locator(".js-plotly-plot").first).to_be_visible()


def lies_within(found: Locator) -> bool:
    """Whether all of it is seen without scrolling."""
    expect(found).to_be_visible()
    return bool(
        found.evaluate(
            """node => {
              const box = node.getBoundingClientRect();
              return box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
            }"""
        )
    )


def upload(page: Page, server: str, lang: Lang, log: Path) -> None:
    page.goto(f"{server}/traffic?lang={lang}&ys=upload")
    settle(page)
    page.locator('input[type="file"]').first.set_input_files(log)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("viewport", [(1280, 720)])
def test_the_finding_stands_on_the_first_screen(
    browser_page: Page, server: str, tmp_path: Path, lang: Lang
) -> None:
    """Of reported usage, of the repair of texts, and of the sample that the page opens with."""
    page = browser_page
    open_traffic(page, server, lang)
    assert lies_within(page.get_by_test_id("stMetricValue").last)
    assert page.locator(".js-plotly-plot").first.evaluate("node => node.getBoundingClientRect().top") < 710
    usage, texts = tmp_path / "usage.jsonl", tmp_path / "texts.jsonl"
    usage.write_text(transcript([make_session()]), "utf-8")
    upload(page, server, lang, usage)
    assert lies_within(page.get_by_role("heading", name=t("usage.headline", lang, n=5)))
    rules = "Rules follow, one by one and word by word. " * 40
    rows = [{"prompt": f"Today is 2026-05-{day:02d}. {rules}"} for day in range(1, 9)]
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    upload(page, server, lang, texts)
    look = page.get_by_role("button", name=t("traffic.finding.look", lang))
    assert lies_within(look)
    look.click()
    expect(page.get_by_role("heading", name=t("traffic.causes", lang))).to_be_visible()


@pytest.mark.parametrize("viewport", [(1280, 720), (390, 844)])
def test_what_is_folded_opens_on_demand_and_keeps_what_stands_in_it(
    browser_page: Page, server: str, tmp_path: Path, viewport: tuple[int, int]
) -> None:
    page, log = browser_page, tmp_path / "log.jsonl"
    log.write_text('{"prompt": "one two three four"}\n' * 3, "utf-8")
    upload(page, server, "en", log)
    other, how = (page.get_by_role("radio", name=t(f"traffic.{one}", "en")) for one in ("other", "options"))
    expect(other).to_be_visible()
    box, skip = page.get_by_test_id("stFileUploader"), page.get_by_text(t("traffic.skip", "en"))
    expect(box).to_be_hidden()
    how.click()
    skip.click()
    settle(page)
    other.click()
    expect(skip).to_be_hidden()
    expect(box).to_contain_text("log.jsonl")
    other.click()
    expect(box).to_be_hidden()
    how.click()
    expect(page.get_by_role("checkbox", name=t("traffic.skip", "en"))).to_be_checked()
    settle(page)
    if viewport[0] < 700:
        heights = page.locator(".st-key-traffic-row button").evaluate_all(
            "all => all.map(node => node.getBoundingClientRect().height)"
        )
        assert min(heights) >= 44


def test_on_a_phone_the_tools_of_a_table_leave_its_heading_and_fingers_hit(
    chromium: Browser, server: str
) -> None:
    """They stood over the heading; plus and minus were 32 pixels high."""
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    open_traffic(page, server, "zh")
    settle(page)
    table = page.locator(".stDataFrame").first
    table.scroll_into_view_if_needed()
    table.tap()
    tools = page.get_by_test_id("stElementToolbar").first
    expect(tools).to_be_visible()
    heading = page.get_by_role("heading", name=t("traffic.definitions", "zh")).bounding_box()
    box = tools.bounding_box()
    assert heading is not None
    assert box is not None
    assert box["y"] >= heading["y"] + heading["height"]
    small = page.locator(".stMain :is(.stNumberInput,.stButtonGroup) button").evaluate_all(
        "all => all.filter(one => one.offsetParent && one.getBoundingClientRect().height < 43.5).length"
    )
    assert small == 0
    context.close()
