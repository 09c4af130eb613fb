"""Nothing on the screen tells the answer to an open question: all presets, all questions, both languages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.leaks import SEE, Seen, leaks_here, leaks_of_bet
from tests.stage_runs import PRESETS, frames_of, log_of, stage_log_of
from ui.export.offline import inert
from ui.frame.join import join_modules
from ui.frame.static_files import ROOT, stage_files
from ui.stage.end import end_card
from ui.stage.payload import stage_payload
from ui.stage.setup import Setup
from ui.teacher.places import PLACES, opens_on
from ui.words.i18n import LANGS, Lang, stage_texts, t

PAGE = """<!DOCTYPE html><meta charset="utf-8"><body><div id="stage" style="width:1280px"></div>
<script type="module">
const later = setTimeout; // what the stage says after a short rest, it says at once here
window.setTimeout = (then, ms) => later(then, ms === 150 ? 0 : ms);
%s
const host = document.getElementById("stage").attachShadow({ mode: "open" }), css = %s, text = %s, see = %s;
window.root = () => host.querySelector("[role=application]");
window.look = async (data, steps, token, plant) => {
  const seen = [];
  for (const step of steps) {
    const flags = { ...data.flags, go: [token + step, step] };
    mountStage({ data: { ...data, text, flags }, parentElement: host, css, key: "leak" });
    await new Promise((then) => later(then, 8));
    if (plant) new Function("root", plant)(window.root());
    seen.push(see(window.root()));
  }
  return seen;
};
</script>"""


def script() -> str:
    """A page with nothing but the stage, which takes one run after another."""
    texts = {name: content.decode() for name, content in stage_files(ROOT).items()}
    modules = {name: text for name, text in texts.items() if name.endswith(".js")}
    joined = join_modules(modules).replace("</script", "<\\/script")
    sheet, words = (inert(json.dumps(one)) for one in (texts["stage/stage.css"], stage_texts()))
    return PAGE % (joined, sheet, words, SEE.strip().removesuffix(";"))


@pytest.fixture
def stage(browser_page: Page, tmp_path: Path) -> Page:
    file = tmp_path / "stage.html"
    file.write_text(script(), "utf-8")
    browser_page.goto(file.as_uri())
    browser_page.wait_for_function("() => window.look")
    return browser_page


def look(page: Page, log: Mapping[str, Any], lang: Lang, steps: Sequence[int], plant: str = "") -> list[Seen]:
    """What is to be seen and heard at these steps of a run, questions on."""
    payload = stage_payload(
        dict(log),
        None,
        lang,
        {"ask": True, "level": "beat", "card": end_card(Setup(log["meta"]["scenario"]))},
    )
    token = f"{log['meta']['scenario']}{lang}{plant}"
    seen: list[Seen] = page.evaluate("args => window.look(...args)", [payload, list(steps), token, plant])
    return seen


def test_no_question_is_answered_before_it_is(stage: Page) -> None:
    found: dict[str, list[str]] = {}
    asked = 0
    for scenario_id in PRESETS:
        for lang in LANGS:
            log = stage_log_of(scenario_id, lang)
            frames = frames_of(log_of(scenario_id, lang), log["events"])
            steps = [one["i"] for one in log["events"] if "ask" in one]
            for step, seen in zip(steps, look(stage, log, lang, steps), strict=True):
                told = leaks_here(seen, log, frames, lang)
                if told:
                    found[f"{scenario_id} {lang} step {step} {log['events'][step]['ask']['id']}"] = told
            asked += len(steps)
    assert found == {}
    assert asked > 200


VERDICT = t("stage.said.lane.right.until", "en", hit=1, after=2)
PLANTED = (
    "root.querySelector('.zA .blk').dataset.state = 'hit'",
    f"root.querySelector('.live').append({json.dumps(VERDICT)})",
    "Object.assign(root.querySelector('.ticks').getContext('2d'), { fillStyle: '#005A8C' })"
    ".fillRect(600, 5, 9, 20)",
    "root.querySelector('.zB .row').dataset.asked = '1'",
    "root.querySelector('.zA .tagof').append('80d3')",
)


@pytest.mark.parametrize("plant", PLANTED)
def test_what_leaks_is_seen(stage: Page, plant: str) -> None:
    """Planted in the page itself, so that the eyes of the test are known to see."""
    log = stage_log_of("P0", "en")
    frames = frames_of(log_of("P0", "en"), log["events"])
    step = next(one["i"] for one in log["events"] if one.get("ask", {}).get("rid") == "R1")
    assert leaks_here(look(stage, log, "en", [step])[0], log, frames, "en") == []
    assert leaks_here(look(stage, log, "en", [step], plant)[0], log, frames, "en") != []


def bets_leak(seen: Seen, log: Mapping[str, Any], lang: Lang) -> list[str]:
    return leaks_of_bet(seen, log["events"], log["meta"]["slots"], lang)


def test_no_run_is_told_before_it_is_bet_on(stage: Page) -> None:
    """The first screen of every preset, and so the teacher's stop that opens there."""
    found: dict[str, list[str]] = {}
    for scenario_id in PRESETS:
        for lang in LANGS:
            log = stage_log_of(scenario_id, lang)
            told = bets_leak(look(stage, log, lang, [0])[0], log, lang)
            if told:
                found[f"{scenario_id} {lang}"] = told
    assert found == {}
    assert opens_on("bet") == 0
    assert PLACES["bet"].preset in PRESETS


PLANTED_AT_THE_BET = (
    "root.querySelector('.zG .what').append(' 24 of 46')",
    "root.querySelector('.live').append('24')",
    "root.querySelector('.zE .cell').dataset.fate = 'reused'",
    "root.querySelector('.zE .sum').append('24 reused')",
    "root.querySelector('.zC .slot').dataset.state = 'reserved'",
    "root.querySelector('.zG .betpick').setAttribute('aria-label', '24')",
    "root.querySelector('.zG .betpick').remove()",
    PLANTED[2],
)


@pytest.mark.parametrize("plant", PLANTED_AT_THE_BET)
def test_what_tells_the_run_is_seen(stage: Page, plant: str) -> None:
    log = stage_log_of("P1", "en")
    assert bets_leak(look(stage, log, "en", [0])[0], log, "en") == []
    assert bets_leak(look(stage, log, "en", [0], plant)[0], log, "en") != []
