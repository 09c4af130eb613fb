"""What a link goes through before a page reads it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode


def through_the_address(query: Mapping[str, str]) -> dict[str, str]:
    """The parameters as the page gets them once an address bar has carried them. As there, text that is no
    UTF-8 raises."""
    return dict(parse_qsl(urlencode(query), keep_blank_values=True))
