"""How the stage feels and what a class costs: frames, keys, first sight, sizes, forty visitors at once.

    python -m benchmarks.stage [--json OUT] [--quick]

Starts a server of its own and a Chromium without a screen (software rendering), all on this machine: what is
measured shares its cores with what measures. Wall-clock times; the first lines say how busy the machine was.
``benchmarks/README.md`` says what each row covers. ``--quick`` only shows that it runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.stage_load import Load, run_load
from benchmarks.stage_server import Server, running
from core.scenario.reader import load_scenario
from core.scenario.scenario import run
from tests.browser import find_chromium
from ui.frame.static_files import ensure_static
from ui.stage.payload import MAX_STEPS, stage_log, stage_payload, to_bytes
from ui.stage.setup import Setup, load_setup, preset_ids

STAGE = '[data-testid^="stBidiComponent"] [role="application"]'
DRAWN = f"{STAGE} .track[aria-valuemax]"
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
]
SIZE = {"width": 1280, "height": 720}

PRESS = """root.dispatchEvent(
  new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, composed: true }))"""
SLEEP = "const sleep = (ms) => new Promise((done) => setTimeout(done, ms));"

FRAMES_JS = f"""async (root, [steps, gap]) => {{
  {SLEEP}
  const times = [];
  let on = true;
  const tick = (now) => (times.push(now), on && requestAnimationFrame(tick));
  requestAnimationFrame(tick);
  for (let step = 0; step < steps; step++) {{ {PRESS}; await sleep(gap); }}
  on = false;
  return times.slice(1).map((time, at) => time - times[at]);
}}"""

KEYS_JS = f"""async (root, presses) => {{
  {SLEEP}
  const painted = () => new Promise((done) => requestAnimationFrame(() => {{
    const frame = performance.now(), channel = new MessageChannel();
    channel.port1.onmessage = () => done([frame, performance.now()]);
    channel.port2.postMessage(0);
  }}));
  const waits = [], work = [];
  for (let at = 0; at < presses; at++) {{
    const start = performance.now();
    {PRESS};
    const handled = performance.now();
    const [frame, end] = await painted();
    waits.push(end - start);
    work.push(handled - start + end - frame);
    await sleep(40 + at % 7);
  }}
  return [waits, work];
}}"""

FAST_JS = f"""async (root) => {{
  {SLEEP}
  const step = () => Number(root.querySelector(".track").getAttribute("aria-valuenow"));
  const first = step(), seen = new Set();
  let on = true;
  const tick = () => (seen.add(step()), on && requestAnimationFrame(tick));
  requestAnimationFrame(tick);
  for (let at = 0; at < 30; at++) {{ {PRESS}; await sleep(33); }}
  await sleep(300);
  on = false;
  return [step() - first, seen.size - 1];
}}"""

FOLD_JS = """async ([address, log]) => {
  const { foldAll } = await import(new URL(address, document.baseURI).href);
  const times = [];
  for (let turn = 0; turn < 7; turn++) {
    const start = performance.now();
    foldAll(log.init, log.events);
    times.push(performance.now() - start);
  }
  return times;
}"""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of the table; ``aim`` is what the stage was built for, where there is such a figure."""

    name: str
    value: float
    unit: str
    aim: str = ""


def middle(values: Sequence[float]) -> float:
    return statistics.median(values)


