"""The monitor in a browser while 20,000 requests run: frames, memory of page and server, pauses.

    python -m benchmarks.monitor [--json OUT] [--quick]

Starts a server of its own and a Chromium without a screen (software rendering), all on this machine: what is
measured shares its cores with what measures, and with the load, which the server computes meanwhile.
Wall-clock times; the first lines say how busy the machine was. ``benchmarks/README.md`` says what each row
covers. ``--quick`` watches ten seconds of the run instead of all of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from playwright.sync_api import Browser, CDPSession, Page

from benchmarks.stage import SIZE, Row, high, in_a_browser, middle
from benchmarks.stage_server import Server, running

MONITOR = '[data-testid^="stBidiComponent"] .monitor'
CHARTS = ".st-key-load-charts .scatterlayer .trace"
LINK = "monitor?lang=en&lr=16&lv=64"
"""1,024 slots, sixteen requests a second, as fast as the page goes."""

QUICK_S = 10
MOST_S = 1_200
PAGE = """const page = () => [...document.querySelectorAll("*")]
  .map((node) => node.shadowRoot?.querySelector(".monitor")).find(Boolean);"""

WATCH_JS = """() => {
  window.frameTimes = [];
  let before = performance.now();
  const tick = (now) => {
    if (window.watching === false || document.querySelector(".st-key-load-charts")) return;
    window.frameTimes.push(now - before);
    before = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame((now) => ((before = now), requestAnimationFrame(tick)));
}"""

PAUSE_JS = f"""async (charts) => {{
  {PAGE}
  const root = page(), start = performance.now();
  root.dispatchEvent(new KeyboardEvent("keydown", {{ key: " ", bubbles: true, composed: true }}));
  const frozen = root.hasAttribute("data-playing") ? null : performance.now() - start;
  while (document.querySelectorAll(charts).length < 17) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return [frozen, performance.now() - start];
}}"""

ARRIVED_JS = f"""() => {{
  {PAGE}
  return Number(page().querySelectorAll(".number dd")[1].textContent.split(" ")[0]);
}}"""


def heap_mib(session: CDPSession) -> float:
    """What the page's scripts hold, garbage taken away."""
    session.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["JSHeapUsedSize"]) / 2**20


def open_monitor(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/{LINK}")
    page.wait_for_selector(f"{MONITOR}[data-playing]", timeout=120_000)
    page.wait_for_timeout(10_000)


def pause_rows(page: Page, name: str) -> list[Row]:
    frozen, drawn = page.evaluate(PAUSE_JS, CHARTS)
    assert frozen is not None, "the key did not stop the strips"
    return [
        Row(f"{name}: key to strips that stand", frozen, "ms", "one frame: 17"),
        Row(f"{name}: key to charts", drawn / 1_000, "s"),
    ]


def go_on(page: Page) -> None:
    page.wait_for_timeout(1_000)
    page.locator(MONITOR).focus()
    page.keyboard.press(" ")
    page.wait_for_selector(".st-key-load-charts", state="detached")
    page.wait_for_timeout(1_000)


def watch(page: Page, server: Server, quick: bool) -> tuple[list[float], float, int, float]:
    """Frame times until the load is over (charts come then), the server's largest memory, requests that came,
    seconds."""
    page.evaluate(WATCH_JS)
    start, most = time.monotonic(), server.memory_mib() or 0.0
    while time.monotonic() - start < (QUICK_S if quick else MOST_S):
        page.wait_for_timeout(1_000)
        most = max(most, server.memory_mib() or 0.0)
        if page.locator(".st-key-load-charts").count():
            break
    frames = page.evaluate("(window.watching = false, window.frameTimes)")
    return frames, most, page.evaluate(ARRIVED_JS), time.monotonic() - start


def measure_on(browser: Browser, server: Server, quick: bool) -> list[Row]:
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    before = server.memory_mib() or 0.0
    open_monitor(page, server)
    heap = heap_mib(session)
    rows = pause_rows(page, "first pause")
    go_on(page)
    frames, most, arrived, seconds = watch(page, server, quick)
    rows += [
        Row("requests that ran", arrived, "", "" if quick else "20,000"),
        Row("the run took", seconds, "s"),
        Row("frame time over the whole run, p50", middle(frames), "ms"),
        Row("frame time over the whole run, p95", high(frames), "ms", "< 50"),
        Row("frame time, longest", max(frames), "ms"),
        Row("page's script memory at its beginning", heap, "MiB"),
        Row("page's script memory at its end", heap_mib(session), "MiB"),
        Row("server before the first visitor", before, "MiB"),
        Row("server, most during the run", most, "MiB"),
    ]
    context.close()
    return rows


def measure(browser: Browser, quick: bool) -> list[Row]:
    with running() as server:
        return measure_on(browser, server, quick)


def main(arguments: Sequence[str] | None = None) -> int:
    about = "The monitor in a browser while a long load runs."
    return in_a_browser(arguments, about, "watch ten seconds only", measure)


if __name__ == "__main__":
    sys.exit(main())
