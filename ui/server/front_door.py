"""What stands in the head of every page before Streamlit runs: our styles and scripts, what to fetch early.

Whatever a page itself sends comes when it is drawn, and moves what was drawn before. So the one HTML file
that Streamlit serves, under the address of every page, gets our lines before it leaves.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.server.parcel import STATIC

LATER = ("PlotlyChart",)
"""What draws charts is nearly 5 MB: it comes while nobody waits for it, and not to a whole class at once."""

LATER_S = (15, 60)
"""Seconds after the first picture, at random between these."""


def later_script(folder: Path = STATIC) -> str:
    """Fetches what most visitors need later; what this version of Streamlit has not is left out."""
    scripts = folder / "static" / "js"
    names = [file.name for name in LATER for file in sorted(scripts.glob(f"{name}.*.js"))]
    if not names:
        return ""
    return _LATER % (
        json.dumps([f"./static/js/{name}" for name in names]),
        LATER_S[0],
        LATER_S[1] - LATER_S[0],
    )


_LATER = """<script>
addEventListener("load", () => setTimeout(() => {
  for (const address of %s) {
    const href = new URL(address, document.baseURI).href;
    const link = { rel: "prefetch", as: "script", crossOrigin: "", href };
    document.head.append(Object.assign(document.createElement("link"), link));
  }
}, 1000 * (%d + %d * Math.random())));
</script>"""


class FrontDoor:
    """Puts ``head`` at the end of the head of the one HTML file, and lets ``rewrite`` see the whole. ASGI
    middleware."""

    def __init__(self, app: ASGIApp, head: str, rewrite: Callable[[str], str] = str) -> None:
        self._app = app
        self._head = head
        self._rewrite = rewrite

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        # Whole, unpacked, and never "as you have it": what a browser kept may hold lines of yesterday.
        kept = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
        headers = [one for one in scope["headers"] if one[0] not in kept]
        await self._app({**scope, "headers": headers}, receive, _Rewriting(send, self._page))

    def _page(self, page: str) -> str:
        return self._rewrite(page).replace("</head>", self._head + "</head>", 1)


class _Rewriting:
    """Holds an answer back until it is whole, if it is HTML."""

    def __init__(self, send: Send, page: Callable[[str], str]) -> None:
        self._send = send
        self._page = page
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_html(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._let_go(self._start)

    async def _let_go(self, start: Message) -> None:
        body = self._page(self._body.decode()).encode()
        headers = MutableHeaders(raw=start["headers"])
        headers["content-length"] = str(len(body))
        for name in ("etag", "last-modified"):
            if name in headers:
                del headers[name]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _is_html(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith("text/html") and "content-encoding" not in headers
