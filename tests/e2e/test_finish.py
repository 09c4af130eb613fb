"""The finish page in a real browser: files, the offline page from disk, the handout, the way back."""

from __future__ import annotations

import csv
import io
import re
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Download, Page, expect

from core.scenario.scenario import run
from core.timeline.event_log import load_jsonl
from tests.e2e.conftest import BROKEN
from ui.export.handout import handout_html
from ui.stage.own import OwnPrompts
from ui.stage.setup import Setup, load_setup, to_query
from ui.words.i18n import Lang, LangMode, t

SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'
TOLD = "strong.yes, strong.no"
"""Right or wrong: the question has been answered."""

STAGE = '[data-testid^="stBidiComponent"] [role="application"]'


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(SETTLED)
    expect(page.locator(BROKEN)).to_have_count(0)


def saved(page: Page, button: str) -> Download:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button, exact=True).click()
    return waiting.value


def text_of(download: Download) -> str:
    return Path(download.path()).read_text("utf-8")


def count_words(step: int, total: int, lang: Lang = "en") -> str:
    return t("stage.count", lang, step=step, total=total)


# -- files --------------------------------------------------------------------------------------------


def test_data_can_be_saved_twice(browser_page: Page, server: str) -> None:
    open_page(browser_page, f"{server}/finish?s=P1")
    for button in (t("export.jsonl", "en"), t("export.csv", "en")):
        assert text_of(saved(browser_page, button)) == text_of(saved(browser_page, button))
    log = load_jsonl(text_of(saved(browser_page, t("export.jsonl", "en"))))
    assert log.events
    table = text_of(saved(browser_page, t("export.csv", "en")))
    rows = list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"))))
    assert [row["hit_tokens"] for row in rows] == ["0", "12", "12"]


