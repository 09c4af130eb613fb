"""What stands in the head of every page before Streamlit runs: our styles and scripts, what to fetch early.

Whatever a page itself sends comes when it is drawn, and moves what was drawn before. So the one HTML file
that Streamlit serves, under the address of every page, gets our lines before it leaves.
"""

from __future__ import annotations

from pathlib import Path

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EARLY = ("Html", "ButtonGroup", "Slider", "Metric", "Selectbox", "BidiComponent")
"""Parts of Streamlit that most pages need for their first picture: small, else asked for one by one."""

LATER = ("PlotlyChart",)
"""What draws charts is nearly 5 MB: it comes while nobody waits for it."""

_STATIC = Path(streamlit.__file__).parent / "static"


def early_links(folder: Path = _STATIC) -> str:
    """Links to Streamlit's parts, by the names that its version gives them; what it has not is left out."""

    def found(names: tuple[str, ...]) -> list[str]:
        return [
            file.name for name in names for file in sorted((folder / "static" / "js").glob(f"{name}.*.js"))
        ]

    links = [f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in found(EARLY)]
    links += [
        f'<link rel="prefetch" as="script" crossorigin href="./static/js/{name}">' for name in found(LATER)
    ]
    return "".join(links)


class FrontDoor:
    """Puts ``head`` at the end of the head of the one HTML file. ASGI middleware."""

    def __init__(self, app: ASGIApp, head: str) -> None:
        self._app = app
        self._head = head.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        # Whole, unpacked, and never "as you have it": what a browser kept may hold lines of yesterday.
        kept = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
        headers = [one for one in scope["headers"] if one[0] not in kept]
        await self._app({**scope, "headers": headers}, receive, _Rewriting(send, self._head))


class _Rewriting:
    """Holds an answer back until it is whole, if it is HTML."""

    def __init__(self, send: Send, head: bytes) -> None:
        self._send = send
        self._head = head
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
        body = self._body.replace(b"</head>", self._head + b"</head>", 1)
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
