"""What a first visit costs on the wire, and that a page comes without the parcel too."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.e2e.conftest import STREAMLIT_PROBE
from tests.e2e.onstage import open_stage

pytestmark = pytest.mark.usefixtures("empty_cache")
MOST_REQUESTS, MOST_BYTES = 14, 1_500_000
SOONER = "globalThis.setTimeout = (call, ms, ...more) => wait(call, ms === 20000 ? 500 : ms, ...more);"
PARCEL = re.compile(r"/app/static/parcel-[0-9a-f]+\.json$")


def visit(page: Page, address: str) -> tuple[list[str], int]:
    """Addresses that were asked for until the stage stood, and bytes on the wire."""
    asked: dict[str, str] = {}
    sizes: dict[str, int] = {}
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")

    def begun(told: dict[str, Any]) -> None:
        if told["request"]["url"].startswith("http"):
            asked[told["requestId"]] = told["request"]["url"]

    line.on("Network.requestWillBeSent", begun)
    line.on(
        "Network.loadingFinished", lambda told: sizes.update({told["requestId"]: told["encodedDataLength"]})
    )
    open_stage(page, address)
    page.wait_for_load_state("networkidle")
    return list(asked.values()), sum(sizes.get(one, 0) for one in asked)


def test_a_cold_execute_is_a_dozen_requests(server: str, browser_page: Page) -> None:
    """It was 101 requests and 3.3 MB; sixty laptops of one school ask at the same minute."""
    asked, size = visit(browser_page, f"{server}/execute?lang=en")
    counted = [one for one in asked if not STREAMLIT_PROBE.search(one)]
    assert len(counted) <= MOST_REQUESTS, counted
    assert size <= MOST_BYTES
    assert sum(bool(PARCEL.search(one)) for one in asked) == 1
    assert max(Counter(asked).values()) == 1, "something was asked for twice"


def test_the_second_visit_asks_for_almost_nothing(server: str, browser_page: Page) -> None:
    visit(browser_page, f"{server}/execute?lang=en")
    _, size = visit(browser_page, f"{server}/execute?lang=en&s=P1")
    assert size < 60_000


def test_modules_that_come_later_find_those_of_the_parcel(server: str, browser_page: Page) -> None:
    """A chart's module lies in no parcel and imports React from it: a second React would break the page."""
    asked: list[str] = []
    browser_page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    browser_page.goto(f"{server}/ch02?lang=en")
    browser_page.locator(".js-plotly-plot").first.wait_for()
    assert [one for one in asked if one.startswith("PlotlyChart.")]
    assert [one for one in asked if re.match(r"(react-dom|rolldown-runtime|index\..*js|protobuf)", one)] == []


@pytest.mark.parametrize("harm", ["gone", "torn", "stuck"])
def test_without_the_parcel_the_page_loads_as_written(server: str, browser_page: Page, harm: str) -> None:
    """A proxy that refuses it, a line that breaks off: slower, and all there."""

    def instead(route: Route) -> None:
        if harm == "stuck":
            return  # and no answer ever comes
        if harm == "gone":
            route.fulfill(status=200, content_type="text/html", body="<html></html>")
        else:
            route.fulfill(status=200, content_type="application/json", body='{"a.js": "export')

    browser_page.route(PARCEL, instead)
    browser_page.add_init_script(
        "AbortSignal.timeout = (old => ms => old.call(AbortSignal, ms / 20))(AbortSignal.timeout)"
    )
    open_stage(browser_page, f"{server}/execute?lang=en")
