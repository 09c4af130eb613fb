"""The film of a run in a real browser: what it shows when, and the video that is recorded from it."""

from __future__ import annotations

import base64
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.conftest import BROKEN
from tests.stage_runs import stage_log_of
from ui.export.film import film, film_steps
from ui.export.pictures import title_at
from ui.words.i18n import t

SEEK = "s => { document.documentElement.pauseAnimations(); document.documentElement.setCurrentTime(s); }"
TITLE = """() => [...document.querySelectorAll("text")].filter(one => one.textContent.includes(" / ")
    && getComputedStyle(one).visibility === "visible").map(one => one.textContent)"""
WITHOUT_MP4 = """const records = MediaRecorder.isTypeSupported.bind(MediaRecorder);
MediaRecorder.isTypeSupported = (type) => type.startsWith("video/webm") && records(type);"""
MET = """async ([data, type]) => {
  const video = document.createElement("video");
  video.muted = true;
  video.src = `data:${type};base64,${data}`;
  await new Promise((done, failed) => { video.onloadeddata = done; video.onerror = failed; });
  return [video.duration, video.videoWidth, video.videoHeight];
}"""


def test_a_film_shows_the_right_step_at_each_moment(browser_page: Page, tmp_path: Path) -> None:
    log = stage_log_of("P3")
    made = film(log, film_steps(log, "micro", 0, 30), "en", level="micro", pace_s=2.0)
    file = tmp_path / "film.svg"
    file.write_text(made.svg, "utf-8")
    page = browser_page
    page.goto(file.as_uri())
    moments = {0: 0, 4.1: 2, 41.9: 20, 42.1: 21, 63.5: 30, 64.1: 0, 68.2: 2, 6.2: 3}
    for seconds, step in moments.items():
        page.evaluate(SEEK, seconds)
        assert page.evaluate(TITLE) == [title_at(log, step)], seconds
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(TITLE) == [title_at(log, 30)]


def test_a_video_is_recorded_and_can_be_stopped(browser_page: Page, server: str) -> None:
    """It is saved as far as it got, and says how long it is, which no recorder writes into a WebM."""
    page = browser_page
    page.add_init_script(WITHOUT_MP4)
    page.goto(f"{server}/finish?s=three")
    page.get_by_role("tab", name=t("export.film", "en"), exact=True).click()
    page.get_by_role("button", name=t("export.video", "en", time="58.0 s"), exact=True).click()
    told = page.get_by_role("status").filter(has_text=t("export.video.progress", "en", n=2, total=28))
    told.wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=t("export.video.stop", "en"), exact=True).click()
    name = waiting.value.suggested_filename
    assert name == "broth-three-0-73.webm"
    data = Path(waiting.value.path()).read_bytes()
    length, width, height = page.evaluate(MET, [base64.b64encode(data).decode(), "video/webm"])
    assert 1.4 < length < 10
    assert (width, height) == (1920, 972)
    expect(page.get_by_role("button", name=t("export.video", "en", time="58.0 s"))).to_be_visible()
    expect(page.locator(BROKEN)).to_have_count(0)
