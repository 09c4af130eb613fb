"""Uploads: the limit of one visitor, and the names of Starlette and Streamlit that it leans on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.formparsers import MultiPartParser
from starlette.types import Message, Scope
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ui.server import uploads
from ui.server.uploads import UploadLimit, at_once_mb, drop_uploads, held_bytes, keep_uploads_in_memory

MB = 1024 * 1024
AT_ONCE_MB = at_once_mb()


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """Streamlit's own store of uploads, without a server around it."""
    manager = MemoryUploadedFileManager("/_stcore/upload_file")
    runtime = SimpleNamespace(
        exists=lambda: True, instance=lambda: SimpleNamespace(uploaded_file_mgr=manager)
    )
    monkeypatch.setattr(uploads, "Runtime", runtime)
    return manager


class Server:
    """What stands behind the limit: counts who gets through, and can hold them there."""

    def __init__(self) -> None:
        self.let_in = 0
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self, _scope: Scope, _receive: Any, send: Any) -> None:
        self.let_in += 1
        await self.go.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def put(limit: UploadLimit, size: int | None, session: str = "ann", method: str = "PUT") -> int:
    """Status of an upload of that size; the body comes in three parts and must be taken to its end."""
    parts: Iterator[Message] = iter(
        [{"type": "http.request", "body": b"x", "more_body": more} for more in (True, True, False)]
    )
    said: list[Message] = []

    async def receive() -> Message:
        return next(parts)

    async def send(message: Message) -> None:
        said.append(message)

    path = f"/_stcore/upload_file/{session}/1"
    headers = [] if size is None else [(b"content-length", str(size).encode())]
    await limit({"type": "http", "method": method, "path": path, "headers": headers}, receive, send)
    status: int = said[0]["status"]
    if status == uploads.TOO_MUCH:
        assert list(parts) == [], "a browser that still sends hears no answer"
    return status


def hold(files: MemoryUploadedFileManager, session: str, size: int) -> None:
    files.add_file(session, UploadedFileRec("1", "log", "text/plain", bytes(size)))


def test_the_last_byte_that_fits_and_the_first_that_does_not(files: MemoryUploadedFileManager) -> None:
    hold(files, "ann", MB)
    room = AT_ONCE_MB * MB - MB
    assert asyncio.run(put(UploadLimit(Server()), room)) == 204
    assert asyncio.run(put(UploadLimit(Server()), room + 1)) == 413


def test_what_others_hold_takes_nothing_away(files: MemoryUploadedFileManager) -> None:
    hold(files, "bob", MB)
    assert asyncio.run(put(UploadLimit(Server()), AT_ONCE_MB * MB)) == 204


def test_uploads_that_come_together_count_together(files: MemoryUploadedFileManager) -> None:
    """None of them is in the store yet; the third is refused, and once two have gone there is room again."""

    async def three() -> list[int]:
        server = Server()
        limit = UploadLimit(server)
        server.go.clear()
        first = [asyncio.create_task(put(limit, 150 * MB)) for _ in range(2)]
        await asyncio.sleep(0)
        third = await put(limit, 150 * MB)
        server.go.set()
        return [*[await one for one in first], third, await put(limit, 150 * MB)]

    assert asyncio.run(three()) == [204, 204, 413, 204]


def test_a_body_of_unknown_length_counts_as_the_longest(files: MemoryUploadedFileManager) -> None:
    hold(files, "ann", (AT_ONCE_MB - 100) * MB)
    assert asyncio.run(put(UploadLimit(Server()), None)) == 413


def test_deleting_and_reading_are_never_refused(files: MemoryUploadedFileManager) -> None:
    hold(files, "ann", MB)
    for method in ("DELETE", "OPTIONS"):
        assert asyncio.run(put(UploadLimit(Server()), AT_ONCE_MB * MB, method=method)) == 204


def test_forgetting_empties_one_session(files: MemoryUploadedFileManager) -> None:
    hold(files, "ann", 3)
    hold(files, "bob", 5)
    drop_uploads("ann")
    assert (held_bytes("ann"), held_bytes("bob"), held_bytes("nobody")) == (0, 5, 0)


def test_starlette_still_has_the_limit_that_we_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its name changes, uploads go to a temporary file again: tests/e2e/test_privacy.py would fail."""
    assert MultiPartParser.spool_max_size == MB
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MB)  # put back at the end
    keep_uploads_in_memory()
    assert MultiPartParser.spool_max_size > 200 * MB
