"""Thirty people open a fresh server in the same second, each another page: nobody meets an exception."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pages.navigation import PAGES
from tests.e2e.conftest import running_server
from tests.visitor import see, visitor

VISITORS, ROUNDS = 30, 3


async def one(url: str, page: str) -> list[str]:
    async with visitor(url) as who:
        await who.open("" if page == PAGES[0] else page)
        assert len(who.elements) > (1 if page == "present" else 3), f"{page} is empty"
        return who.exceptions


async def all_at_once(url: str) -> list[str]:
    pages = [PAGES[number % len(PAGES)] for number in range(VISITORS)]
    return [wrong for found in await asyncio.gather(*(one(url, page) for page in pages)) for wrong in found]


@pytest.mark.slow
def test_nothing_breaks_when_all_come_at_once(tmp_path: Path) -> None:
    for number in range(ROUNDS):
        log = tmp_path / f"{number}.txt"
        with running_server(log) as url:
            assert see(all_at_once(url)) == []
        assert "Traceback" not in log.read_text("utf-8", "replace")
