"""A step looks the same however it was reached: one by one, backwards, by leaps, or opened at once."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import ROOT
from tests.stage_runs import PRESETS, stage_log_of
from ui.stage.payload import stage_payload
from ui.words.i18n import stage_texts

HOST = "http://127.0.0.1:9/"
PROBES = 6
"""So many steps of each preset are opened afresh, which takes longer than stepping."""
MOST_STEPS = 90
"""Steps walked one by one; of a longer run so many around its middle."""
LABELS = "nodes => nodes.map((node) => node.ariaLabel)"
KINDS = {".js": "text/javascript", ".css": "text/css"}

HARNESS = ROOT / "tests" / "e2e" / "harness.js"
PAGE = '<!doctype html><body style="margin:0"><script type="module" src="/harness.js"></script></body>'


def served(route: Route) -> None:
    """The harness, and what it imports, from the repository."""
    path = PurePosixPath(urlsplit(route.request.url).path)
    if path.name == "harness.js":
        route.fulfill(body=HARNESS.read_text("utf-8"), content_type=KINDS[".js"])
    elif path.suffix in KINDS:
        route.fulfill(body=(ROOT / str(path)[1:]).read_text("utf-8"), content_type=KINDS[path.suffix])
    else:
        route.fulfill(body=PAGE, content_type="text/html")


def payload(scenario_id: str, **flags: object) -> dict[str, Any]:
    made = stage_payload(stage_log_of(scenario_id), None, "en", {"ask": False, **flags})
    return {**json.loads(json.dumps(made)), "text": stage_texts()}


@pytest.fixture
def harness(browser_page: Page) -> Page:
    page = browser_page
    page.route(f"{HOST}**", served)
    page.goto(HOST)
    page.wait_for_function("window.ready")
    page.evaluate("css => { window.css = css; }", (ROOT / "assets/stage/stage.css").read_text("utf-8"))
    return page


def test_a_step_looks_the_same_however_it_was_reached(harness: Page) -> None:
    """Slot #7 of P0 had three fill segments when one stepped from 63 to 127, and four when one jumped."""
    wrong = {}
    for scenario_id in PRESETS:
        data = payload(scenario_id)
        total = len(data["a"]["events"])
        first = max(0, (total - MOST_STEPS) // 2)
        last = min(total, first + MOST_STEPS)
        probes = sorted({first + (last - first) * j // (PROBES - 1) for j in range(PROBES)})
        found = harness.evaluate("args => window.compare(...args)", [data, first, last, probes])
        if found:
            wrong[scenario_id] = found
    assert wrong == {}


def open_at_question(page: Page, name: str) -> dict[str, Any]:
    """`three` before its first question of that name, which is returned."""
    steps = stage_log_of("three")["events"]
    place, ask = next(
        (at, step["ask"]) for at, step in enumerate(steps) if step.get("ask", {}).get("id") == name
    )
    page.evaluate("([data, step]) => { window.openStage(data, step); }", [payload("three", ask=True), place])
    return dict(ask)


def test_a_slot_that_is_free_already_cannot_join_the_queue(harness: Page) -> None:
    """Which slot joins first? Those that wait in it are no buttons."""
    page = harness
    ask = open_at_question(page, "free")
    slots = page.locator(".zC button.slot[data-option]")
    expect(slots).to_have_count(len(ask["said"]))
    expect(page.locator(".zC .slot")).to_have_count(4)
    expect(page.locator(".zF .card")).to_have_count(1)
    expect(page.locator(".zF button.card")).to_have_count(0)


def test_a_pool_question_is_answered_on_the_slots(harness: Page) -> None:
    """Slots and queue cards are buttons while it is open, no words at the queue's ends say who goes next, and
    a wrong choice keeps its ring while the verdict stands."""
    page = harness
    ask = open_at_question(page, "stays")
    slots = page.locator(".zC button.slot[data-option]")
    expect(slots).to_have_count(len(ask["said"]))
    assert all(label.startswith(f"#{slot} ") for slot, label in enumerate(slots.evaluate_all(LABELS), 1))
    cards = page.locator(".zF button.card[data-option]")
    free = cards.count()
    assert free > 0
    expect(page.locator(".zF .zaside")).to_have_text("")
    wrong = next(int(choice) for choice in ask["said"] if int(choice) not in ask["answers"])
    slots.nth(wrong - 1).click()
    ring = page.locator(".zC [data-wrong]")
    expect(ring).to_have_count(1)
    assert ring.locator(".sid").inner_text() == f"#{wrong}"
    expect(page.locator(".zC button.slot")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".zC [data-wrong]")).to_have_count(0)
