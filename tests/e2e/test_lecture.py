"""A lecture given with a clicker's two keys: what the room sees at each press, and what it must not yet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.test_axe import AXE, serious_faults
from ui.frame.static_files import ensure_static
from ui.lecture.payload import Lecture, LectureStop
from ui.lecture.scripts import script_lecture
from ui.teacher.address import Address
from ui.teacher.give import own_link
from ui.teacher.places import address_of
from ui.teacher.seq import Sequence, Stop
from ui.teacher.stops import SCRIPTS
from ui.words.i18n import LANGS, Lang
from ui.words.palette import PALETTE

DECK = ".lecture .deck"
READY = '.lecture[data-ready="1"]'
LARGE = (1920, 1080)
SMALLEST = 28

EVERYTHING = """(deck) => {
  const nodes = [deck, ...deck.querySelectorAll("*")];
  const attributes = nodes.flatMap((node) => [...node.attributes].map((one) => one.name + "=" + one.value));
  return [deck.textContent, ...attributes].join("\\n").replaceAll("\\u00a0", " ");
}"""
"""All that is in the page of the lecture: text, tags' attributes, classes."""

SMALL = """(deck, least) => {
  const nodes = [...deck.querySelectorAll("*")];
  const own = (node) => [...node.childNodes].some((kid) => kid.nodeType === 3 && kid.textContent.trim());
  return nodes.filter((node) => own(node) && parseFloat(getComputedStyle(node).fontSize) < least)
    .map((node) => node.textContent.slice(0, 30));
}"""

CUT = """(deck) => {
  const nodes = [...deck.querySelectorAll("*")];
  const hides = (node) => getComputedStyle(node).overflow !== "visible" && node.tagName !== "IFRAME";
  const over = (node) => node.scrollWidth > node.clientWidth + 2 || node.scrollHeight > node.clientHeight + 2;
  const beyond = ({ right, bottom }) => right > innerWidth + 1 || bottom > innerHeight + 1;
  const outside = (box) => box.width > 1 && beyond(box);
  return nodes.filter((node) => !node.closest("svg"))
    .filter((node) => (hides(node) && over(node)) || outside(node.getBoundingClientRect()))
    .map((node) => node.className + ": " + node.textContent.slice(0, 40));
}"""


def open_lecture(page: Page, server: str, length: int, lang: str, more: str = "") -> None:
    page.goto(f"{server}/present?script={length}&lang={lang}{more}")
    page.wait_for_selector(READY)


def beats(stop: LectureStop) -> list[str]:
    asked = [
        name for name, there in (("guess", stop["options"]), ("know", any(stop["know"].values()))) if there
    ]
    return ["look", *asked]


def places(lecture: Lecture) -> Iterator[tuple[int, LectureStop, str]]:
    for number, stop in enumerate(lecture["stops"], 1):
        for beat in beats(stop):
            yield number, stop, beat


def expect_place(page: Page, number: int, lecture: Lecture, beat: str) -> None:
    expect(page.locator(DECK)).to_have_class(re.compile(rf"^deck {beat}\b"))
    expect(page.locator(f"{DECK} .top > b")).to_have_text(f"{number} / {len(lecture['stops'])}")


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d[\d,.]*", text))


def closed_tags(scene: Any) -> set[str]:
    """Tags that nobody may read before the truth; those of an open slot are open."""
    if scene["kind"] != "run":
        return set()
    lanes = {tag for lane in scene["lanes"] if not lane["tags_open"] for tag in lane["tags"] or () if tag}
    slots = {slot["tag"] for slot in scene["slots"] or () if slot["tag"]}
    opened = {tag for lane in scene["lanes"] if lane["tags_open"] for tag in lane["tags"] or () if tag}
    return (lanes - opened - slots) if scene["slots_open"] else (lanes | slots) - opened


def said_openly(stop: LectureStop, lang: Lang) -> str:
    """What the room may read before the truth: what it looks at, the question, the options, the picture."""
    scene: Any = stop["scene"][lang]
    tokens = [token for lane in scene.get("lanes", ()) for token in lane["tokens"]]
    drawn = json.dumps(
        [tokens, scene.get("parts"), scene.get("asked"), scene.get("rows"), scene.get("points")]
    )
    return " ".join(
        [
            *(stop[key][lang] for key in ("title", "see", "ask")),
            *(one[lang] for one in stop["options"]),
            drawn,
        ]
    )


