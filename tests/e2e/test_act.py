"""The first screen: twelve beats, one bet, and a path; by keys, by clicks, by voice, on every screen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.onstage import STAGE, Wire, settle
from ui.act.play import BEATS, act_beats
from ui.act.variants import act_variants
from ui.stage.presets import path
from ui.words.i18n import Lang, t

ACT = ".act[data-ready]"
LAST = len(BEATS) - 1
BET = next(place for place, beat in enumerate(BEATS) if beat.name == "bet")
TAGS = next(place for place, beat in enumerate(BEATS) if beat.name == "tag")
SIZES = [(1280, 720), (1920, 1080), (390, 844)]

ALL_OF_IT = """act => {
  const shown = ({ name }) => name !== 'style';
  const said = ({ attributes = [] }) => [...attributes].filter(shown).map(({ value }) => value);
  const told = (node) => node.nodeType === 3 ? node.data
    : [...said(node), ...[...node.childNodes].map(told)].join('\\n');
  return document.title + told(act);
}"""
DRAWN = """act => [...act.querySelectorAll('.floor > .n')].map(node =>
  [node.className, node.textContent, node.style.cssText, node.dataset.do ?? ''].join('|')).join('\\n')"""
SMALLEST = """act => {
  const floor = act.querySelector('.floor'), scale = floor.getBoundingClientRect().width / floor.offsetWidth;
  const walker = document.createTreeWalker(act, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || node.closest('.sr')) continue;
    const size = parseFloat(getComputedStyle(node).fontSize) * scale;
    if (node.getClientRects().length) found.push([size, node.textContent]);
  }
  return found.sort((a, b) => a[0] - b[0])[0];
}"""
SMALL_TARGETS = """act => [...act.querySelectorAll('[data-do]')].filter(node => {
  const box = node.getBoundingClientRect();
  return box.width < 44 || box.height < 44;
}).map(node => node.textContent)"""
SWIPE = """(act, way) => {
  const at = (x) => [new Touch({ identifier: 1, target: act, clientX: x, clientY: 300 })];
  const tell = (name, touches, changedTouches) => act.dispatchEvent(
    new TouchEvent(name, { touches, changedTouches, bubbles: true }));
  tell('touchstart', at(200), at(200));
  tell('touchend', [], at(200 + way));
}"""
NAMES = """act => [...act.querySelectorAll('[data-do]')].map(node =>
  [node.getAttribute('aria-label'), node.textContent.trim()])"""
BOXES = """act => [...act.querySelectorAll('.what, .why, .said, [data-do], .tag, .slot')].map(node => {
  const box = node.getBoundingClientRect();
  return [node.className, box.left, box.top, box.right, box.bottom];
})"""
CUT = """act => [...act.querySelectorAll('.tok, .tag, .btn, .slot, .answer, .cap, .path, .run, .looks')]
  .filter(node => node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 2)
  .map(node => node.className + ': ' + node.textContent)"""


def open_act(page: Page, url: str) -> Locator:
    page.goto(url)
    act = page.locator(ACT)
    expect(act).to_be_visible()
    settle(page)
    return act


def expect_beat(act: Locator, beat: int) -> None:
    expect(act).to_have_attribute("data-beat", str(beat))


def go_to_beat(page: Page, act: Locator, beat: int, choice: int = 4) -> None:
    for now in range(int(act.get_attribute("data-beat") or 0), beat):
        page.keyboard.press(str(choice + 1) if now == BET else "ArrowRight")
        expect_beat(act, now + 1)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("key", ["ArrowRight", "PageDown"])
def test_twelve_presses_are_twelve_beats(browser_page: Page, server: str, lang: Lang, key: str) -> None:
    """From the opening to the stage, with one guess on the way, and nothing asked of the server before."""
    page = browser_page
    wire = Wire().listen(page)
    act = open_act(page, f"{server}/?lang={lang}")
    before = len(wire.sent)
    for beat, facts in enumerate(act_beats(lang)):
        expect_beat(act, beat)
        said = t(f"act.{facts['name']}.what", lang, **facts["args"]).replace("**", "")
        expect(act.locator(".what")).to_have_text(said)
        if beat == LAST:
            break
        if beat == BET:
            page.keyboard.press(key)
            expect_beat(act, BET)
            expect(act.locator(".live")).to_have_text(t("act.click.first", lang))
            act.get_by_role(
                "button", name=t("act.bet.token", lang, n=5, text="|").split("|")[0]
            ).first.click()
        else:
            page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert len(wire.sent) == before
    page.keyboard.press(key)
    page.wait_for_url("**/execute*")
    settle(page)
    first = path()["share"][0]
    expect(page.locator(f"{STAGE} h2")).to_contain_text(t(f"scenario.{first}.title", lang))
    page.wait_for_function("location.search.includes('m=guided')")


def test_nothing_plays_and_no_answer_is_there_before_the_bet(browser_page: Page, server: str) -> None:
    """Not in a text, not in an attribute, not in the live region, not in the title."""
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    page.wait_for_timeout(2500)
    expect_beat(act, 0)
    end = act_beats("en")[LAST]["reqs"][1]
    for beat in range(BET + 1):
        told = act.evaluate(ALL_OF_IT)
        assert end["tags"][1] not in told
        assert end["answer"].strip() not in told
        assert "✓" not in told
        for word in ("reused", "hit", "saved", "not have to be"):
            assert word not in told, (beat, word)
        if beat < BET:
            go_to_beat(page, act, beat + 1)
    tokens = act.locator('[data-do^="answer:"]')
    assert tokens.count() == 8
    looks = {tokens.nth(place).get_attribute("class") for place in range(8)}
    assert len(looks) == 1, "no token looks like the answer"


@pytest.mark.parametrize("choice", range(8))
def test_each_choice_says_what_it_would_have_meant(browser_page: Page, server: str, choice: int) -> None:
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    go_to_beat(page, act, BET + 1, choice)
    key = act_beats("en")[BET]["ask"]["said"][choice]
    right = choice in act_beats("en")[BET]["ask"]["answers"]
    verdict = t("act.right" if right else "act.wrong", "en")
    meant = t(key, "en", **act_beats("en")[BET]["args"])
    expect(act.locator(".said")).to_have_text(f"{'✓' if right else '✕'} {verdict} {meant}")
    spoken = act.locator(".live").inner_text()
    assert spoken.startswith(t("act.right" if right else "act.wrong", "en"))
    assert t("act.hit.what", "en").replace("**", "") in spoken
    assert (act.locator(".tok.guess").count() == 0) == right


def test_by_keyboard_alone(browser_page: Page, server: str) -> None:
    """Refused with the keyboard on the first token; arrows walk, Enter chooses; the next step is at hand."""
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    go_to_beat(page, act, BET)
    page.keyboard.press("ArrowRight")
    assert focused(act) == "answer:0"
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert focused(act) == "answer:4"
    page.keyboard.press("ArrowLeft")
    assert focused(act) == "answer:3"
    page.keyboard.press("Enter")
    expect_beat(act, BET + 1)
    assert focused(act) == "next"
    page.keyboard.press("ArrowLeft")
    expect_beat(act, BET)
    assert act.locator(".tok.taken").count() == 1, "the guess stands"
    page.keyboard.press("PageDown")
    expect_beat(act, BET + 1)


def focused(act: Locator) -> Any:
    return act.evaluate("act => act.getRootNode().activeElement?.dataset.do")


def test_a_step_is_drawn_from_its_number_alone(browser_page: Page, server: str) -> None:
    """Forth, back, forth: every beat is drawn as it was, also after something was tried in it."""
    page = browser_page
    page.emulate_media(reduced_motion="reduce")
    act = open_act(page, f"{server}/?lang=en")
    go_to_beat(page, act, LAST, choice=6)
    drawn = {LAST: act.evaluate(DRAWN)}
    for beat in range(LAST - 1, -1, -1):
        page.keyboard.press("ArrowLeft")
        expect_beat(act, beat)
        drawn[beat] = act.evaluate(DRAWN)
        if beat == TAGS:
            act.locator('[data-do="edit:2"]').click()
    for beat in range(1, LAST + 1):
        page.keyboard.press("ArrowRight")
        expect_beat(act, beat)
        assert act.evaluate(DRAWN) == drawn[beat], beat


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_hash_machine(browser_page: Page, server: str, lang: Lang) -> None:
    """One token changed: its block's tag and all behind flip, those before stay lit, the cost is counted."""
    page = browser_page
    act = open_act(page, f"{server}/?lang={lang}")
    go_to_beat(page, act, TAGS)
    base = act_beats(lang)[TAGS]["reqs"][0]["tags"]
    for place in (2, 6):
        for variant in act_variants(lang)[place]:
            act.locator(f'[data-do="edit:{place}"]').click()
            expect(act.locator(".tag")).to_have_text(variant["tags"])
            same = [tag == old for tag, old in zip(variant["tags"], base, strict=True)]
            looks = [(act.locator(".tag").nth(b).get_attribute("class") or "") for b in range(2)]
            assert [("same" in look, "diff" in look) for look in looks] == [(one, not one) for one in same]
            expect(act.locator(".why")).to_contain_text(str(variant["hit"]))
            expect(act.locator(".live")).to_contain_text(
                t(f"act.changed.{'one' if any(same) else 'all'}.what", lang)
            )
        act.locator(f'[data-do="edit:{place}"]').click()
        expect(act.locator(".tag")).to_have_text(base)
    act.locator('[data-do="edit:0"]').click()
    page.keyboard.press("Escape")
    expect(act.locator(".tag")).to_have_text(base)


