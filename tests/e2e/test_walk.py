"""Stepping: one key is one step, in the browser alone; language and reload keep it; motion ends."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.onstage import (
    STAGE,
    Wire,
    caption,
    choose_language,
    expect_address,
    expect_step,
    num_steps,
    open_stage,
    press,
    settle,
    step_of,
)

MOTIONS = """root => root.getRootNode().getAnimations().map(motion => [
  motion.effect.getComputedTiming().endTime,
  motion.effect.getKeyframes().some(frame => frame.transform && frame.transform !== "none")])"""


def walk(page: Page) -> list[str]:
    """40 steps forward and back; what each said."""
    told = [caption(page)]
    for step in range(1, 41):
        press(page, "ArrowRight")
        assert step_of(page) == step
        told.append(caption(page))
    for step in range(39, -1, -1):
        press(page, "ArrowLeft")
        assert step_of(page) == step
        assert caption(page) == told[step], "a step says the same, whichever way it is reached"
    return told


def test_forty_keys_are_forty_steps_and_no_rerun(browser_page: Page, server: str) -> None:
    """In both languages; first, last and back to the beginning; and not one message to the server."""
    page = browser_page
    wire = Wire().listen(page)
    open_stage(page, f"{server}/execute?s=P0&lang=en")
    assert step_of(page) == 0
    sent = len(wire.sent)
    assert sent > 0, "the wire is listened to"
    english = walk(page)
    page.wait_for_timeout(300)  # time for a message that must not come
    assert len(wire.sent) == sent, "nothing of this is Python's business"
    last = num_steps(page)
    for key, step in [("End", last), ("ArrowRight", last), ("Home", 0), ("ArrowLeft", 0), ("PageDown", 1)]:
        press(page, key)
        assert step_of(page) == step, key
    press(page, "PageUp")
    page.wait_for_timeout(300)
    assert len(wire.sent) == sent + 1, "that a run was seen to its end is told, once"
    settle(page)
    sent = len(wire.sent)
    choose_language(page, "中文", "zh")
    assert len(wire.sent) > sent
    sent = len(wire.sent)
    chinese = walk(page)
    assert len(wire.sent) == sent
    assert len(set(english)) > 30
    assert len(set(chinese)) > 30
    assert not set(english) & set(chinese)


def test_fast_presses_all_count_and_space_plays(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P4&lang=en")
    press(page, "ArrowRight", 30)
    assert step_of(page) == 30
    press(page, " ")
    for _ in range(100):
        page.wait_for_timeout(100)
        if step_of(page) > 31:
            break
    press(page, " ")
    rest = step_of(page)
    assert rest > 31
    page.wait_for_timeout(1_500)
    assert step_of(page) == rest, "a second Space stops"
    for forth, back in (("Shift+ArrowRight", "Shift+ArrowLeft"), ("]", "["), ("n", "N")):
        press(page, forth, 2)
        there = step_of(page)
        press(page, back)
        assert step_of(page) < there, forth
    page.locator(".st-key-toolbar .stSelectbox").click()
    page.get_by_role("option", name="One system prompt, three questions").click()
    expect(page.locator(f"{STAGE} h2")).to_contain_text("One system prompt, three questions")
    expect_step(page, 0)  # another scenario starts at its beginning


def test_a_language_switch_and_a_reload_keep_the_step(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang=en")
    press(page, "ArrowRight", 17)
    english = caption(page)
    choose_language(page, "中文", "zh")
    expect_step(page, 17)
    assert caption(page) != english
    choose_language(page, "中 + En", "zh")
    expect(page.locator(f"{STAGE} .zG .what")).to_have_count(2)
    expect_step(page, 17)
    expect_address(page, "lang=both")
    expect_address(page, "step=17")
    page.reload()
    settle(page)
    expect_step(page, 17)
    expect(page.locator(f"{STAGE} .zG .what")).to_have_count(2)


def test_reduced_motion_moves_nothing(browser_page: Page, server: str) -> None:
    """No flights, no fades; the steps are the same ones, and somebody else sees them move."""
    page = browser_page
    page.emulate_media(reduced_motion="reduce")
    open_stage(page, f"{server}/execute?s=P0&lang=en")
    for step in range(1, 31):
        press(page, "ArrowRight")
        assert page.locator(STAGE).evaluate(MOTIONS) == [], f"step {step}: {caption(page)}"
        assert step_of(page) == step
    expect_address(page, "step=30")
    page.emulate_media(reduced_motion="no-preference")
    page.reload()
    settle(page)
    expect_step(page, 30)
    moved = 0
    for _ in range(10):
        press(page, "ArrowRight")
        moved += len(page.locator(STAGE).evaluate(MOTIONS))
    assert moved > 0
