"""Files named by their content: packed once, for good in a browser, and never more than the two folders."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse

from tests.asgi import Answer, ask
from ui.server.shelf import FOR_GOOD, Shelf

OURS, THEIRS, MADE = "export default 1;\n" * 50, "let a = 1;\n" * 50, '{"a":"汤"}'
HASH = "0123456789ab"


def text_of(answer: Answer) -> str:
    """Unpacked, if it was packed."""
    packed = answer.headers.get("content-encoding") == "gzip"
    return (gzip.decompress(answer.body) if packed else answer.body).decode()


class Asked:
    """A shelf before an app that says "inner", and what browsers get of it."""

    def __init__(self, home: Path) -> None:
        for file, text in (
            (home / "ours" / HASH / "stage" / "stage.js", OURS),
            (home / "theirs" / "js" / "index.a1.js", THEIRS),
            (home / "secret.js", "secret"),
            (home / "ours" / "own.js", "no hash"),
        ):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        (home / "ours" / HASH / "away.js").symlink_to(home / "secret.js")
        inner = PlainTextResponse("inner")
        self.shelf = Shelf(inner, home / "theirs", home / "ours", {"parcel-1.json": MADE})

    def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        return ask(self.shelf, path, method, **headers)


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


@pytest.mark.parametrize("base", ["", "/broth", "/a/b"])
@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        (f"/app/static/{HASH}/stage/stage.js", OURS, "text/javascript"),
        ("/static/js/index.a1.js", THEIRS, "text/javascript"),
        ("/app/static/parcel-1.json", MADE, "application/json"),
    ],
)
def test_packed_and_for_good(asked: Asked, base: str, path: str, text: str, kind: str) -> None:
    answer = asked.get(base + path, accept_encoding="gzip, br")
    assert text_of(answer) == text
    assert answer.status == 200
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == FOR_GOOD
    assert answer.headers["content-type"].startswith(kind)
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_who_cannot_unpack_gets_it_plain(asked: Asked) -> None:
    parcel = asked.get("/app/static/parcel-1.json")
    assert (text_of(parcel), "content-encoding" in parcel.headers) == (MADE, False)
    assert text_of(asked.get("/static/js/index.a1.js")) == "inner"


def test_a_file_is_packed_once(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    first = asked.get("/static/js/index.a1.js", accept_encoding="gzip")
    monkeypatch.setattr(gzip, "compress", lambda *_: pytest.fail("packed twice"))
    assert asked.get("/static/js/index.a1.js", accept_encoding="gzip").body == first.body


@pytest.mark.parametrize(
    "path",
    [
        "/app/static/own.js",
        f"/app/static/{HASH}/away.js",
        f"/app/static/{HASH}/../../secret.js",
        f"/app/static/{HASH}/gone.js",
        f"/app/static/{HASH}/stage",
        "/static/js/../../secret.js",
        "/static/media/font.woff2",
        "/app/static/parcel-2.json",
        f"/static/js/{'a' * 300}.js",
        "/execute",
        "/",
    ],
)
def test_everything_else_passes(asked: Asked, path: str) -> None:
    assert text_of(asked.get(path, accept_encoding="gzip")) == "inner"


def test_parts_of_a_file_and_other_methods_pass(asked: Asked) -> None:
    assert text_of(asked.get("/static/js/index.a1.js", accept_encoding="gzip", range="bytes=0-3")) == "inner"
    assert text_of(asked.get("/static/js/index.a1.js", "POST", accept_encoding="gzip")) == "inner"


@pytest.mark.parametrize("path", ["/static/js/index.a1.js", "/app/static/parcel-1.json"])
def test_who_asks_for_the_head_alone_gets_the_same_one(asked: Asked, path: str) -> None:
    whole, head = (asked.get(path, method, accept_encoding="gzip") for method in ("GET", "HEAD"))
    assert (head.status, head.headers, head.body) == (200, whole.headers, b"")


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip;q=0, identity", False),
        ("x-gzipfoo", False),
        ("br;q=1, GZIP;q=0.5", True),
        ("*", True),
        ("", False),
    ],
)
def test_packed_is_what_is_sent_to_those_who_take_it(asked: Asked, accepted: str, packed: bool) -> None:
    answer = asked.get("/app/static/parcel-1.json", accept_encoding=accepted)
    assert ("content-encoding" in answer.headers, text_of(answer)) == (packed, MADE)