@pytest.mark.parametrize("mode", ["en", "zh", "both"])
@pytest.mark.parametrize("viewport", SIZES)
def test_everything_is_above_the_fold_and_can_be_read(
    browser_page: Page, server: str, mode: str, viewport: tuple[int, int]
) -> None:
    page = browser_page
    page.emulate_media(reduced_motion="reduce")
    act = open_act(page, f"{server}/?lang={mode}")
    narrow = viewport[0] < 900
    for beat in range(LAST + 1):
        go_to_beat(page, act, beat, choice=1)
        size, words = act.evaluate(SMALLEST)
        assert size >= (15.9 if narrow else 11.9), (beat, words)
        assert act.evaluate(CUT) == [], beat
        for cls, left, top, right, bottom in act.evaluate(BOXES):
            assert left >= -1, (beat, cls)
            assert right <= viewport[0] + 1, (beat, cls)
            assert top >= 0, (beat, cls)
            if not (narrow and (beat == LAST or mode == "both")):
                assert bottom <= viewport[1], (beat, cls)
        if narrow:
            assert act.evaluate(SMALL_TARGETS) == [], beat


def test_next_never_moves(browser_page: Page, server: str) -> None:
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    places = set()
    for beat in range(LAST + 1):
        go_to_beat(page, act, beat)
        places.add(json.dumps(act.locator(".btn.next").bounding_box()))
    assert len(places) == 1


