"""A recorded stream of KV events in a real browser: uploaded, played to its end, and left again."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import STAGE, expect_step, num_steps, settle
from ui.words.i18n import Lang, t

STREAM = Path(__file__).resolve().parents[1] / "data" / "formats" / "kv_events_vllm.jsonl"


@pytest.mark.parametrize(("lang", "colour_scheme"), [("en", "light"), ("zh", "dark")])
def test_a_stream_plays_and_says_what_it_does_not_tell(browser_page: Page, server: str, lang: Lang) -> None:
    page = browser_page
    page.goto(f"{server}/traffic?lang={lang}")
    settle(page)
    page.get_by_text(t("traffic.source.upload", lang), exact=True).click()
    settle(page)
    page.locator('input[type="file"]').first.set_input_files(STREAM)
    button = page.get_by_role("button", name=t("traffic.events.open", lang))
    expect(button).to_be_visible()
    settle(page)
    button.click()
    expect(page.locator(STAGE)).to_be_visible()
    settle(page)
    for zone in "DEF":
        expect(page.locator(f"{STAGE} .z{zone} > .untold")).to_have_text(t(f"stage.untold.{zone}", lang))
    page.locator(f"{STAGE} [data-menu=more]").click()
    expect(page.locator(f"{STAGE} [data-do=log]")).to_be_visible()
    expect(page.locator(f"{STAGE} [data-do=inspect]")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_text(t("traffic.events.note", lang))).to_be_visible()
    page.locator(STAGE).press("ArrowRight")
    expect(page.locator(f"{STAGE} .zA .blk[data-state=stored]")).to_have_count(4)
    page.locator(STAGE).press("ArrowRight")
    expect(page.locator(f"{STAGE} .slot[data-state=cached]")).to_have_count(1)
    page.locator(STAGE).press("End")
    expect_step(page, num_steps(page))
    expect(page.locator(f"{STAGE} .slot[data-state=cached]")).to_have_count(4)
    page.get_by_role("button", name=t("traffic.leave", lang)).click()
    expect(page.locator(f"{STAGE} .zF > .untold")).to_be_hidden()
