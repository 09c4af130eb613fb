"""Inside another website: uploads cannot get through, which is said beside the uploader with another way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.e2e.conftest import LOCALES, PAGE_TIMEOUT_MS
from tests.e2e.onstage import settle
from ui.words.i18n import Lang, t


@contextmanager
def framing(address: str, host: str) -> Iterator[str]:
    """Another website that shows this address in a frame; where it is. ``host``: by which name it is called:
    for a browser localhost and 127.0.0.1 are two sites."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            frame = f'<iframe src="{address}" style="width:100%;height:850px"></iframe>'
            self.wfile.write(f"<!doctype html><title>another site</title>{frame}".encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    other = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    try:
        yield f"http://{host}:{other.server_port}/"
    finally:
        other.shutdown()
        other.server_close()


@contextmanager
def opened(chromium: Browser, address: str, lang: Lang) -> Iterator[tuple[Page, list[int]]]:
    """A page of its own, for a refused upload rightly stands in the console; and the answers to uploads."""
    context = chromium.new_context(locale=LOCALES[lang])
    context.set_default_timeout(PAGE_TIMEOUT_MS)
    page = context.new_page()
    answers: list[int] = []
    page.on("response", lambda one: answers.append(one.status) if "upload_file" in one.url else None)
    page.goto(address)
    yield page, answers
    context.close()


def upload(inside: FrameLocator | Page, file: Path) -> None:
    file.write_text('{"prompt": "one two three four"}\n' * 3, "utf-8")
    inside.locator('input[type="file"]').first.set_input_files(file)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_in_another_website_pasting_is_offered_and_the_upload_is_refused(
    chromium: Browser, server: str, tmp_path: Path, lang: Lang
) -> None:
    inner = f"{server}/traffic?lang={lang}&ys=upload"
    with framing(inner, "localhost") as address, opened(chromium, address, lang) as (page, answers):
        inside = page.frame_locator("iframe")
        warning = inside.get_by_test_id("stAlert").get_by_text(t("traffic.upload.framed", lang))
        expect(warning).to_be_visible()
        alone = inside.get_by_role("link", name=t("traffic.upload.alone", lang))
        assert (alone.get_attribute("href") or "").startswith(f"{server}/traffic?")
        upload(inside, tmp_path / "log.jsonl")
        refused = inside.get_by_test_id("stFileUploader").get_by_role("alert")
        expect(refused).to_contain_text(t("traffic.upload.framed", lang))
        assert answers == [403], "what the warning rests on; let through, it would be wrong"
        inside.get_by_role("button", name=t("traffic.upload.paste", lang)).click()
        box = inside.get_by_role("textbox", name=t("traffic.paste", lang))
        box.fill('{"prompt": "one two three four"}\n' * 2)
        box.press("Control+Enter")
        read = t("traffic.read", lang, name=t("traffic.pasted", lang), n=2, tokens=8).replace("**", "")
        expect(inside.get_by_text(read)).to_be_visible()


def test_where_uploads_get_through_nothing_is_said(chromium: Browser, server: str, tmp_path: Path) -> None:
    """A page by itself, on a first visit; a frame on the same site, whose port is another one's."""
    inner = f"{server}/traffic?lang=en&ys=upload"
    with framing(inner, "127.0.0.1") as same_site:
        for address in (inner, same_site):
            with opened(chromium, address, "en") as (page, answers):
                inside = page if address == inner else page.frame_locator("iframe")
                expect(inside.locator('input[type="file"]').first).to_be_attached()
                upload(inside, tmp_path / "log.jsonl")
                expect(inside.get_by_text("log.jsonl: 3 requests")).to_be_visible()
                assert answers == [204]
                expect(inside.get_by_text(t("traffic.upload.framed", "en"))).to_have_count(0)
                if address == inner:
                    settle(page)