def assert_open(page: Page, stop: LectureStop, lang: Lang) -> None:
    """Nothing of the answer is in the page: no mark, no sentence, no number of its own, no closed tag."""
    everything = page.locator(DECK).evaluate(EVERYTHING)
    assert page.locator(f"{DECK} :is(.right, .wrong, .so, .bar, .seal, .wires path)").count() == 0
    told = [stop[key][lang] for key in ("know", "truth") if stop[key][lang]]
    assert [one for one in told if one in everything] == []
    assert {tag for tag in closed_tags(stop["scene"][lang]) if tag in everything} == set()
    text = page.locator(DECK).inner_text()
    own = {n for n in numbers(stop["know"][lang]) - numbers(said_openly(stop, lang)) if len(n) > 1}
    counted = numbers(page.locator(f"{DECK} .top > b").inner_text())  # which stop of how many
    assert own & (numbers(text) - counted) == set(), stop["id"]


def assert_told(page: Page, stop: LectureStop, lang: Lang) -> None:
    """The sentence, the right option marked, and the hands beside it; a bet is only kept."""
    expect(page.locator(f"{DECK} h1")).to_have_text(
        re.compile(r"\s+".join(map(re.escape, stop["know"][lang].split())))
    )
    if not stop["options"]:
        return
    options = page.locator(f"{DECK} .op")
    expect(options).to_have_count(len(stop["options"]))
    expect(options.locator(".tally b")).to_have_text([*map(str, hands(stop))])
    expect(page.locator(f"{DECK} .op.right")).to_have_count(0 if stop["right"] is None else 1)
    if stop["right"] is not None:
        expect(options.nth(stop["right"])).to_have_class(re.compile(r"\bright\b"))


def hands(stop: LectureStop) -> list[int]:
    """Another number for each option, so that nothing can be mistaken."""
    return [3 + (2 * option + len(stop["id"])) % 5 for option in range(len(stop["options"]))]


def raise_hands(page: Page, stop: LectureStop) -> None:
    for option, count in enumerate(hands(stop), 1):
        for _ in range(count):
            page.keyboard.press(str(option))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("viewport", [LARGE])
@pytest.mark.parametrize("length", SCRIPTS)
def test_a_script_with_two_keys(browser_page: Page, server: str, length: int, lang: Lang) -> None:
    """Every press is one beat; on a question's screen nothing answers it; then tally and truth together; back
    the same way. Every letter can be read from the last row."""
    page, lecture = browser_page, script_lecture(length, lang)
    way = list(places(lecture))
    page.emulate_media(reduced_motion="reduce")  # the truth stands there at once
    open_lecture(page, server, length, lang)
    for place, (number, stop, beat) in enumerate(way):
        expect_place(page, number, lecture, beat)
        if beat == "know":
            assert_told(page, stop, lang)
        elif not stop["bet_of"]:  # there the room reads its own bet, whatever its numbers
            assert_open(page, stop, lang)
        if beat == "guess":
            raise_hands(page, stop)
        assert page.locator(DECK).evaluate(SMALL, SMALLEST) == [], (stop["id"], beat)
        assert page.locator(DECK).evaluate(CUT) == [], (stop["id"], beat)
        if place < len(way) - 1:
            page.keyboard.press("PageDown")
    for number, stop, beat in reversed(way[:-1]):
        page.keyboard.press("PageUp")
        expect_place(page, number, lecture, beat)
        if beat == "guess":
            assert_open(page, stop, lang)


def test_a_press_during_the_play_only_lands_it(browser_page: Page, server: str) -> None:
    """And the notes say so."""
    page, lecture = browser_page, script_lecture(10, "en")
    open_lecture(page, server, 10, "en")
    notes = page.context.new_page()
    open_lecture(notes, server, 10, "en", "&notes=1")
    for _ in range(4):
        page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect_place(page, 2, lecture, "know")  # the play has begun
    assert page.locator(f"{DECK} .seal").count() == 0
    expect(notes.locator(".then b")).to_have_text("finishes the picture")
    page.keyboard.press("PageDown")
    expect_place(page, 2, lecture, "know")
    assert page.locator(f"{DECK} .seal").count() == 4
    expect(notes.locator(".then b")).to_have_text("goes to: A time stamp in front")
    page.keyboard.press("PageDown")
    expect_place(page, 3, lecture, "look")