def high(values: Sequence[float]) -> float:
    """The 95th percentile: of 20 values the 19th."""
    return sorted(values)[max(0, -(-95 * len(values) // 100) - 1)]


# -- in the browser ----------------------------------------------------------------------------------------


def open_stage(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(DRAWN, timeout=120_000)
    page.wait_for_timeout(1_500)


def first_sight(browser: Browser, server: Server) -> Iterator[Row]:
    """From an address typed to a drawn stage; nobody has asked this server anything before."""
    yield Row("server answers after its start", server.start_s, "s")
    for name in ("first visitor: stage is drawn", "second visitor, empty browser cache"):
        context = browser.new_context(viewport=SIZE)
        page = context.new_page()
        page.goto(f"{server.url}/execute?s=P0&lang=en")
        page.wait_for_selector(DRAWN, timeout=120_000)
        yield Row(name, page.evaluate("performance.now()") / 1_000, "s")
        context.close()


def frames(browser: Browser, server: Server, steps: int) -> Iterator[Row]:
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    open_stage(page, f"{server.url}/execute?s=P4&lang=en")
    gaps = page.locator(STAGE).evaluate(FRAMES_JS, [steps, 450])
    yield Row(f"frame time over {steps} animated steps, p50", middle(gaps), "ms")
    yield Row(f"frame time over {steps} animated steps, p95", high(gaps), "ms", "< 34")
    context.close()


def keys(browser: Browser, server: Server, presses: int) -> Iterator[Row]:
    context = browser.new_context(viewport=SIZE, reduced_motion="reduce")
    page = context.new_page()
    open_stage(page, f"{server.url}/execute?s=P4&lang=en")
    waits, work = page.locator(STAGE).evaluate(KEYS_JS, presses)
    yield Row("key to paint, motion off, p50", middle(waits), "ms")
    yield Row("key to paint, motion off, p95", high(waits), "ms")
    yield Row("of it work: handling, layout, paint, p50", middle(work), "ms", "one frame: 17")
    yield Row("of it work: handling, layout, paint, p95", high(work), "ms")
    context.close()
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    open_stage(page, f"{server.url}/execute?s=P4&lang=en")
    steps, painted = page.locator(STAGE).evaluate(FAST_JS)
    yield Row("30 presses, 33 ms apart: steps", steps, "", "30")
    yield Row("30 presses, 33 ms apart: of them painted", painted, "")
    context.close()


def long_log() -> dict[str, Any]:
    """A run whose stage has all the steps it may have."""
    commands: list[dict[str, Any]] = []
    for number in range(400):
        tokens = [1, 2, 3, 4, number % 11, number % 7, number]
        commands += [
            {"op": "submit", "id": f"R{number}", "tokens": tokens, "output_tokens": [9, 9]},
            {"op": "run"},
        ]
    scenario = load_scenario(
        {"schema": 1, "id": "long", "num_slots": 24, "block_size": 4, "commands": commands}
    )
    log = stage_log(scenario, run(scenario), "long")
    assert len(log["events"]) == MAX_STEPS
    return log


def fold(browser: Browser, server: Server) -> Iterator[Row]:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{server.url}/")
    times = page.evaluate(FOLD_JS, [f"{ensure_static()}/stage/time/fold.js", long_log()])
    yield Row(f"fold of {MAX_STEPS:,} steps, first time", times[0], "ms")
    yield Row(f"fold of {MAX_STEPS:,} steps, p50", middle(times), "ms", "< 50")
    context.close()


# -- without one -------------------------------------------------------------------------------------------


def sizes() -> Iterator[Row]:
    """Characters of JSON on the wire, both languages' words included."""
    for scenario_id in preset_ids():
        scenario = load_setup(Setup(scenario_id), "zh")
        payload = stage_payload(stage_log(scenario, run(scenario), scenario_id), None, "both", {})
        yield Row(f"payload of {scenario_id}", len(to_bytes(payload)) / 1_000, "kB", "<= 200")


def load_rows(load: Load) -> Iterator[Row]:
    yield Row(f"{load.num_sessions} sessions: answers", len(load.answers_s), "")
    yield Row(f"{load.num_sessions} sessions: first page, p95", high(load.first_s), "s")
    yield Row(f"{load.num_sessions} sessions: answer, p50", middle(load.answers_s), "s")
    yield Row(f"{load.num_sessions} sessions: answer, p95", high(load.answers_s), "s")
    if load.memory_mib is not None:
        yield Row(
            f"{load.num_sessions} sessions: server memory each", load.memory_mib / load.num_sessions, "MiB"
        )


# -- the table ---------------------------------------------------------------------------------------------


def conditions(browser: Browser) -> dict[str, str]:
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    return {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores shared by all",
        "load before (1, 5, 15 min)": load,
        "python": platform.python_version(),
        "streamlit": streamlit.__version__,
        "browser": f"Chromium {browser.version}, no screen, software rendering, 1280x720",
    }


def show(facts: dict[str, str], rows: Sequence[Row]) -> None:
    for name, fact in facts.items():
        print(f"{name}: {fact}")
    width = max(len(row.name) for row in rows)
    print(f"\n{'':{width}}  {'measured':>10}  {'':4}  aim")
    for row in rows:
        value = f"{row.value:,.0f}" if row.value == int(row.value) else f"{row.value:,.2f}"
        print(f"{row.name:{width}}  {value:>10}  {row.unit:4}  {row.aim}")


def measure(browser: Browser, quick: bool) -> list[Row]:
    rows = list(sizes())
    with running() as server:
        rows += first_sight(browser, server)
        rows += frames(browser, server, 6 if quick else 60)
        rows += keys(browser, server, 6 if quick else 60)
        rows += fold(browser, server)
    return rows


def measure_load(quick: bool) -> list[Row]:
    with running() as server:  # a server of its own: memory is counted from a clean start
        load = run_load(server, num_sessions=4 if quick else 40, seconds=6 if quick else 40)
    return list(load_rows(load))


def in_a_browser(
    arguments: Sequence[str] | None,
    about: str,
    quick: str,
    measured: Callable[[Browser, bool], list[Row]],
    afterwards: Callable[[bool], list[Row]] = lambda _quick: [],
) -> int:
    """The command of a benchmark that needs a browser: ``quick`` says what its option does, ``afterwards``
    measures when the browser is gone. Returns the exit status."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures to this file too")
    parser.add_argument("--quick", action="store_true", help=quick)
    options = parser.parse_args(arguments)
    program, where = find_chromium()
    if program is None:
        print(f"no browser: {where}", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_ARGS)
        facts = conditions(browser)
        rows = measured(browser, options.quick)
        browser.close()
    rows += afterwards(options.quick)
    if hasattr(os, "getloadavg"):
        facts["load after (1, 5, 15 min)"] = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    show(facts, rows)
    if options.json:
        figures = {"conditions": facts, "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    about = "How the stage feels, and what forty visitors cost."
    return in_a_browser(arguments, about, "only show that it runs", measure, measure_load)


if __name__ == "__main__":
    sys.exit(main())
