"""Links: what is on screen comes back by its address, even as the first request a server ever gets."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.onstage import (
    STAGE,
    caption,
    expect_address,
    expect_step,
    num_steps,
    open_stage,
    press,
    settle,
)
from ui.words.i18n import t


def test_a_deep_link_with_a_step_as_the_first_request(browser_page: Page, fresh_server: str) -> None:
    """Scenario, knobs, language and step stand in the link; a reload and another visitor see the same."""
    page = browser_page
    link = f"{fresh_server}/execute?v=1&s=P9&slots=5&lang=zh#step=33"
    open_stage(page, link)
    expect_step(page, 33)
    expect(page.locator(f"{STAGE} h2")).to_contain_text(t("scenario.P9.title", "zh"))
    expect(page.locator(f"{STAGE} .zC .slot")).to_have_count(5)
    said, steps = caption(page), num_steps(page)
    press(page, "ArrowRight", 2)
    expect_step(page, 35)
    expect_address(page, "step=35")
    page.reload()
    settle(page)
    expect_step(page, 35)
    expect(page.locator(f"{STAGE} .zC .slot")).to_have_count(5)
    shared = page.url.replace("step=35", "step=33")
    page.goto("about:blank")
    open_stage(page, shared)
    expect_step(page, 33)
    assert (caption(page), num_steps(page)) == (said, steps)


def test_a_knob_on_the_page_joins_the_link(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P9&lang=en")
    expect(page.locator(f"{STAGE} .zC .slot")).to_have_count(4)
    page.get_by_text("Set up", exact=True).click()
    slots = page.get_by_role("spinbutton", name="Slots")
    slots.fill("6")
    slots.press("Enter")
    expect(page.locator(f"{STAGE} .zC .slot")).to_have_count(6)
    expect_address(page, "slots=6")
    cap = page.get_by_role("spinbutton", name="Cap", exact=True)
    cap.fill("2")
    cap.press("Enter")
    expect_address(page, "cap=2")
    cap.fill("")  # off again: an optional knob can be emptied
    cap.press("Enter")
    expect_address(page, "cap=off")
    settle(page)
    page.reload()
    settle(page)
    expect(page.locator(f"{STAGE} .zC .slot")).to_have_count(6)
