"""What the server itself does, asked over the wire: words when a page breaks."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, running_server
from tests.visitor import visitor
from ui.words.i18n import t

APP_PARTS = ("app.py", "pages", "ui", "core", "assets", ".streamlit")
SECRET = "a sentence with /a/path/of/ours"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server whose first chapter raises; its address and its log."""
    folder = tmp_path_factory.mktemp("broken")
    for part in APP_PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    chapter = folder / "pages" / "ch01.py"
    chapter.write_text(f"{chapter.read_text('utf-8')}\n\ndef render():\n    raise RuntimeError({SECRET!r})\n")
    log = folder / "log.txt"
    with running_server(log, folder) as url:
        yield url, log


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_page_that_breaks_says_so_in_a_sentence(broken: tuple[str, Path], lang: str) -> None:
    url, log = broken

    async def look() -> None:
        async with visitor(url) as who:
            await who.open("ch01", f"lang={lang}")
            assert who.broke
            assert t("page.broken", lang) in who.words
            assert SECRET not in str(who.elements)
            assert "render" not in str(who.elements)

    asyncio.run(look())
    assert SECRET in log.read_text("utf-8")