def test_hands_by_key_and_by_click_survive_a_reload(browser_page: Page, server: str) -> None:
    """Shift or the other button takes one back; after a click the keys drive on."""
    page, lecture = browser_page, script_lecture(10, "en")
    open_lecture(page, server, 10, "en")
    page.keyboard.press("PageDown")
    counts = page.locator(f"{DECK} .tally b")
    for key in ("1", "1", "1", "Shift+1", "2"):
        page.keyboard.press(key)
    option = page.locator(f"{DECK} .op").nth(2)
    option.click(click_count=2)
    option.click()
    option.click(button="right")
    option.click(modifiers=["Shift"])
    expect(counts).to_have_text(["2", "1", "1", "0"])
    page.reload()
    page.wait_for_selector(READY)
    expect_place(page, 1, lecture, "guess")
    expect(counts).to_have_text(["2", "1", "1", "0"])
    option.click()
    page.keyboard.press("Space")
    expect_place(page, 1, lecture, "know")
    expect(counts).to_have_text(["2", "1", "2", "0"])


def test_notes_and_lecture_agree_and_either_drives(browser_page: Page, server: str) -> None:
    """Counted again, the first vote stands hollow above the second; the answer is marked as not shown yet."""
    page, lecture = browser_page, script_lecture(10, "en")
    notes = page.context.new_page()
    open_lecture(notes, server, 10, "en", "&notes=1")
    expect(notes.locator(".live")).not_to_have_class(re.compile("on"))
    open_lecture(page, server, 10, "en")
    expect(notes.locator(".live")).to_have_class(re.compile("on"))
    for _ in range(3):
        page.keyboard.press("PageDown")
    notes.get_by_role("button", name="Next", exact=True).click()
    expect_place(page, 2, lecture, "guess")
    stop = lecture["stops"][1]
    expect(notes.get_by_role("heading", name=stop["title"]["en"])).to_be_visible()
    expect(notes.locator(".fact")).to_contain_text(stop["truth"]["en"])
    expect(notes.locator(".fact .mark")).not_to_have_class(re.compile("on"))
    page.keyboard.press("1")
    notes.get_by_role("button", name="option 1: one more hand").click()
    notes.get_by_role("button", name="option 3: one more hand").click()
    expect(page.locator(f"{DECK} .tally b")).to_have_text(["2", "0", "1"])
    notes.get_by_role("button", name="Count again").click()
    expect(page.locator(f"{DECK} .tally b")).to_have_text(["0", "0", "0"])
    notes.keyboard.press("2")
    page.keyboard.press("2")
    expect(notes.locator(".tr .n")).to_have_text(["0", "2", "0"])
    notes.keyboard.press("b")
    expect(page.locator(f"{DECK} .dark")).to_be_visible()
    page.keyboard.press("PageDown")  # brings the light back and goes nowhere
    expect(page.locator(f"{DECK} .dark")).to_be_hidden()
    expect_place(page, 2, lecture, "guess")
    page.keyboard.press("PageDown")
    expect(page.locator(f"{DECK} .bar.was")).to_have_count(2)
    expect(page.locator(f"{DECK} .bar:not(.was)")).to_have_count(1)
    expect(notes.locator(".fact .mark")).to_have_class(re.compile("on"))
    page.close()
    expect(notes.locator(".live")).not_to_have_class(re.compile("on"))


def test_notes_say_that_two_lectures_are_open(browser_page: Page, server: str) -> None:
    page, lecture = browser_page, script_lecture(10, "en")
    open_lecture(page, server, 10, "en")
    other, notes = page.context.new_page(), page.context.new_page()
    open_lecture(other, server, 10, "en")
    open_lecture(notes, server, 10, "en", "&notes=1")
    expect(notes.locator(".live b")).to_contain_text("2 lecture windows are open")
    other.keyboard.press("PageDown")
    other.close()
    expect(notes.locator(".live b")).to_have_count(0)
    expect(notes.locator(".live")).to_have_class(re.compile("on"))  # the one that is left is followed
    expect(notes.locator(".lecture")).to_have_attribute("data-at", "0.0")
    notes.get_by_role("button", name="Next").click()
    expect_place(page, 1, lecture, "guess")


def test_both_languages_at_once_fit(browser_page: Page, server: str) -> None:
    page = browser_page
    page.emulate_media(reduced_motion="reduce")
    open_lecture(page, server, 25, "both")
    for number, stop, beat in places(script_lecture(25, "both")):
        assert page.locator(DECK).evaluate(CUT) == [], (number, stop["id"], beat)
        assert page.locator(DECK).evaluate(SMALL, SMALLEST) == [], (number, stop["id"], beat)
        page.keyboard.press("PageDown")


