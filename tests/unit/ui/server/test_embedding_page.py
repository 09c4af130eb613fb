"""docs/embedding.md speaks of options that there are, and of limits that are ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit import config

from ui.server.uploads import one_mb

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "embedding.md").read_text("utf-8")
OPTIONS = sorted(set(re.findall(r"`?(server\.[A-Za-z]+)\b(?!\.md)", PAGE)) - {"server.md"})


@pytest.mark.parametrize("name", OPTIONS)
def test_streamlit_has_the_option(name: str) -> None:
    config.get_option(name)


def test_the_proxy_lets_the_largest_upload_through() -> None:
    assert len(OPTIONS) >= 6
    limit = re.search(r"client_max_body_size (\d+)m;", PAGE)
    assert limit is not None
    assert int(limit[1]) > one_mb()
