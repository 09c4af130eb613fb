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
PROBES = 7
"""So many steps of each preset are opened afresh, which takes longer than stepping."""
MOST_STEPS = 130
"""Steps walked one by one; of a longer run so many around its middle."""
LABELS = "nodes => nodes.map((node) => node.ariaLabel)"
KINDS = {".js": "text/javascript", ".css": "text/css"}

HARNESS = """
import { mountStage } from "/assets/stage/stage.js";

const zones = ".head, .zone, .ring";
function plainNode(node) {
  if (node.nodeType === 3) return node.data;
  if (node.classList.contains("off")) return "<off>"; // what nobody sees may be what it was
  const styles = node.style ? [...node.style].map((name) => name + ":" + node.style.getPropertyValue(name)).sort().join(";") : "";
  const names = [...node.attributes].map(({ name }) => name).filter((name) => name !== "style").sort();
  const attributes = names.map((name) => name + "=" + (name === "class" ? [...node.classList].sort().join(" ") : node.getAttribute(name)));
  const picture = node.tagName === "CANVAS" && !node.classList.contains("ticks") ? node.toDataURL().length : "";
  return "<" + [node.tagName, ...attributes, styles, picture].join(" ") + ">" + [...node.childNodes].map(plainNode).join("") + "</>";
}
function open(data, step) {
  document.querySelector("main")?.remove();
  const host = document.body.appendChild(document.createElement("main"));
  history.replaceState(null, "", step === null ? "#" : "#step=" + step);
  mountStage({ parentElement: host.attachShadow({ mode: "open" }), data, css: window.css });
  return host.shadowRoot.querySelector("[role=application]");
}
const drawn = (root) => [...root.querySelectorAll(zones)].map(plainNode);
const key = (root, name) => root.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
function leap(step) {
  history.replaceState(null, "", "#step=" + step);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
const stepOf = (root) => Number(root.querySelector(".track").getAttribute("aria-valuenow"));

/** Differences between how a probed step looks when it is opened and when it is reached otherwise. */
window.compare = (data, from, to, probes) => {
  const fresh = new Map(probes.map((step) => [step, drawn(open(data, step))]));
  const root = open(data, from), wrong = [];
  const check = (way) => {
    const step = stepOf(root), wanted = fresh.get(step);
    if (!wanted) return;
    if (way !== "forward" && root.getAnimations({ subtree: true }).length) wrong.push(`${way} to ${step}: something still moves`);
    drawn(root).forEach((zone, at) => {
      if (zone === wanted[at]) return;
      let same = 0;
      while (zone[same] === wanted[at][same]) same++;
      wrong.push(`${way} to ${step}: …${zone.slice(Math.max(0, same - 200), same + 60)}… instead of …${wanted[at].slice(Math.max(0, same - 20), same + 60)}…`);
    });
  };
  while (stepOf(root) < to) { key(root, "ArrowRight"); check("forward"); }
  while (stepOf(root) > from) { key(root, "ArrowLeft"); check("back"); }
  for (const step of [...probes, ...[...probes].reverse(), probes[0], probes.at(-1)]) { leap(step); check("leap"); }
  return wrong.slice(0, 4);
};
window.openStage = open;
window.mount = mountStage;
window.ready = true;
"""
PAGE = '<!doctype html><body style="margin:0"><script type="module" src="/harness.js"></script></body>'


def served(route: Route) -> None:
    """The harness, and what it imports, from the repository."""
    path = PurePosixPath(urlsplit(route.request.url).path)
    if path.name == "harness.js":
        route.fulfill(body=HARNESS, content_type=KINDS[".js"])
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


def test_a_pool_question_is_answered_on_the_slots(harness: Page) -> None:
    """Slots and queue cards are buttons while it is open, nothing at the queue's ends says who goes next, and a
    wrong choice keeps its ring while the verdict stands."""
    page = harness
    steps = stage_log_of("three")["events"]
    place, ask = next((at, step["ask"]) for at, step in enumerate(steps) if step.get("ask", {}).get("kind") == "pool")
    page.evaluate("([data, step]) => { window.openStage(data, step); }", [payload("three", ask=True), place])
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
