"""The monitor in a real browser: it draws and moves, answers Space at once, leads to a request and back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import BROKEN
from tests.e2e.onstage import STAGE, expect_address, expect_step, settle, step_of
from ui.words.i18n import t

MONITOR = '[data-testid^="stBidiComponent"] .monitor'
CHART = ".st-key-load-charts .js-plotly-plot"
A_REQUEST = re.compile(r"R\d+")
# Pixels of a canvas that are not what an empty one holds: how much has been painted.
TIME_OVER = """seconds => {
  const roots = [...document.querySelectorAll("*")].map(node => node.shadowRoot?.querySelector(".number dd"));
  return parseInt(roots.find(Boolean)?.textContent) > seconds;
}"""
SPACE = """() => {
  const roots = [...document.querySelectorAll("*")].map(node => node.shadowRoot?.querySelector(".monitor"));
  const root = roots.find(Boolean);
  root.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true, composed: true }));
  return root.hasAttribute("data-playing");
}"""
WATCH = """() => {
  const every = () => [...document.querySelectorAll("*")];
  const now = () => every().map(node => node.shadowRoot?.querySelector(".monitor")).find(Boolean);
  const before = now();
  window.seenFrames = [];
  const look = () => {
    const root = now();
    window.seenFrames.push({
      same: root === before,
      strips: Boolean(root) && getComputedStyle(root.querySelector(".main")).display !== "none",
      chart: document.querySelectorAll(".st-key-load-charts .scatterlayer .trace").length > 0,
    });
    if (window.seenFrames.length < 2000) requestAnimationFrame(look);
  };
  look();
}"""
PAINTED = """canvas => {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let n = 0;
  for (let j = 3; j < data.length; j += 4) if (data[j] > 0) n++;
  return n / (data.length / 4);
}"""


def open_monitor(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.locator(MONITOR)).to_be_visible()
    expect(page.locator(BROKEN)).to_have_count(0)


def number(page: Page, place: int) -> str:
    return page.locator(f"{MONITOR} .number dd").nth(place).inner_text()


def pause(page: Page) -> None:
    page.locator(MONITOR).focus()
    page.keyboard.press(" ")


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_strips_and_map_are_drawn_and_move(
    browser_page: Page, server: str, lang: str, colour_scheme: str
) -> None:
    page = browser_page
    open_monitor(page, f"{server}/monitor?lang={lang}&bet=40")
    page.wait_for_function(TIME_OVER, arg=5)
    strips, pool = page.locator(f"{MONITOR} .main > canvas"), page.locator(f"{MONITOR} .mapbox canvas")
    assert strips.evaluate(PAINTED) > 0.05
    assert pool.evaluate(PAINTED) > 0.3
    before = number(page, 0)
    expect(page.locator(f"{MONITOR} .number dd").first).not_to_have_text(before)
    title = page.locator(f"{MONITOR} .strip h4").first
    expect(title).to_have_text(t("monitor.strip.hit", "zh" if lang == "zh" else "en"))


def test_a_pause_answers_before_the_server_does(browser_page: Page, server: str) -> None:
    page = browser_page
    open_monitor(page, f"{server}/monitor?lang=en&lp=256")
    expect(page.locator(f"{MONITOR}[data-playing]")).to_be_visible()
    page.locator(MONITOR).focus()
    assert not page.evaluate(SPACE)  # read in the same task as the key: no message has come back by then
    expect(page.locator(CHART)).to_be_visible()
    expect(page.locator(f"{MONITOR} .main")).to_be_hidden()
    now = number(page, 0)
    pause(page)
    expect(page.locator(CHART)).to_have_count(0)
    expect(page.locator(f"{MONITOR} .number dd").first).not_to_have_text(now)


def test_a_pause_leaves_the_strips_until_the_charts_are_there(browser_page: Page, server: str) -> None:
    """From the key on, in every frame: strips or charts; and the element stays the one it was."""
    page = browser_page
    open_monitor(page, f"{server}/monitor?lang=en&lp=256")
    page.wait_for_function(TIME_OVER, arg=5)
    page.locator(MONITOR).focus()
    page.evaluate(WATCH)
    page.keyboard.press(" ")
    expect(page.locator(f"{CHART} .trace").nth(16)).to_be_visible()
    expect(page.locator(f"{MONITOR} .main")).to_be_hidden()
    seen = page.evaluate("window.seenFrames")
    assert {(one["strips"], one["chart"]) for one in seen} <= {(True, False), (False, True)}
    assert all(one["same"] for one in seen)
    pause(page)  # the focus has stayed: it goes on
    expect(page.locator(f"{MONITOR} .main")).to_be_visible()


def test_keys_that_streamlit_wants_do_nothing_here(browser_page: Page, server: str) -> None:
    open_monitor(browser_page, f"{server}/monitor?lang=en&lp=256")
    browser_page.locator(MONITOR).focus()
    for key in ("c", "r"):
        browser_page.keyboard.press(key)
    expect(browser_page.locator('[role="dialog"]')).to_have_count(0)


def test_the_formula_is_one_click_away(browser_page: Page, server: str) -> None:
    page = browser_page
    open_monitor(page, f"{server}/monitor?lang=en&lp=256")
    page.locator(f"{MONITOR} .strip .modelled:visible").click()
    card = page.locator(f"{MONITOR} .card")
    expect(card).to_contain_text("prefill t = t₀ + 2·P·n / (u·F)")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_a_click_lists_who_is_behind_a_point_and_a_row_leads_to_the_stage_and_back(
    browser_page: Page, server: str
) -> None:
    page = browser_page
    open_monitor(page, f"{server}/monitor?lang=en&lp=256&lr=8")
    page.wait_for_function(TIME_OVER, arg=12)
    pause(page)
    expect(page.locator(CHART)).to_be_visible()
    settle(page)
    point = page.locator(f"{CHART} .scatterlayer .trace").first.locator(".point").nth(5)
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    assert box is not None
    where = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*where)
    hover = page.locator(f"{CHART} .hoverlayer .hovertext").first
    expect(hover).to_contain_text(re.compile(r"\d+–\d+ s"))
    begin, end = re.findall(r"(\d+)–(\d+) s", hover.text_content() or "")[0]
    page.mouse.click(*where)
    behind = page.locator(".st-key-load-behind")
    expect(behind).to_contain_text(t("monitor.bin.title", "en", begin=begin, end=end))
    expect(behind).not_to_contain_text("…")
    assert "/monitor" in page.url
    row = behind.locator('[class*="st-key-behind_misses_R"] button').first
    name = A_REQUEST.findall(row.inner_text())[0]
    row.click()
    page.wait_for_url("**/execute*")
    expect(page.locator(STAGE)).to_be_visible()
    expect(page.locator(f"{STAGE} .name")).to_contain_text(name)
    expect(page.locator(f'{STAGE} .req[aria-pressed="true"]')).to_have_text(name)
    at = step_of(page)
    page.locator(STAGE).focus()
    page.keyboard.press("ArrowRight")
    assert step_of(page) > at
    page.get_by_role("button", name=t("monitor.back", "en")).click()
    page.wait_for_url("**/monitor*")
    expect(page.locator(CHART)).to_be_visible()
    expect(page.locator(f"{CHART} .annotation-text", has_text=name)).to_be_visible()
    expect(behind).to_contain_text(t("monitor.bin.title", "en", begin=begin, end=end))
    behind.get_by_role("button", name=t("monitor.bin.close", "en")).click()
    expect(behind.locator("button")).to_have_count(0)


def test_a_link_to_the_monitor_as_the_first_request(browser_page: Page, fresh_server: str) -> None:
    open_monitor(browser_page, f"{fresh_server}/monitor?lang=zh&lp=256&lc=100")
    expect(browser_page.locator(f"{MONITOR} h3")).to_have_text(t("monitor.pool", "zh", n=256))
    assert "lc=100" in browser_page.url


def test_a_reload_leads_to_the_same_request_and_step(browser_page: Page, server: str) -> None:
    """And so does the address opened by somebody else; from there the chart is one click away."""
    page = browser_page
    page.goto(f"{server}/execute?lang=en&lp=256&ld=2C2s.1R&lq=R30~5~9")
    expect(page.locator(f"{STAGE} .name")).to_contain_text("R30")
    page.locator(STAGE).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    at = step_of(page)
    expect_address(page, f"#step={at}")
    page.reload()
    expect(page.locator(f"{STAGE} .name")).to_contain_text("R30")
    expect_step(page, at)
    page.get_by_role("button", name=t("monitor.back", "en")).click()
    expect(page.locator(f"{CHART} .annotation-text", has_text="R30")).to_be_visible()


def test_a_request_of_a_log_is_gone_with_a_reload(browser_page: Page, server: str) -> None:
    page = browser_page
    page.goto(f"{server}/execute?lang=en&lq=log")
    expect(page.get_by_text(t("traffic.gone", "en"))).to_be_visible()
    page.get_by_role("button", name=t("traffic.back", "en")).click()
    page.wait_for_url("**/traffic*")
