"""Where a piece stands, as a person finds it in the call."""

from __future__ import annotations

import re

from core.traffic.diagnosis.causes import Cause

_ROOTS = re.compile(r"(?:^|\.)((?:messages|tools|system|prompt|input|instructions|conversations?)\b.*)$")
_INDEX = re.compile(r"\[\d+\].*")


def place_of(path: str, cause: Cause) -> str:
    """The path inside the call's body. Tools are one place whichever of them differs; history is whole turns.

    >>> place_of("body.messages[0].content", "changing_text")
    'messages[0].content'
    >>> place_of("tools[2]", "tool_order")
    'tools'
    """
    found = _ROOTS.search(path)
    shown = found[1] if found else path
    if cause in ("tool_order", "tool_subset", "json_key_order") and shown.startswith("tools"):
        return _INDEX.sub("", shown)
    return shown