def test_saving_while_the_stage_plays_gives_the_whole_run(browser_page: Page, server: str) -> None:
    open_page(browser_page, f"{server}/execute?s=P1")
    browser_page.locator(STAGE).first.press("Space")
    browser_page.locator('[href$="/finish"]').first.click()
    log = load_jsonl(text_of(saved(browser_page, t("export.jsonl", "en"))))
    assert log == run(load_setup(Setup("P1"), "en"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_offline_page_plays_from_a_disk(
    browser_page: Page, server: str, lang: Lang, tmp_path: Path
) -> None:
    """Opened with file://, without any server: keys step, nothing is fetched, no error on the console."""
    open_page(browser_page, f"{server}/finish?s=P0&m=guided")
    file = tmp_path / "run.html"
    saved(browser_page, t("export.offline", lang)).save_as(file)
    asked: list[str] = []
    browser_page.on("request", lambda request: asked.append(request.url))
    browser_page.goto(file.as_uri())
    stage = browser_page.locator('[role="application"]')
    expect(stage).to_be_visible()
    total = int(re.findall(r"(\d+)\D*$", browser_page.locator(".count").inner_text())[0])
    stage.press("q")  # a guided run asks offline too; here the whole of it is walked
    stage.press("ArrowRight")
    stage.press("ArrowRight")
    expect(browser_page.locator(".count")).to_have_text(count_words(2, total, lang))
    stage.press("End")
    expect(browser_page.locator(".count")).to_have_text(count_words(total, total, lang))
    stage.press("Home")
    expect(browser_page.locator(".count")).to_have_text(count_words(0, total, lang))
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []


def test_pictures_are_svg_and_png(browser_page: Page, server: str) -> None:
    open_page(browser_page, f"{server}/finish?s=P1")
    browser_page.get_by_role("tab", name=t("export.pictures", "en")).click()
    assert text_of(saved(browser_page, t("export.svg", "en"))).startswith("<svg ")
    png = Path(saved(browser_page, t("export.png", "en")).path()).read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (2560, 1296)
    assert len(png) > 50_000, "an empty canvas would be smaller"
    frames = Path(saved(browser_page, t("export.frames", "en")).path()).read_bytes()
    with zipfile.ZipFile(io.BytesIO(frames)) as archive:
        assert len(archive.namelist()) > 3


FILES = {
    "data": ("jsonl", "csv", "offline"),
    "pictures": ("svg", "png", "frames"),
    "handout": ("paper",),
}


@pytest.mark.parametrize("tab", FILES)
def test_an_impatient_double_click_gives_the_file(browser_page: Page, server: str, tab: str) -> None:
    """And a later click gives the same one again."""
    page = browser_page
    open_page(page, f"{server}/finish?s=P1")
    page.get_by_role("tab", name=t(f"export.{tab}", "en")).click()
    for name in FILES[tab]:
        words = t(f"export.{name}", "en")
        with page.expect_download() as waiting:
            page.get_by_role("button", name=words, exact=True).dblclick()
        first = Path(waiting.value.path()).read_bytes()
        assert len(first) > 200
        page.wait_for_timeout(500)
        assert Path(saved(page, words).path()).read_bytes() == first


def test_a_click_while_the_page_is_drawn_anew_gives_the_new_runs_file(
    browser_page: Page, server: str
) -> None:
    """Another scenario is chosen, and nobody waits: a file comes, and it is a whole run."""
    page = browser_page
    open_page(page, f"{server}/finish?s=P1")
    page.locator(".st-key-widget_scenario input").click()
    page.get_by_role("option", name=t("scenario.P3.title", "en")).click()
    log = load_jsonl(text_of(saved(page, t("export.jsonl", "en"))))
    assert log in [run(load_setup(Setup(name), "en")) for name in ("P1", "P3")]
    page.wait_for_selector(SETTLED)
    assert load_jsonl(text_of(saved(page, t("export.jsonl", "en")))) == run(load_setup(Setup("P3"), "en"))


def test_an_empty_prompt_gives_a_sentence_and_no_file(browser_page: Page, server: str) -> None:
    query = urlencode(to_query(Setup("own", own=OwnPrompts("", ("",)))))
    open_page(browser_page, f"{server}/finish?{query}")
    expect(browser_page.get_by_text(t("export.none", "en")).first).to_be_visible()
    expect(browser_page.get_by_role("button", name=t("export.jsonl", "en"))).to_have_count(0)


def test_without_a_run_there_is_a_sentence(browser_page: Page, server: str) -> None:
    """A block size that leaves no room for the longest prompt: no run, no file, but words and the handout."""
    open_page(browser_page, f"{server}/finish?s=P0&slots=2")
    expect(browser_page.get_by_text(t("export.none", "en")).first).to_be_visible()
    browser_page.get_by_role("tab", name=t("export.handout", "en")).click()
    assert "<section>" in text_of(saved(browser_page, t("export.paper", "en")))


def test_the_handout_opens_for_printing(browser_page: Page, server: str) -> None:
    open_page(browser_page, f"{server}/finish?s=P1")
    browser_page.get_by_role("tab", name=t("export.handout", "en")).click()
    with browser_page.expect_popup() as waiting:
        browser_page.get_by_role("button", name=t("export.print", "en")).click()
    expect(waiting.value.locator("section")).to_have_count(2)
    expect(browser_page.get_by_role("status")).to_contain_text("broth-handout-en.html")


# -- paper --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["zh", "en", "both"])
def test_the_handout_fills_two_pages_and_cuts_nothing(
    browser_page: Page, tmp_path: Path, mode: LangMode
) -> None:
    page = tmp_path / "handout.html"
    page.write_text(handout_html(mode), "utf-8")
    browser_page.goto(page.as_uri())
    browser_page.emulate_media(media="print")
    for section in browser_page.locator("section").all():
        assert section.evaluate("node => node.scrollHeight <= node.clientHeight + 1")
        assert section.evaluate("node => node.scrollWidth <= node.clientWidth + 1")
    pdf = tmp_path / "handout.pdf"
    browser_page.pdf(path=pdf, prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf.read_bytes())) == 2
    program = shutil.which("pdftoppm")
    if program is None:
        pytest.skip("pdftoppm (poppler-utils) is not on PATH: two pages counted, not looked at")
    subprocess.run([program, "-r", "40", "-gray", pdf, tmp_path / "page"], check=True, capture_output=True)
    for picture in sorted(tmp_path.glob("page-*.pgm")):
        grey = picture.read_bytes()
        ink = sum(value < 128 for value in grey) / len(grey)
        assert 0.005 < ink < 0.3, (picture.name, ink)


# -- what survives a reload ---------------------------------------------------------------------------


def test_bet_and_answers_survive_a_reload(browser_page: Page, server: str) -> None:
    open_page(browser_page, f"{server}/execute?s=P0&m=guided&bet=40#step=30")
    stage = browser_page.locator(STAGE).first
    expect(stage).to_be_visible()
    question = browser_page.locator(".option").first
    for _ in range(30):
        if question.is_visible():
            break
        stage.press("ArrowRight")
    question.click()
    browser_page.wait_for_url(re.compile(r"[?&]quiz=P0\."))
    expect(browser_page).to_have_url(re.compile(r"#step=\d+"))  # the stage's own part is still there
    browser_page.reload()
    browser_page.wait_for_selector(SETTLED)
    browser_page.locator('[href$="/finish"]').first.click()
    browser_page.wait_for_url("**/finish*")
    expect(browser_page.get_by_text(re.compile(r"^[01] of 1 right at first try"))).to_be_visible()
    expect(browser_page).to_have_url(re.compile(r"[?&]bet=40&.*quiz=P0\."))


# -- from the report to the stage and back ------------------------------------------------------------


def test_an_eviction_leads_to_its_step(browser_page: Page, server: str) -> None:
    """Twice in one visit: each click lands on its own step, later reruns leave the step alone."""
    open_page(browser_page, f"{server}/finish?s=P9")
    for place in (0, 1):
        button = browser_page.get_by_role("button", name=re.compile(r"^Show step \d+$")).nth(place)
        step = int(re.findall(r"\d+", button.inner_text())[0])
        button.click()
        browser_page.wait_for_url(re.compile(rf"/execute\?.*#step={step}$"))
        count = browser_page.locator(".count")
        expect(count).to_have_text(re.compile(rf"\b{step} / "))
        browser_page.locator(STAGE).first.press("ArrowRight")
        expect(count).to_have_text(re.compile(rf"\b{step + 1} / "))
        browser_page.get_by_role("radio", name="中文").or_(
            browser_page.get_by_text("中文", exact=True)
        ).first.click()
        expect(count).to_have_text(re.compile(rf"\b{step + 1} / "))
        browser_page.get_by_text("English", exact=True).first.click()
        expect(browser_page.get_by_role("button", name=t("control.set_up", "en"))).to_be_visible()
        browser_page.locator('[href$="/finish"]').first.click()
        browser_page.wait_for_url("**/finish*")


@pytest.mark.parametrize("viewport", [(1280, 720), (390, 800)])
@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_draws_its_charts(browser_page: Page, server: str, lang: Lang) -> None:
    """Nothing sticks out sideways, and the theme's own colours reach the charts."""
    open_page(browser_page, f"{server}/finish?s=P9&tried=10.slots.5")
    charts = browser_page.locator(".js-plotly-plot")
    expect(charts).to_have_count(2)
    colours = browser_page.evaluate(
        "[...document.querySelectorAll('.js-plotly-plot')].map(n => n._fullLayout.colorway)"
    )
    theme = browser_page.evaluate(
        "matchMedia('(prefers-color-scheme: dark)').matches ? '#56B4E9' : '#0072B2'"
    )
    assert [row[0] for row in colours] == [theme, theme]
    main = browser_page.locator('[data-testid="stMain"]')
    assert main.evaluate("node => node.scrollWidth <= node.clientWidth + 1")


def test_answers_that_are_forgotten_are_asked_again_without_a_reload(browser_page: Page, server: str) -> None:
    page = browser_page
    open_page(page, f"{server}/execute?s=P0&m=guided&lang=en")
    answer_the_first_question(page)
    page.locator('[href$="/finish"]').first.click()
    page.get_by_role("button", name=t("finish.quiz.forget", "en")).click()
    expect(page.get_by_text(t("finish.quiz.none", "en"))).to_be_visible()
    page.get_by_role("button", name=t("start.guided", "en")).click()
    page.wait_for_url("**/execute*")
    answer_the_first_question(page)


def answer_the_first_question(page: Page) -> None:
    stage = page.locator(STAGE).first
    expect(stage).to_be_visible()
    stage.press("Home")
    question = stage.locator("[data-option]").first
    for _ in range(60):
        if question.count():
            break
        stage.press("ArrowRight")
    expect(question).to_be_visible()
    stage.press("1")
    expect(stage.locator(TOLD)).to_be_visible()
