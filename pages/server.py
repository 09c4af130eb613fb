"""The server around the pages: what it does before and beside all visits, and what it answers itself."""

from __future__ import annotations

import webbrowser
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

from pages.navigation import MODES
from pages.preload import warm
from ui.frame.shell import head_style
from ui.frame.speak import head_script
from ui.frame.static_files import ROOT as HOME
from ui.frame.static_files import SERVED, URL_PREFIX
from ui.server.front_door import FrontDoor, later_script
from ui.server.parcel import STATIC, pack, unwrapped
from ui.server.sessions import doorkeeping
from ui.server.shelf import Shelf
from ui.server.uploads import UploadLimit, keep_uploads_in_memory


@asynccontextmanager
async def serving(_app: st.App) -> AsyncGenerator[None]:
    """The life of the server."""
    keep_uploads_in_memory()
    warm()
    async with doorkeeping():
        _open_browser()
        yield


def _open_browser() -> None:
    """Where somebody sits at a screen: Streamlit does so for a script and not for an App."""
    if not st.get_option("server.headless"):
        webbrowser.open(f"http://localhost:{st.get_option('server.port')}")


def _to_the_front(request: Request) -> RedirectResponse:
    """The front page has no name of its own in Streamlit; people type it all the same."""
    return RedirectResponse(f"./?{request.url.query}" if request.url.query else "./")


_PARCEL = pack()


def _with_parcel(page: str) -> str:
    return page if _PARCEL is None else unwrapped(page, _PARCEL, f"./{URL_PREFIX}/{_PARCEL.name}")


MIDDLEWARE = (
    Middleware(UploadLimit),
    Middleware(
        Shelf,
        streamlits=STATIC / "static",
        ours=HOME / SERVED,
        made={} if _PARCEL is None else {_PARCEL.name: _PARCEL.text},
    ),
    Middleware(FrontDoor, head=head_style() + head_script() + later_script(), rewrite=_with_parcel),
)
_BASE = str(st.get_option("server.baseUrlPath") or "").strip("/")
ROUTES = (Route(f"/{_BASE}/{MODES[0]}".replace("//", "/"), _to_the_front),)
