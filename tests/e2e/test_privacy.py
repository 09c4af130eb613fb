"""What a visitor uploads or types stays in the server's memory, and goes: a marker is looked for elsewhere.

Looked through: what the server holds open (a temporary file has no name, but it is open), its folder for
temporary files, the folder it runs in, its log, and every link it writes.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from tests.e2e.conftest import ROOT, Running, running_server
from tests.visitor import Visitor, begin_upload, envelope, picked, see, upload, visitor
from ui.stage.own import unpack_own
from ui.words.i18n import t

MARKER = "MARKER-of-a-visitor-7f3a"
MB = 1024 * 1024
TTL_S = 6

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc to look into a server with"),
]


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A server with a folder of its own for temporary files, that forgets who has left after some seconds."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    with running_server(tmp_path / "log.txt", disconnectedSessionTTL=str(TTL_S)) as url:
        yield url


def log_of(lines: int) -> bytes:
    """A log of requests, the marker in each."""
    line = {"messages": [{"role": "user", "content": f"{MARKER} what is in the soup?"}]}
    return (json.dumps(line) + "\n").encode() * lines


def open_files(server: Running) -> Iterator[Path]:
    """Regular files that the server holds open, those without a name too."""
    for one in Path(f"/proc/{server.process_id}/fd").iterdir():
        if one.exists() and one.is_file():
            yield one


def finds(server: Running) -> list[str]:
    """Where the marker stands outside of memory."""
    places = [*open_files(server), *server.log.parent.rglob("*")]
    places += [path for path in ROOT.rglob("*") if path.is_file() and path.stat().st_mtime > server.started]
    here = Path(__file__).resolve()
    return [
        str(path)
        for path in places
        if path.is_file() and path.resolve() != here and MARKER.encode() in path.read_bytes()
    ]


def uploaded_bytes(server: Running) -> int:
    """What the server says of itself: bytes of uploads in its memory."""
    with urllib.request.urlopen(
        f"{server}/_stcore/metrics?families=cache_memory_bytes", timeout=10
    ) as answer:
        found = re.search(r'cache_type="UploadedFileManager"[^}]*\} (\d+)', answer.read().decode())
    return int(found[1]) if found else 0


async def open_upload_field(who: Visitor) -> None:
    await who.open("traffic")
    await who.set(traffic_source=("string_array_value", [t("traffic.source.upload", "en")]))


def in_links(query: str) -> bool:
    """Whether the marker stands in an address, packed or not."""
    values = dict(parse_qsl(query))
    return MARKER in query or MARKER in str(values) or MARKER in str(unpack_own(values.get("own", "")))


def test_the_watch_finds_what_is_there(watched: Running, tmp_path: Path) -> None:
    """Else it could find nothing anywhere."""
    (tmp_path / "temporary" / "spooled").write_text(MARKER)
    assert finds(watched) == [str(tmp_path / "temporary" / "spooled")]


def test_a_log_on_its_way_in_its_session_and_after_it(watched: Running) -> None:
    data = log_of(40_000)
    assert len(data) > 3 * MB, "more than Starlette keeps in memory by itself"

    async def visit() -> None:
        async with visitor(watched) as who:
            await open_upload_field(who)
            body = envelope("day.jsonl", data)
            under_way = begin_upload(watched, who.session, len(body))
            under_way.send(body[: len(body) // 2])
            await asyncio.sleep(1)
            assert finds(watched) == []
            under_way.send(body[len(body) // 2 :])
            assert under_way.end()[0] == 204
            assert uploaded_bytes(watched) == len(data)
            await who.set(traffic_upload=picked(under_way.file_id, "day.jsonl", len(data)))
            assert who.exceptions == []
            assert "40,000" in who.words
            assert not in_links(who.query)
            assert finds(watched) == []

    see(visit())
    deadline = time.monotonic() + 3 * TTL_S
    while uploaded_bytes(watched) and time.monotonic() < deadline:
        time.sleep(0.5)
    assert uploaded_bytes(watched) == 0, "its visitor has gone, and nobody else came"
    assert finds(watched) == []


def test_own_prompts_stand_in_links_about_them_alone(watched: Running) -> None:
    async def visit() -> None:
        async with visitor(watched) as who:
            await who.open("")
            await who.set(start_tab_widget=("string_value", t("control.own", "en")))
            await who.set(own_messages=("string_value", f"{MARKER} one\n{MARKER} two"))
            assert not in_links(who.query)
            await who.press("own_run")
            assert who.exceptions == []
            assert in_links(who.query)
            await who.open("execute", who.query)
            presets = next(one for one in who.all_of("selectbox") if one.id.endswith("-widget_scenario"))
            await who.set(widget_scenario=("string_value", presets.options[1]))
            assert "s=own" not in who.query
            assert not in_links(who.query)
            assert finds(watched) == []

    see(visit())


def test_what_is_forgotten_is_gone_at_once(watched: Running) -> None:
    data = log_of(100)

    async def visit() -> None:
        async with visitor(watched) as who:
            await open_upload_field(who)
            file_id, status, _ = upload(watched, who.session, "day.jsonl", data)
            assert status == 204
            await who.set(traffic_upload=picked(file_id, "day.jsonl", len(data)))
            assert t("held.log", "en", name="day\\.jsonl", n=100) in who.words
            await who.press("held-forget")
            assert who.exceptions == []
            assert t("held.nothing", "en") in who.words
            assert "day" not in who.words.replace("today", "")
            assert uploaded_bytes(watched) == 0
            assert who.query == "lang=en"

    see(visit())
