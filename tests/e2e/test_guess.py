"""In a browser: nothing runs past an open question, the lane takes answers, the run ends with its card."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.e2e.onstage import (
    STAGE,
    expect_address,
    expect_step,
    num_steps,
    open_stage,
    press,
    settle,
    step_of,
)
from tests.stage_runs import steps_of
from ui.words.i18n import t

GUIDED = "/execute?s={}&m=guided&lang=en"


def asked(scenario_id: str, name: str) -> int:
    """The step that stands before the first question of a kind."""
    return next(step["i"] for step in steps_of(scenario_id) if step.get("ask", {}).get("id") == name)


def bench(page: Page) -> Locator:
    return page.locator(f"{STAGE} .zG")


def expect_asking(page: Page, step: int) -> None:
    expect_step(page, step)
    expect(bench(page)).to_have_attribute("data-asking", "1")


def expect_heard(page: Page, words: str) -> None:
    expect(page.locator(f"{STAGE} .live")).to_contain_text(words)


def test_nothing_runs_past_an_open_question(browser_page: Page, server: str) -> None:
    """It used to be skipped by a second press, and unseen by the buttons for misses and evictions."""
    page = browser_page
    open_stage(page, server + GUIDED.format("three"))
    first = asked("three", "empty")
    press(page, "ArrowRight", 6)
    expect_asking(page, first)
    for key in ("ArrowRight", "Shift+ArrowRight", "]", "n", "e", "End", " "):
        press(page, key)
        assert step_of(page) == first, key
        expect(bench(page)).to_have_attribute("data-asking", "1")
    press(page, "ArrowRight")
    expect_heard(page, t("stage.ask.first", "en"))
    expect(bench(page).locator(".refused")).to_contain_text(t("stage.ask.first", "en"))
    press(page, "x")
    expect(page.locator(f"{STAGE} .verdict .yes")).to_be_visible()
    expect(bench(page).locator(".refused")).to_have_count(0)
    expect_heard(page, t("stage.said.lane.right.empty", "en"))
    press(page, "End")
    expect_asking(page, asked("three", "whole"))
    press(page, "ArrowLeft")
    press(page, "n")
    expect_asking(page, asked("three", "whole"))


def test_who_has_seen_what_comes_does_not_guess(browser_page: Page, server: str) -> None:
    """Looked up behind the question by the timeline, then answered: told right or wrong, not counted."""
    page = browser_page
    open_stage(page, server + GUIDED.format("three"))
    press(page, "End")
    page.locator(f"{STAGE} .track").click(position={"x": 300, "y": 10})
    press(page, "Home")
    press(page, "End")
    expect_asking(page, asked("three", "empty"))
    press(page, "x")
    expect(page.locator(f"{STAGE} .verdict .yes")).to_be_visible()
    press(page, "End")
    page.wait_for_timeout(1_500)
    assert "quiz=" not in page.url


def test_the_lane_holds_the_request_that_is_asked_about(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, server + GUIDED.format("P0") + f"#step={asked('P0', 'until')}")
    expect_asking(page, asked("P0", "until"))
    page.locator(f'{STAGE} [data-focus="R0"]').click()
    expect(page.locator(f'{STAGE} .zA .blk[data-k~="blk:R1:0"]')).to_be_visible()
    press(page, "?")
    press(page, "2")
    expect_asking(page, asked("P0", "until"))


def test_show_me_is_no_answer(browser_page: Page, server: str) -> None:
    """The lane takes a click, slots take digits; what was shown is not told to the page."""
    page = browser_page
    open_stage(page, server + GUIDED.format("three"))
    press(page, "End")
    press(page, "s")
    expect(page.locator(f"{STAGE} .verdict .shown")).to_be_visible()
    press(page, "End")
    expect_asking(page, asked("three", "whole"))
    page.locator(f'{STAGE} .zA .blk[data-k~="blk:R1:1"]').click()
    expect(page.locator(f"{STAGE} .verdict .yes")).to_be_visible()
    expect_address(page, f"quiz=three.whole{asked('three', 'whole')}")
    assert "empty" not in page.url
    press(page, "End")
    page.locator(f'{STAGE} .option[data-option="0"]').click()
    expect(page.locator(f"{STAGE} .verdict .no")).to_contain_text(t("stage.ask.wrong", "en"))
    expect_address(page, f"touch{asked('three', 'touch')}x")


def test_the_replay_shows_the_steps_that_decide(browser_page: Page, server: str) -> None:
    """From the first tag to the miss; it used to be the last three steps."""
    page = browser_page
    open_stage(page, server + GUIDED.format("three"))
    press(page, "End")
    press(page, "1")
    expect(page.locator(f"{STAGE} .verdict .no")).to_be_visible()
    page.locator(f"{STAGE} [data-do=replay]").click()
    ask = steps_of("three")[asked("three", "empty")]["ask"]
    expect_step(page, ask["shows"][1])
    assert steps_of("three")[ask["shows"][1] - 1]["op"] == "miss"
    expect(page.locator(f"{STAGE} .verdict .no")).to_be_visible()


def test_the_old_verdict_goes_before_the_next_question_stands(browser_page: Page, server: str) -> None:
    """Two questions in a row: one key used to answer for both."""
    page = browser_page
    first = asked("P7", "bigger")
    assert asked("P7", "touch") == first + 1
    open_stage(page, server + GUIDED.format("P7") + f"#step={first}")
    expect_asking(page, first)
    press(page, "1")
    expect_step(page, first + 1)
    expect(page.locator(f"{STAGE} .verdict .yes")).to_be_visible()
    expect(bench(page)).not_to_have_attribute("data-asking", "1")
    press(page, "1")  # a hasty second press answers nothing
    expect_asking(page, first + 1)
    press(page, "ArrowRight", 2)
    expect_asking(page, first + 1)


def test_a_seek_leaves_questions_open_and_the_run_ends_with_its_card(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, server + GUIDED.format("three"))
    press(page, "End")
    press(page, "0")
    last = num_steps(page)
    track = page.locator(f"{STAGE} .track")
    box = track.bounding_box()
    assert box is not None
    track.click(position={"x": box["width"] - 10, "y": 15})
    expect_step(page, last)
    card = page.locator(f"{STAGE} .endcard")
    expect(card).to_contain_text(t("stage.end.reused", "en", hit=8, total=33))
    expect(card).to_contain_text(t("stage.end.nobet", "en"))
    expect(card.locator("s")).to_have_text(t("stage.belief.unsent", "en"))
    expect(card.locator(".guesses li")).to_have_count(1)
    expect_heard(page, t("stage.end.nobet", "en"))
    page.locator(f"{STAGE} [data-do=look]").click()
    expect(card).to_be_hidden()
    press(page, "Home")
    press(page, "End")
    expect_asking(page, asked("three", "whole"))
    track.click(position={"x": box["width"] - 10, "y": 15})
    page.locator(f"{STAGE} [data-do=run]").first.click()
    settle(page)
    expect(page.locator(f"{STAGE} h2")).to_contain_text(t("scenario.P6.title", "en"))
    expect_address(page, "s=P6")
    expect_step(page, 0)


def test_a_walk_ends_with_its_sum(browser_page: Page, server: str) -> None:
    """No card over the last step: the bench says what was saved and what to try next."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=three&lang=en")
    press(page, "End")
    expect(bench(page)).to_contain_text(t("stage.end.reused", "en", hit=8, total=33))
    expect(page.locator(f"{STAGE} .endcard")).to_be_hidden()
    expect_heard(page, t("stage.live.last", "en"))
    knob = page.locator(f"{STAGE} .b-next")
    expect(knob).to_have_attribute("aria-disabled", "true")
    expect(knob).to_have_text(t("stage.btn.end", "en"))
    press(page, "ArrowRight", 2)
    expect_step(page, num_steps(page))
    press(page, "m")
    expect_heard(page, t("stage.live.marked", "en", step=num_steps(page)))
    press(page, "m")
    expect_heard(page, t("stage.live.unmarked", "en", step=num_steps(page)))
    page.locator(f"{STAGE} [data-do=again]").click()
    expect_step(page, 0)
    press(page, "ArrowLeft")
    expect_heard(page, t("stage.live.first", "en"))


def test_a_question_leaves_the_point_of_view_alone(browser_page: Page, server: str) -> None:
    """ "R0 is done" put R0 into the lane, turned blue slots orange, and the verdict turned them back."""
    page = browser_page
    open_stage(page, server + GUIDED.format("three") + f"#step={asked('three', 'done')}")
    states = f"{STAGE} .zC .slot"
    seen = []
    for key in ("", "s", "ArrowLeft"):
        if key:
            press(page, key)
        expect(page.locator(f"{STAGE} .seenfrom .who")).to_have_text("R1")
        seen.append(page.locator(states).nth(0).get_attribute("data-state"))
    assert seen == ["reused", "reused", "reused"]
