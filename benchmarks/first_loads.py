"""A class comes in: real first visits of a page, each with an empty browser, so many at a time.

``python -m benchmarks.first_loads [--visits 60] [--at-once 6] [--page execute] [--rtt 20] [--mbit 20]
[--as-written]``

Each visit is a new profile of one Chromium: nothing is kept from the one before. ``--rtt`` milliseconds and
``--mbit`` megabits a second are what each laptop has of the school's network (0: this machine's own). The
server's work is its CPU time, so that the browsers' own work on the same machine does not count.
``--as-written`` takes the parcel away on its way, for the page as Streamlit sends it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import Browser, async_playwright

from benchmarks.stage_server import Server, running
from tests.browser import find_chromium

READY = {
    "execute": '[data-testid^="stBidiComponent"] [role="application"]',
    "": '[data-testid^="stBidiComponent"]',
}
"""What a visitor waits for; on other pages the first words."""

WORDS = '[data-testid="stMain"] [data-testid="stMarkdown"]'
PARCEL = re.compile(r"/app/static/parcel-")
TIMEOUT_MS = 120_000


@dataclass
class Visits:
    """Of each: seconds to the first picture, requests, bytes on the wire."""

    first_s: list[float] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)
    wire_bytes: list[int] = field(default_factory=list)
    server_s: float | None = None
    took_s: float = 0.0


async def visits(server: Server, args: argparse.Namespace) -> Visits:
    """All of them, ``at_once`` at a time."""
    found, gate = Visits(), asyncio.Semaphore(args.at_once)
    before, start = cpu_s(server), time.monotonic()
    async with async_playwright() as playwright:
        program, why = find_chromium()
        if program is None:
            raise SystemExit(f"no browser: {why}")
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        async with asyncio.TaskGroup() as tasks:
            for _ in range(args.visits):
                tasks.create_task(_visit(browser, f"{server.url}/{args.page}?lang=en", gate, args, found))
        await browser.close()
    after = cpu_s(server)
    found.took_s = time.monotonic() - start
    found.server_s = None if before is None or after is None else after - before
    return found


async def _visit(
    browser: Browser, address: str, gate: asyncio.Semaphore, args: argparse.Namespace, found: Visits
) -> None:
    async with gate:
        context = await browser.new_context(viewport={"width": 1280, "height": 720})
        page = await context.new_page()
        line = await context.new_cdp_session(page)
        await line.send("Network.enable")
        if args.rtt or args.mbit:
            bytes_s = args.mbit * 125_000 if args.mbit else -1
            terms = {"offline": False, "latency": args.rtt}
            terms |= {"downloadThroughput": bytes_s, "uploadThroughput": bytes_s}
            await line.send("Network.emulateNetworkConditions", terms)
        if args.as_written:
            await page.route(PARCEL, lambda route: route.abort())
        asked: set[str] = set()
        sizes: dict[str, int] = {}

        def begun(told: dict[str, Any]) -> None:
            if told["request"]["url"].startswith("http"):
                asked.add(told["requestId"])

        line.on("Network.requestWillBeSent", begun)
        line.on(
            "Network.loadingFinished",
            lambda told: sizes.update({told["requestId"]: told["encodedDataLength"]}),
        )
        start = time.monotonic()
        await page.goto(address, timeout=TIMEOUT_MS)
        await page.wait_for_selector(READY.get(args.page, WORDS), timeout=TIMEOUT_MS)
        found.first_s.append(time.monotonic() - start)
        await page.wait_for_load_state("networkidle")
        found.requests.append(len(asked))
        found.wire_bytes.append(sum(sizes.get(one, 0) for one in asked))
        await context.close()


def cpu_s(server: Server) -> float | None:
    """CPU seconds of the server so far; None where the system does not tell."""
    stat = Path("/proc", str(server.process_id), "stat")
    if not stat.exists():
        return None
    return sum(map(int, stat.read_text().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def table(found: Visits) -> str:
    """What came of it, as a person reads it."""
    ordered = sorted(found.first_s)
    lines = [
        f"visits              {len(ordered)} in {found.took_s:.0f} s",
        f"requests a visit    {median(found.requests):.0f}",
        f"on the wire         {median(found.wire_bytes) / 1e6:.2f} MB a visit, "
        f"{sum(found.wire_bytes) / 1e6:.0f} MB in all",
        f"first picture       {median(ordered):.1f} s half of them, "
        f"{ordered[int(0.95 * (len(ordered) - 1))]:.1f} s 19 of 20",
    ]
    if found.server_s is not None:
        lines.append(f"server's CPU        {found.server_s / len(ordered):.3f} s a visit")
    return "\n".join(lines)


def main() -> None:
    """Start a server, let one visitor warm it, then the class."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visits", type=int, default=60)
    parser.add_argument("--at-once", type=int, default=6)
    parser.add_argument("--page", default="execute")
    parser.add_argument("--rtt", type=float, default=20.0)
    parser.add_argument("--mbit", type=float, default=20.0)
    parser.add_argument("--as-written", action="store_true")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with running() as server:
        one = argparse.Namespace(**{**vars(args), "visits": 1})
        asyncio.run(visits(server, one))
        found = asyncio.run(visits(server, args))
    print(table(found))
    if args.json:
        args.json.write_text(json.dumps(vars(found), indent=1) + "\n")


if __name__ == "__main__":
    main()
