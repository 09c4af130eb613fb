"""Uploads inside another website: known before anybody tries, and never said where they get through."""

from __future__ import annotations

import pytest
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from ui.server.framed import XSRF_COOKIE, lacks_cookie


def test_the_cookie_is_streamlits() -> None:
    assert XSRF_COOKIE == XSRF_COOKIE_NAME


@pytest.mark.parametrize(
    ("headers", "cookies", "lacks"),
    [
        ({"Origin": "http://a"}, {}, True),
        ({"origin": "http://a"}, {"other": "x"}, True),
        ({"origin": "http://a"}, {XSRF_COOKIE: "2|x"}, False),
        ({}, {}, False),  # no browser: a test, a probe
    ],
)
def test_only_a_browser_without_the_cookie_is_told(
    headers: dict[str, str], cookies: dict[str, str], lacks: bool
) -> None:
    assert lacks_cookie(headers, cookies) is lacks
