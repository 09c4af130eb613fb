"""Usage alone: a provider's usage object per line, or records that hold one and no prompt.

Source rule: whichever provider's words they are (core/traces/reported/). Such a log has no identity: its rate
is the reported one. Answers as a provider sent them (`usage` beside `content` or `choices`) are of this kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.field_map import value_at
from core.traces.mapping.mapped import COMMON, common, mapped
from core.traces.mapping.shapes import usage_of

_PATHS = (
    *("usage", "usageMetadata", "usage_metadata", "response.usage", "response.usageMetadata"),
    *("response.body.usage", "message.usage", "body.usage", "usage_object", "token_usage", "usageDetails"),
    "timings",
)
_PROMPTS = (
    "prompt",
    "messages",
    "contents",
    "input",
    "request",
    "request_body",
    "conversations",
    "hash_ids",
    "body",
    "payload",
    "inputs",
)


def _claims(data: Mapping[str, Any]) -> bool:
    if any(isinstance(data.get(name), str | list | dict) and data[name] for name in _PROMPTS):
        return False
    if usage_of(dict(data)) is not None:
        return True
    return any(usage_of(value_at(data, path)) is not None for path in _PATHS)


USAGE_LINES = mapped(
    "usage_lines",
    "Usage only",
    "json",
    ("usage", "lengths"),
    _claims,
    common(usage=(*_PATHS, "."), time=(*COMMON.time, "created"), id=(*COMMON.id, "response.id")),
)
