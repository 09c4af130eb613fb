"""What-ifs: what cannot work is grey and says why; a refusal moves nothing on the page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.onstage import STAGE, open_stage, press, settle
from ui.words.i18n import t


def test_what_cannot_work_at_this_step_is_grey_and_says_why(browser_page: Page, server: str) -> None:
    """It was offered, and answered by a box that pushed the stage under the fold."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    press(page, "w")
    drawer = page.locator(f"{STAGE} .d-fork")
    swap = drawer.get_by_role("button", name=t("stage.fork.swap.prompts", "en"))
    one = drawer.get_by_role("button", name="1", exact=True).first  # blocks of one token
    expect(swap).not_to_have_attribute("aria-disabled", "true")
    expect(one).to_have_attribute("aria-disabled", "true")
    expect(drawer).to_contain_text("there would be 10")
    press(page, "End")  # the drawer follows the step
    expect(swap).to_have_attribute("aria-disabled", "true")
    expect(swap).to_have_attribute("title", t("stage.fork.why.no_prompt", "en"))
    swap.click(force=True)  # a person can, whatever it is called
    expect(drawer).to_be_visible()
    assert "fork=" not in page.url


def test_a_refused_change_leaves_the_stage_where_it_is(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    top = page.locator(STAGE).bounding_box()
    page.goto("about:blank")
    open_stage(page, f"{server}/execute?s=P1&lang=en&fork=90.prompt.late")
    expect(page.locator('[data-testid="stToast"]')).to_contain_text(t("error.fork.no_prompt", "en"))
    settle(page)
    assert page.locator(STAGE).bounding_box() == top
