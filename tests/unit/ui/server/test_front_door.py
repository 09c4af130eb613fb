"""The head of every page: our lines stand in it, what a browser kept of yesterday never does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from pages.server import MIDDLEWARE
from tests import asgi
from tests.asgi import Answer
from ui.server.front_door import LATER, FrontDoor, later_script

PAGE = "<html><head><title>x</title></head><body></head></body></html>"
HTML = "text/html,*/*"


async def inner(scope: Any, receive: Any, send: Any) -> None:
    """An app with one page, and one text that is none."""
    if scope["path"] == "/plain":
        made: Response = PlainTextResponse("</head>")
    elif Request(scope).headers.get("if-none-match"):
        made = Response(status_code=304)
    else:
        made = HTMLResponse(PAGE, headers={"etag": '"old"', "last-modified": "yesterday"})
    await made(scope, receive, send)


def ask(path: str, **headers: str) -> Answer:
    """What a browser gets through the door."""
    door = FrontDoor(inner, head="<b>汤</b>", rewrite=lambda page: page.replace("<title>x", "<title>y"))
    return asgi.ask(door, path, **headers)


def test_our_lines_end_the_head() -> None:
    answer = ask("/ch01", accept=HTML)
    assert answer.body.decode() == PAGE.replace("</head>", "<b>汤</b></head>", 1).replace(">x", ">y")
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_nothing_kept_is_taken_for_new() -> None:
    answer = ask("/ch01", accept=HTML, if_none_match='"old"')
    assert answer.status == 200
    assert {"etag", "last-modified"} & set(answer.headers) == set()


def test_whatever_is_no_page_passes_untouched() -> None:
    assert ask("/plain", accept=HTML).body == b"</head>"
    assert ask("/ch01", accept="*/*").body.decode() == PAGE


def test_what_is_fetched_later_is_there() -> None:
    """Another version of Streamlit may call its parts otherwise: then nothing comes, and this tells."""
    script = later_script()
    assert all(f"./static/js/{name}." in script for name in LATER)
    assert later_script(Path("/nowhere")) == ""


def test_the_style_and_the_history_stand_in_the_head() -> None:
    head = next(str(one.kwargs["head"]) for one in MIDDLEWARE if one.cls is FrontDoor)
    assert ".st-key-toolbar" in head
    assert "onePageOneEntry(window)" in head
    assert "</head>" not in head
