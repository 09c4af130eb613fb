"""What one visitor may upload: into memory and nowhere else, and no more at once than the others can bear."""

from __future__ import annotations

import re
from collections import Counter

from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

TOO_MUCH = 413
_MB = 1024 * 1024
_PATH = re.compile(r".*/_stcore/upload_file/(?P<session>[^/]+)/[^/]+")


def one_mb() -> int:
    """MB that one file may have."""
    return int(config.get_option("server.maxUploadSize"))


def at_once_mb() -> int:
    """MB that all files of one visitor may have together: twice the largest, one log and another."""
    return 2 * one_mb()


def keep_uploads_in_memory() -> None:
    """Else Starlette writes whatever is above one MiB to a temporary file while it arrives."""
    MultiPartParser.spool_max_size = (one_mb() + 1) * _MB


def held_bytes(session: str) -> int:
    """Bytes of all files that this session has uploaded."""
    files = Runtime.instance().uploaded_file_mgr if Runtime.exists() else None
    if not isinstance(files, MemoryUploadedFileManager):
        return 0
    return sum(len(file.data) for file in list(files.file_storage.get(session, {}).values()))


def drop_uploads(session: str) -> None:
    """Forget them all."""
    if Runtime.exists():
        Runtime.instance().uploaded_file_mgr.remove_session_files(session)


class UploadLimit:
    """Refuses a file that would be one too many, before any of it is kept. ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _PATH.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if found is None or scope["method"] != "PUT":
            await self._app(scope, receive, send)
            return
        session, size = found["session"], _told_size(scope)
        if held_bytes(session) + self._under_way[session] + size > at_once_mb() * _MB:
            await _drain(receive)
            await PlainTextResponse("more than one visitor may upload at once", TOO_MUCH)(
                scope, receive, send
            )
            return
        self._under_way[session] += size
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way[session] -= size
            if not self._under_way[session]:
                del self._under_way[session]


def _told_size(scope: Scope) -> int:
    """Bytes that the request says it has; the most that Streamlit takes if it says nothing."""
    told = dict(scope["headers"]).get(b"content-length", b"")
    return int(told) if told.isdigit() else one_mb() * _MB


async def _drain(receive: Receive) -> None:
    """Read the rest and keep none of it: a browser hears no answer while it still sends."""
    while (await receive()).get("more_body"):
        pass