def test_keys_belong_to_who_scrolled_on(browser_page: Page, server: str) -> None:
    """Who reads further down keeps Page Down."""
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    page.get_by_text(t("start.presets", "en")).scroll_into_view_if_needed()
    page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, 700)")
    page.keyboard.press("PageDown")
    page.wait_for_timeout(200)
    expect_beat(act, 0)
    page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, 0)")
    page.keyboard.press("PageDown")
    expect_beat(act, 1)


def test_who_comes_back_finds_the_beat_that_was_left(browser_page: Page, server: str) -> None:
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    go_to_beat(page, act, 5)
    page.locator('[href$="/glossary"], [href$="/finish"]').first.click()
    page.wait_for_url("**/finish*")
    settle(page)
    page.locator('[data-testid="stTopNavLinkContainer"] a, header a').first.click()
    act = page.locator(ACT)
    expect(act).to_be_visible()
    expect_beat(act, 5)


def test_another_language_stays_on_the_beat(browser_page: Page, server: str) -> None:
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    go_to_beat(page, act, 4)
    page.locator(".st-key-toolbar").get_by_text("中文", exact=True).click()
    expect(act).to_have_attribute("lang", "zh")
    expect_beat(act, 4)
    expect(act.locator(".head")).to_have_text(t("act.head", "zh"))


def test_a_run_of_the_path_opens_guided(browser_page: Page, server: str) -> None:
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    go_to_beat(page, act, LAST)
    name = path()["evict"][0]
    run = act.locator(f'a[href*="s={name}&"]')
    assert run.get_attribute("href") == f"execute?s={name}&m=guided&lang=en", (
        "it can be opened beside this page"
    )
    for group in path().values():
        for one in group[:3]:
            expect(act).to_contain_text(t(f"scenario.{one}.question", "en"))
    run.click()
    page.wait_for_url("**/execute*")
    settle(page)
    expect(page.locator(f"{STAGE} h2")).to_contain_text(t(f"scenario.{name}.title", "en"))


def test_a_swipe_is_a_step(chromium: Any, server: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, locale="en-US")
    page = context.new_page()
    try:
        act = open_act(page, f"{server}/?lang=en")
        act.evaluate(SWIPE, -120)
        expect_beat(act, 1)
        act.evaluate(SWIPE, 120)
        expect_beat(act, 0)
        act.evaluate(SWIPE, -20)
        expect_beat(act, 0)
    finally:
        context.close()


def test_every_button_and_picture_has_a_name(browser_page: Page, server: str) -> None:
    """What is seen on it is the beginning of what is said of it, or part of it."""
    page = browser_page
    act = open_act(page, f"{server}/?lang=en")
    for beat in range(LAST + 1):
        go_to_beat(page, act, beat)
        for name, text in act.evaluate(NAMES):
            assert text
            assert name is None or text.replace("␣", "").strip() in name, (beat, name, text)
    assert act.get_attribute("role") == "group"
    assert act.get_attribute("aria-label") == t("act.name", "en")
