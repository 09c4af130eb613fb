"""The request lane in a real browser: hash machine, near misses, answer sheet; and nothing overlaps."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.onstage import STAGE, expect_step, hears_keys, open_stage, press
from tests.stage_runs import scenario_of, steps_of
from ui.stage.variants import stage_variants
from ui.words.i18n import Lang, t

LANE = f"{STAGE} .zA"
TAGS = f"{LANE} .tagof[data-tag] .word"

PARTS = ("blk", "tagof", "side", "blabel", "lanewho", "stored.tok", "nearnote", "zaside")
CROWDED = """(root, parts) => {
  const isSeen = node => node.checkVisibility() && node.textContent.trim();
  const seen = [...root.querySelectorAll(parts)].filter(isSeen);
  const boxes = seen.map(node => [node.className, node.getBoundingClientRect()]);
  const zone = root.querySelector(".zA").getBoundingClientRect(), wrong = [];
  const apart = (a, b) => Math.max(a.left, b.left) + 1 >= Math.min(a.right, b.right)
    || Math.max(a.top, b.top) + 1 >= Math.min(a.bottom, b.bottom);
  boxes.forEach(([name, a], at) => {
    const inside = a.left >= zone.left - 1 && a.right <= zone.right + 1 && a.bottom <= zone.bottom + 1;
    if (!inside) wrong.push(name + " outside");
    for (const [other, b] of boxes.slice(at + 1)) if (!apart(a, b)) wrong.push(name + " on " + other);
  });
  return wrong;
}"""


def first_step(scenario_id: str, lang: Lang, op: str, rid: str, block: int = 0) -> int:
    """The step that shows this event."""
    steps = steps_of(scenario_id, lang)
    return 1 + next(n for n, s in enumerate(steps) if (s["op"], s.get("rid"), s.get("b")) == (op, rid, block))


@pytest.mark.parametrize(("lang", "colour_scheme"), [("en", "light"), ("zh", "dark")])
def test_one_token_is_changed_and_put_back(browser_page: Page, server: str, lang: Lang) -> None:
    """Tags and counts are those of the engine; another step clears the change."""
    page = browser_page
    step = first_step("P0", lang, "hash", "R1", 2)
    open_stage(page, f"{server}/execute?s=P0&lang={lang}#step={step}")
    told = stage_variants(scenario_of("P0", lang))["R1"]
    before = page.locator(TAGS).all_inner_texts()
    assert len(before) == 3
    token = page.locator(f"{LANE} [data-token='4']")
    for text, tags, hit, _left in told["tokens"]["4"]:
        token.click()
        expect(page.locator(TAGS).nth(1)).to_have_text(tags[0])
        assert page.locator(TAGS).all_inner_texts() == [before[0], *tags]
        expect(page.locator(f"{LANE} .tagof[data-change=same]")).to_have_count(1)
        expect(page.locator(f"{STAGE} .zG .piece").last).to_contain_text(text.strip()[-1])
        expect(page.locator(f"{STAGE} .zG .why").first).to_contain_text(str(hit))
    token.click()  # after the last variant comes the token itself again
    assert page.locator(TAGS).all_inner_texts() == before
    token.click()
    page.get_by_role("button", name=t("stage.key.putBack", lang)).click()
    expect(page.locator(f"{LANE} .tagof[data-change]")).to_have_count(0)
    token.click()
    press(page, "ArrowLeft")
    press(page, "ArrowRight")
    expect_step(page, step)
    expect(page.locator(f"{LANE} .tagof[data-change]")).to_have_count(0)


def test_a_near_miss_stands_under_the_asked_tokens(browser_page: Page, server: str) -> None:
    page = browser_page
    open_stage(page, f"{server}/execute?s=P0&lang=en#step={first_step('P0', 'en', 'miss', 'R1', 2)}")
    stored = page.locator(f"{LANE} .stored.tok")
    expect(stored).to_have_count(4)
    assert [node.get_attribute("data-same") for node in stored.all()] == ["1", "1", "0", "0"]
    expect(page.locator(f"{LANE} .nearnote")).to_contain_text("R0")
    expect(page.locator(f"{LANE} .tok mark")).not_to_have_count(0)
    press(page, "ArrowRight")
    expect(stored.first).to_be_hidden()


def test_the_lane_is_the_answer_sheet(browser_page: Page, server: str) -> None:
    """Blocks are buttons with their names and keys; hovering one shades all up to it; a click answers."""
    page = browser_page
    open_stage(page, f"{server}/execute?s=three&lang=en&m=guided")
    page.locator(STAGE).click(position={"x": 500, "y": 8})
    hears_keys(page)
    press(page, "ArrowRight", 3)
    options = page.locator(f"{LANE} .blk[data-option]")
    expect(options).to_have_count(3)
    assert page.locator(f"{LANE} .blabel kbd").all_inner_texts() == ["0", "1", "2"]
    expect(page.locator(f"{LANE} .tagof[data-tag]")).to_have_count(0)
    assert "block 1" in (options.nth(1).get_attribute("aria-label") or "")
    plain = options.nth(0).evaluate("node => getComputedStyle(node).backgroundImage")
    options.nth(1).hover()
    shades = [node.evaluate("node => getComputedStyle(node).backgroundImage") for node in options.all()]
    assert shades[0] == shades[1] != plain
    assert shades[2] == plain
    options.nth(1).click()
    expect(page.locator(f"{LANE} .blk[data-guess]")).to_have_count(1)
    expect(page.locator(f"{STAGE} .zG .verdict")).to_be_visible()


def some_steps(scenario_id: str) -> list[int]:
    """One step of each kind that the lane draws differently."""
    seen: dict[str, int] = {}
    for number, step in enumerate(steps_of(scenario_id), 1):
        seen.setdefault(step["op"] + str("diff" in step["args"]), number)
    return sorted(seen.values())


@pytest.mark.parametrize("viewport", [(1280, 720), (1920, 1080)])
@pytest.mark.parametrize(
    ("name", "query"), [("P0", "lang=both"), ("bank", "lang=en"), ("P2", "lang=zh"), ("L640s", "lang=en")]
)
def test_nothing_in_the_lane_overlaps(
    browser_page: Page, server: str, name: str, query: str, viewport: tuple[int, int]
) -> None:
    page = browser_page
    large = "&present=1" if viewport[0] > 1280 else ""
    open_stage(page, f"{server}/execute?s={name}&{query}{large}")
    for step in some_steps(name):
        page.evaluate("step => { location.hash = 'step=' + step; }", step)
        expect_step(page, step)
        assert page.locator(STAGE).evaluate(CROWDED, ", ".join(f".zA .{part}" for part in PARTS)) == [], step
