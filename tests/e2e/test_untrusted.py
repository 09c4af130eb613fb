"""What people type is text: on the page, on the stage, in tool tips and lists; nothing of it ever runs."""

from __future__ import annotations

from playwright.sync_api import Dialog, Page, expect

from tests.e2e.conftest import BROKEN
from tests.e2e.onstage import STAGE, expect_address, expect_step, num_steps, open_stage, press
from tests.e2e.test_isolation import type_prompts

IMAGE = '<img src=x onerror="window.hacked=1;alert(1)">'
MESSAGES = f"{IMAGE}\n<script>alert(2)</script> {{n}} **b** שלום\n<style>*{{display:none}}</style>"

COUNT = """() => {
  const roots = [document];
  for (let at = 0; at < roots.length; at++)
    for (const node of roots[at].querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  return [all('img[src="x"]').length, all("script").filter((s) => s.textContent.includes("alert(2)")).length,
          all("style").filter((s) => s.textContent.trim() === "*{display:none}").length];
}"""


def test_markup_in_prompts_is_shown_as_text(browser_page: Page, server: str) -> None:
    page = browser_page
    dialogs: list[str] = []

    def refuse(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    open_stage(page, f"{server}/execute?s=P1&lang=en")
    type_prompts(page, IMAGE, MESSAGES)
    press(page, "Escape")
    press(page, "ArrowRight", 3)
    expect(page.locator(f"{STAGE} .zA")).to_contain_text("onerror")
    for key in ("o", "i", "v", "l", "End", "d", "a"):  # every drawer, both languages, the last step
        press(page, key)
    press(page, "Escape", 5)
    press(page, "Home")
    press(page, "ArrowRight", 3)
    page.locator(f"{STAGE} .zA [data-k*='blk:R0:0']").first.hover()
    expect(page.locator(f"{STAGE} .tip")).to_contain_text("<img")
    assert page.evaluate(COUNT) == [0, 0, 0]
    assert page.evaluate("window.hacked") is None
    assert dialogs == []
    assert IMAGE.split()[0] in page.locator(STAGE).inner_text()


def test_markup_in_a_link_is_text_too(browser_page: Page, server: str) -> None:
    """The page opens, says what of the link could not be used, and stands at the last step there is."""
    page = browser_page
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    markup = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"
    link = f"{server}/execute?s={markup}&salt={markup}&ver={markup}&m={markup}&lang=en"
    open_stage(page, f"{link}#step=99999&pin={markup}&lvl={markup}")
    expect(page.locator('[data-testid="stAlert"]')).to_contain_text("could not be used")
    expect_step(page, num_steps(page))
    press(page, "Home")
    press(page, "ArrowRight", 5)
    assert page.evaluate(COUNT) == [0, 0, 0]
    assert dialogs == []


def test_half_a_sign_typed_on_the_stage_becomes_a_run(browser_page: Page, server: str) -> None:
    """The stage tells its choices as JSON, which can hold half a surrogate pair; an address cannot."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=P9&lang=en")
    press(page, "w")
    box = page.locator(f"{STAGE} .frow input")
    box.evaluate("(input) => { input.value = 'cut ' + String.fromCharCode(0xD83C) + ' off'; }")
    box.locator("xpath=following-sibling::button").click()
    expect_address(page, "fork=0.prompt.cut+%EF%BF%BD+off")
    expect(page.locator(f"{STAGE} .zC")).to_have_count(2)
    expect(page.locator(BROKEN)).to_have_count(0)
