"""What the server itself does: words when a page breaks, when it is gone, when a file is too much; /start."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import LOCALES, ROOT, running_server
from tests.e2e.onstage import settle
from tests.e2e.test_shell import open_page
from tests.visitor import see, visitor
from ui.words.i18n import Lang, t

TRYING_JS = """words => {
  const shown = getComputedStyle(document.querySelector('[data-testid="stApp"]'), "::after");
  return shown.content === JSON.stringify(words) && shown.opacity === "1";
}"""
APP_PARTS = ("app.py", "pages", "ui", "core", "assets", ".streamlit")
SECRET = "a sentence with /a/path/of/ours"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server whose first chapter raises; its address and its log."""
    folder = tmp_path_factory.mktemp("broken")
    for part in APP_PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    chapter = folder / "pages" / "ch01.py"
    chapter.write_text(f"{chapter.read_text('utf-8')}\n\ndef render():\n    raise RuntimeError({SECRET!r})\n")
    log = folder / "log.txt"
    with running_server(log, folder) as url:
        yield url, log


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_page_that_breaks_says_so_in_a_sentence(broken: tuple[str, Path], lang: Lang) -> None:
    url, log = broken

    async def look() -> None:
        async with visitor(url) as who:
            await who.open("ch01", f"lang={lang}")
            assert who.broke
            assert t("page.broken", lang) in who.words
            assert SECRET not in str(who.elements)
            assert "render" not in str(who.elements)

    see(look())
    assert SECRET in log.read_text("utf-8")


def test_the_page_says_which_language_it_is_in(server: str, browser_page: Page) -> None:
    """On another page, and after a change on it."""
    open_page(browser_page, f"{server}/glossary?lang=zh")
    html = browser_page.locator("html")
    expect(html).to_have_attribute("lang", "zh-CN")
    browser_page.get_by_role("radio", name="English").or_(browser_page.get_by_text("English")).first.click()
    expect(html).to_have_attribute("lang", "en")
    open_page(browser_page, f"{server}/sheet?lang=both")
    expect(html).to_have_attribute("lang", "zh-CN")


def test_start_is_the_front_page_too(server: str, browser_page: Page) -> None:
    open_page(browser_page, f"{server}/start?lang=en&s=P9#step=3")
    expect(browser_page).to_have_url(f"{server}/?lang=en&s=P9#step=3")
    expect(browser_page.get_by_text(t("start.alone", "en"), exact=True)).to_be_visible()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_server_that_is_gone_is_told_in_our_words(chromium: Browser, tmp_path: Path, lang: Lang) -> None:
    """A page of its own: the browser's console rightly tells of each try that fails."""
    context = chromium.new_context(locale=LOCALES[lang])
    page = context.new_page()
    try:
        with running_server(tmp_path / "log.txt") as url:
            open_page(page, f"{url.replace('127.0.0.1', 'localhost')}/glossary?lang={lang}")
        page.wait_for_function(TRYING_JS, arg=t("server.trying", lang))
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text(t("server.gone.title", lang), timeout=120_000)
        expect(dialog).to_contain_text(t("server.gone", lang))
        assert "treamlit" not in dialog.inner_text()
    finally:
        context.close()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_file_too_many_is_refused_in_our_words(chromium: Browser, tmp_path: Path, lang: Lang) -> None:
    """Two of the largest fit, a third does not; on a server where the largest is small."""
    context = chromium.new_context(locale=LOCALES[lang])
    page = context.new_page()
    parts = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for part in parts:
        part.write_text(f'{{"prompt": "{"a " * 8_000}"}}\n' * 119)  # 1.9 MB, soon read
    try:
        with running_server(tmp_path / "log.txt", maxUploadSize="2") as url:
            open_page(page, f"{url}/traffic?lang={lang}&ys=upload")
            expect(page.get_by_text(t("traffic.upload.limit", lang, mb=4))).to_be_visible()
            page.locator("input[type=file]").set_input_files(parts)
            refused = page.get_by_test_id("stFileUploader").get_by_role("alert")
            why = t("traffic.upload.refused", lang), t("traffic.upload.too_much", lang, mb=4)
            expect(refused).to_have_text(re.compile(r"\s*".join(map(re.escape, why))))
            box = refused.bounding_box()
            assert box is not None
            assert box["width"] > 100, "Streamlit hides it from who can see"
            chips = page.get_by_test_id("stFileChip")
            page.get_by_role("button", name=re.compile("^Remove")).first.click()
            expect(chips).to_have_count(2)
            settle(page)  # the page is drawn anew, and a file that is handed over meanwhile is lost
            page.locator("input[type=file]").set_input_files(parts[2])
            expect(chips).to_have_count(3)
            expect(refused).to_have_count(1)
    finally:
        context.close()


def test_forgetting_opens_the_page_anew_and_empty(server: str, browser_page: Page) -> None:
    """Fields too: a browser would send what stands in them again."""
    page = browser_page
    open_page(page, f"{server}/traffic?lang=en&ys=paste")
    field = page.get_by_role("textbox", name=t("traffic.paste", "en"))
    field.fill('{"prompt": "Pomegranate"}')
    field.press("Control+Enter")
    page.get_by_text(t("held.title", "en")).click()
    expect(page.get_by_text("A text you pasted")).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("button", name=t("held.forget", "en")).click()
    settle(page)
    page.get_by_text(t("held.title", "en")).click()
    expect(page.get_by_text(t("held.nothing", "en"))).to_be_visible()
    assert "Pomegranate" not in page.content()
    assert page.url == f"{server}/traffic?lang=en" or "ys=paste" not in page.url
