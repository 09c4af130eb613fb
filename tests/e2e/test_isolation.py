"""Two visitors at the same time: neither ever sees the other's run."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from tests.e2e.onstage import STAGE, expect_step, open_stage, press, settle, step_of


def type_prompts(page: Page, system: str, messages: str) -> None:
    page.get_by_text("Set up", exact=True).click()
    page.get_by_role("tab", name="Your own prompts").click()
    page.get_by_role("textbox", name="System prompt").fill(system)
    page.get_by_role("textbox", name="Messages").fill(messages)
    page.get_by_role("button", name="Run these prompts").click()
    expect(page.locator(f"{STAGE} h2")).to_contain_text("Your own prompts")
    settle(page)


def stage_text(page: Page) -> str:
    return page.locator(STAGE).inner_text()


def test_two_visitors_never_see_each_other(browser_page: Page, chromium: Browser, server: str) -> None:
    ann = browser_page
    context = chromium.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    try:
        bob = context.new_page()
        open_stage(ann, f"{server}/execute?s=P1&lang=en")
        open_stage(bob, f"{server}/execute?s=P9&lang=en")
        press(ann, "ArrowRight", 12)
        press(bob, "ArrowRight", 5)
        type_prompts(ann, "Pomegranate. ", "one two three")
        press(ann, "ArrowRight", 3)
        assert "Pomegranate" in stage_text(ann)
        assert "Pomegranate" not in stage_text(bob)
        assert step_of(bob) == 5
        bob.reload()
        settle(bob)
        expect_step(bob, 5)
        assert "Pomegranate" not in bob.content() + stage_text(bob)
        type_prompts(bob, "Quince. ", "one two three")
        press(bob, "ArrowRight", 2)
        ann.reload()
        settle(ann)
        expect(ann.locator(f"{STAGE} h2")).to_contain_text("Your own prompts")
        assert "Quince" not in ann.content() + stage_text(ann)
        assert "Pomegranate" in stage_text(ann)
    finally:
        context.close()
