"""Files whose name tells their content: packed once, kept packed, and kept by browsers for good.

Streamlit packs its answers anew for every visitor, or not at all, and lets browsers ask again for the stage's
modules although their folder is named by a hash. For sixty laptops that is the difference between a file and
sixty times the work.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from threading import Lock

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

TYPES: Mapping[str, str] = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
FOR_GOOD = "public, immutable, max-age=31536000"
LEVEL = 9
_STREAMLITS = re.compile(r"(?:/.*)?(?<!/app)/static/(?P<file>(?:js|css)/[\w.-]+)")
_OURS = re.compile(r"(?:/.*)?/app/static/(?P<file>[0-9a-f]{12}/[\w./-]+)")


class Shelf:
    """Answers for such files, packed, to whoever can unpack. ASGI middleware.

    ``streamlits``, ``ours``: the two folders; ``made``: files that are in no folder, by the path below ours.
    """

    def __init__(self, app: ASGIApp, streamlits: Path, ours: Path, made: Mapping[str, str]) -> None:
        self._app = app
        self._folders = ((_OURS, ours), (_STREAMLITS, streamlits))
        self._packed: dict[Path, bytes] = {}
        self._lock = Lock()
        self._made = {name: gzip.compress(text.encode(), LEVEL) for name, text in made.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        name = scope["path"].rpartition("/app/static/")[2]
        unpacks = _unpacks(Headers(scope=scope).get("accept-encoding", ""))
        body = self._made.get(name)
        if body is not None and not unpacks:
            await self._answer(name, gzip.decompress(body), {}, scope, receive, send)
            return
        if body is None and unpacks and (file := self._file(scope)) is not None:
            body = await to_thread.run_sync(partial(self._pack, file))
        if body is None:
            await self._app(scope, receive, send)
            return
        await self._answer(name, body, {"content-encoding": "gzip"}, scope, receive, send)

    async def _answer(
        self, name: str, body: bytes, headers: dict[str, str], scope: Scope, receive: Receive, send: Send
    ) -> None:
        headers |= {"cache-control": FOR_GOOD, "vary": "accept-encoding", "x-content-type-options": "nosniff"}
        headers["content-length"] = str(len(body))
        sent = body if scope["method"] == "GET" else b""
        await Response(sent, headers=headers, media_type=TYPES[Path(name).suffix])(scope, receive, send)

    def _file(self, scope: Scope) -> Path | None:
        """The file that is asked for, if it is one of ours to answer and whole."""
        if "range" in Headers(scope=scope):
            return None
        for pattern, folder in self._folders:
            found = pattern.fullmatch(scope["path"])
            if found is not None and ".." not in found["file"] and Path(found["file"]).suffix in TYPES:
                return folder / found["file"]
        return None

    def _pack(self, file: Path) -> bytes | None:
        """Its content, packed the first time; None where there is no such file."""
        with self._lock:
            if file not in self._packed:
                try:
                    whole = file.is_file() and not file.is_symlink()
                    content = file.read_bytes() if whole else None
                except OSError:  # a name that no system takes, a file that nobody may read
                    return None
                if content is None:
                    return None
                self._packed[file] = gzip.compress(content, LEVEL)
            return self._packed[file]


def _unpacks(accepted: str) -> bool:
    """Whether a browser says that it takes gzip: named, and not with a weight of nothing."""
    for one in accepted.lower().split(","):
        name, _, weight = one.partition(";")
        if name.strip() in ("gzip", "*"):
            return re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight) is None
    return False