def test_a_page_in_a_frame_leaves_the_clicker_to_the_lecture(browser_page: Page, server: str) -> None:
    """A sequence of one's own: a title that people typed is text; a page keeps its other keys."""
    page = browser_page
    stops = (Stop(Address("glossary"), "<b>Words</b>"), Stop(address_of("same"), "Same"))
    page.goto(f"{server}/{own_link(Sequence(stops), 'en')}")
    page.wait_for_selector(READY)
    expect(page.locator(f"{DECK} h1")).to_have_text("<b>Words</b>")
    frame = page.frame_locator(f"{DECK} iframe")
    field = frame.get_by_role("textbox").first
    expect(field).to_be_visible()
    expect(frame.locator(".stAppHeader, .st-key-toolbar").first).to_be_hidden()
    field.click()
    scrolled = "document.querySelector('.stMain').scrollTop"
    within = next(one for one in page.frames if one.parent_frame)
    within.wait_for_function(
        "(main => main.scrollHeight > 2 * main.clientHeight)(document.querySelector('.stMain'))"
    )
    page.keyboard.press("PageDown")  # the page is longer than its frame: it turns over
    assert within.evaluate(scrolled) > 0
    page.keyboard.press("PageUp")
    assert within.evaluate(scrolled) == 0
    page.keyboard.press("b")
    expect(field).to_have_value("b")
    expect(page.locator(f"{DECK} .dark")).to_be_hidden()
    within.evaluate("document.querySelector('.stMain').scrollTo(0, 1e6)")
    page.keyboard.press("PageDown")
    expect(page.locator(DECK)).to_have_class(re.compile(r"^deck look run"))
    page.keyboard.press("PageUp")
    expect(page.locator(DECK)).to_have_class(re.compile(r"^deck look page"))


def stretched(told: Any, times: float) -> Any:
    """Every sentence of a lecture as much longer as other languages need; tokens and numbers as they are."""
    if (
        isinstance(told, dict)
        and set(told) == set(LANGS)
        and all(isinstance(one, str) for one in told.values())
    ):
        return {lang: text + " " + text[: int(len(text) * (times - 1))] for lang, text in told.items()}
    if isinstance(told, dict):
        return {key: one if key == "scene" else stretched(one, times) for key, one in told.items()}
    return [stretched(one, times) for one in told] if isinstance(told, list) else told


MOUNT = """async ([folder, data]) => {
  document.body.replaceChildren();
  const load = (name) => import(new URL(`${folder}/lecture/${name}`, location.origin).href);
  const [{ default: mount }, { default: text }] = [await load("joined-lecture.js"), await load("texts.js")];
  const host = document.body.appendChild(document.createElement("div"));
  mount({ parentElement: host.attachShadow({ mode: "open" }), data: { ...data, text } });
}"""


@pytest.mark.parametrize("viewport", [LARGE])
def test_texts_that_are_longer_in_other_languages_fit(browser_page: Page, server: str) -> None:
    page, folder = browser_page, f"/{ensure_static()}"
    page.emulate_media(reduced_motion="reduce")
    for lang in LANGS:
        lecture = stretched(dict(script_lecture(40, lang)), 1.6)
        page.goto(f"{server}{folder}/lecture/texts.js")
        page.evaluate(MOUNT, [folder, {**lecture, "key": f"long-{lang}", "palette": PALETTE}])
        page.wait_for_selector(READY)
        for number, stop, beat in places(lecture):
            assert page.locator(DECK).evaluate(CUT) == [], (number, stop["id"], beat)
            assert page.locator(DECK).evaluate(SMALL, SMALLEST) == [], (number, stop["id"], beat)
            page.keyboard.press("PageDown")


@pytest.mark.skipif(
    AXE is None, reason="axe-playwright-python is not installed: pip install -r requirements-dev.txt"
)
@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
def test_nothing_serious_on_projector_and_notes(browser_page: Page, server: str, colour_scheme: str) -> None:
    page = browser_page
    page.emulate_media(reduced_motion="reduce")
    open_lecture(page, server, 10, "en")
    for presses in (4, 1, 8):  # a question with hands, its answer, and what was saved
        for _ in range(presses):
            page.keyboard.press("PageDown")
        page.keyboard.press("1")
        assert serious_faults(page) == []
    notes = page.context.new_page()
    open_lecture(notes, server, 10, "en", "&notes=1")
    assert serious_faults(notes) == []
