"""One request through an ASGI app or a middleware, without a server."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp


@dataclass
class Answer:
    """What a browser gets."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def ask(app: ASGIApp, path: str, method: str = "GET", **headers: str) -> Answer:
    """Ask for ``path``; a header's name has ``_`` for ``-``."""
    answer = Answer()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        answer.body += message.get("body", b"")

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": raw}
    asyncio.run(app(scope, receive, send))
    return answer
