"""A fresh server and a real browser for each test that needs them.

The page fails its test on every error in the browser's console, on every uncaught error of its scripts and on
every request that leaves this machine. A test chooses its setting by naming one of the three fixtures in a
parametrize: lang ("zh" or "en"), colour_scheme ("light" or "dark"), viewport ((width, height)).
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.browser import find_chromium

ROOT = Path(__file__).resolve().parent.parent.parent
OWN_HOSTS = {"127.0.0.1", "localhost"}
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 10
PAGE_TIMEOUT_MS = 30_000
# On a deep link Streamlit looks for its server below the page's path first; the 404 tells it to look higher.
STREAMLIT_PROBE = re.compile(r"/[\w-]+/_stcore/(health|host-config)")
ALONE = {"test_class", "test_first_visitors"}
"""They measure what a crowd costs, so ``run.py test`` lets nothing run beside them."""

STORED = "cookies,local_storage,indexeddb,websql,service_workers,cache_storage,file_systems"
"""All that a site can keep with a browser, without the browser's own copies of files it fetched."""

BROKEN = '[data-testid="stException"], .st-key-page-that-broke'
"""A page that broke: in Streamlit's words, or in ours."""

LOCALES = {"zh": "zh-CN", "en": "en-US"}
# No sandbox, because containers run as root; the rest keeps the browser itself off the network.
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All that lies in this folder is marked e2e, so that nobody can forget it."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            if item.path.stem in ALONE:
                item.add_marker(pytest.mark.alone)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Running(str):
    """The address of a server that runs, and where to look into it."""

    process_id: int
    log: Path
    started: float


@contextmanager
def running_server(log: Path, folder: Path = ROOT, **options: str) -> Iterator[Running]:
    """Streamlit in a process of its own, as a person starts it; its address once it answers. ``options`` are
    its ``--server`` options."""
    port = int(options.get("port", free_port()))
    options = {"headless": "true", "port": str(port), **options}
    flags = [part for name, value in options.items() for part in (f"--server.{name}", value)]
    with log.open("wb") as output:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", *flags]
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            url = Running(f"http://127.0.0.1:{port}")
            url.process_id, url.log, url.started = process.pid, log, time.time()
            wait_until_healthy(url, process, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the server did not answer within {START_TIMEOUT_S} s:\n{log.read_text('utf-8', 'replace')}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for all tests that do not care who came before them."""
    with running_server(tmp_path_factory.mktemp("server") / "log.txt") as url:
        yield url


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """A server that nobody has asked anything yet, for deep links opened first."""
    with running_server(tmp_path / "log.txt") as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    program, where = find_chromium()
    if program is None:
        pytest.skip(f"no browser: {where}")
    expect.set_options(timeout=PAGE_TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


class Contexts:
    """Browser contexts that tests use one after the other. Each finds one without pages, cookies and storage,
    as a new visitor has it; what is kept is Streamlit's code, which costs a second of every first load."""

    def __init__(self, chromium: Browser) -> None:
        self.origins: set[str] = set()
        self._chromium = chromium
        self._made: dict[tuple[str, str, tuple[int, int]], BrowserContext] = {}

    def of(self, lang: str, colour_scheme: str, viewport: tuple[int, int], anew: bool) -> BrowserContext:
        key = (lang, colour_scheme, viewport)
        if anew and key in self._made:
            self._made.pop(key).close()
        if key not in self._made:
            self._made[key] = self._chromium.new_context(
                locale=LOCALES[lang],
                color_scheme="dark" if colour_scheme == "dark" else "light",
                viewport={"width": viewport[0], "height": viewport[1]},
            )
            self._made[key].set_default_timeout(PAGE_TIMEOUT_MS)
        return self._made[key]

    def forget(self, context: BrowserContext) -> None:
        """All that the visitor was and did."""
        for page in context.pages:
            page.close()
        context.clear_cookies()
        cleaner = context.new_page()
        line = context.new_cdp_session(cleaner)
        for origin in self.origins:
            line.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": STORED})
        cleaner.close()
        self.origins.clear()


@pytest.fixture(scope="session")
def contexts(chromium: Browser) -> Contexts:
    return Contexts(chromium)


@pytest.fixture
def empty_cache() -> None:
    """For tests about a first load: the page's browser has fetched nothing before."""


@pytest.fixture
def lang() -> str:
    return "en"


@pytest.fixture
def colour_scheme() -> str:
    return "light"


@pytest.fixture
def viewport() -> tuple[int, int]:
    return (1280, 900)


@pytest.fixture
def browser_page(
    request: pytest.FixtureRequest,
    contexts: Contexts,
    lang: str,
    colour_scheme: str,
    viewport: tuple[int, int],
) -> Iterator[Page]:
    """An empty page of a new visitor. What went wrong in it is raised when the test is over."""
    if "fresh_server" in request.fixturenames:
        request.getfixturevalue("fresh_server")  # started first, so that the page is closed before it stops
    context = contexts.of(lang, colour_scheme, viewport, anew="empty_cache" in request.fixturenames)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(complaint(message)) if complaint(message) else None)
    page.on("pageerror", lambda error: wrong.append(f"uncaught: {error}"))

    def is_sent(sent: Request) -> None:
        contexts.origins.add("{0.scheme}://{0.netloc}".format(urlsplit(sent.url)))
        if leaves(sent):
            wrong.append(leaves(sent))

    context.on("request", is_sent)
    yield page
    context.remove_listener("request", is_sent)
    contexts.forget(context)
    assert wrong == []


def complaint(message: ConsoleMessage) -> str:
    """An error that the browser's console shows, with its address."""
    url = str(message.location.get("url", ""))
    if message.type != "error" or STREAMLIT_PROBE.fullmatch(urlsplit(url).path):
        return ""
    return f"console: {message.text} ({url})"


def leaves(request: Request) -> str:
    """The request, when it is for another machine; data: and blob: addresses have no host."""
    host = urlsplit(request.url).hostname
    return f"a request left this machine: {request.url}" if host not in {None, *OWN_HOSTS} else ""
