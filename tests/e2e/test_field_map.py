"""Which field is what, in a real browser: the tree, a choice in it, the log read by it, and a reload."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import settle
from tests.e2e.test_axe import AXE, serious_faults
from ui.words.i18n import Lang, t

SPOILT = '<img src=x onerror="document.title=1"> **b**'


def a_log(file: Path) -> Path:
    """Of no known format; two texts could be the prompt, and names and values try to be markup."""
    rows = [
        {
            "when": f"2026-05-01T10:0{n}:00Z",
            SPOILT: {"<b>text</b>": "one two three four " * 20},
            "said": f"{SPOILT} {'five six seven eight ' * 20}",
        }
        for n in range(3)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file


@pytest.mark.parametrize(
    ("lang", "viewport", "colour_scheme"),
    [("en", (1280, 900), "light"), ("zh", (390, 844), "dark")],
)
def test_a_field_is_chosen_and_the_log_is_read_by_it(
    browser_page: Page, server: str, tmp_path: Path, lang: Lang
) -> None:
    page = browser_page
    page.goto(f"{server}/traffic?lang={lang}&ys=upload")
    settle(page)
    log = a_log(tmp_path / "own.jsonl")
    page.locator('input[type="file"]').first.set_input_files(log)
    what = t("traffic.fields.role", lang)
    expect(page.get_by_text(t("traffic.fields.unknown", lang, name="own.jsonl"))).to_be_visible()
    expect(page.get_by_label(f"when: {what}")).to_have_value("time")
    page.get_by_label(f"said: {what}").select_option("prompt")
    expect(page.get_by_label(f"said: {what}")).to_have_value("prompt")
    expect(page.get_by_label(t("traffic.fields.text", lang))).to_have_value("prompt=said,time=when")
    expect(page.get_by_test_id("stCode")).to_contain_text("--map prompt=said,time=when")
    assert page.locator(".fields img, .fields b").count() == 0
    assert page.evaluate("document.title") != "1"
    if AXE is not None:
        assert serious_faults(page) == []
    rows = page.locator(".fields .rows")
    assert rows.evaluate("node => node.scrollWidth <= node.clientWidth"), "nothing hangs out at the side"
    used = f"{t('traffic.role.prompt', lang)} ← said · {t('traffic.role.time', lang)} ← when"
    folded = t("traffic.fields.read", lang, fields=used)
    page.get_by_role("button", name=t("traffic.fields.apply", lang)).click()
    settle(page)
    expect(page.get_by_text(folded)).to_be_visible()
    expect(rows).to_have_count(0)
    page.wait_for_function("location.search.includes('fields=')")
    page.reload()
    settle(page)
    page.locator('input[type="file"]').first.set_input_files(log)
    expect(page.get_by_text(folded)).to_be_visible()


LATE = """
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) { setTimeout(() => send.call(this, data), 400); };
"""
PICKS = {"w": "time", "who.a": "tenant", "who.b": "session", "m": "model"}


def test_choices_made_faster_than_the_line_are_all_kept(
    browser_page: Page, server: str, tmp_path: Path
) -> None:
    """Also over a switch of language; and a click on "read" before the last answer reads by all of them."""
    page = browser_page
    page.add_init_script(LATE)
    page.goto(f"{server}/traffic?lang=en&ys=upload")
    settle(page)
    texts = {"said": "one two " * 40, "heard": "three four " * 40}
    rows = [{"w": f"day {n}", "who": {"a": "c", "b": "s"}, "m": "x"} | texts for n in range(3)]
    log = tmp_path / "own.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    page.locator('input[type="file"]').first.set_input_files(log)
    what = t("traffic.fields.role", "en")
    page.get_by_label(f"said: {what}").select_option("prompt")
    read = page.get_by_role("button", name=t("traffic.fields.apply", "en"))
    expect(read).to_be_enabled()
    for gap, (path, role) in zip((0, 50, 500, 0), PICKS.items(), strict=True):
        page.get_by_label(f"{path}: {what}").select_option(role)
        page.wait_for_timeout(gap)
    for path, role in PICKS.items():
        expect(page.get_by_label(f"{path}: {what}")).to_have_value(role)
    page.get_by_text("中文", exact=True).click()
    for path, role in PICKS.items():
        expect(page.get_by_label(f"{path}: {t('traffic.fields.role', 'zh')}")).to_have_value(role)
    page.get_by_label(f"m: {t('traffic.fields.role', 'zh')}").select_option("template")
    page.get_by_role("button", name=t("traffic.fields.apply", "zh")).click()
    page.wait_for_function("location.search.includes('fields=')")
    wanted = "prompt=said,time=w,session=who.b,tenant=who.a,template=m"
    assert page.evaluate("new URLSearchParams(location.search).get('fields')") == wanted
