"""Usage alone: a provider's usage object per line, or records that hold one and no prompt.

Source rule: whichever provider's words they are (core/traces/reported/). Such a log has no identity: its rate
is the reported one. Answers as a provider sent them (`usage` beside `content` or `choices`) are of this kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.mapping.columns import is_usage, num_summed, with_usual_names
from core.traces.mapping.mapped import COMMON, Rules, common, mapped
from core.traces.mapping.shapes import asks, is_messages
from core.traces.rows import Row

_PATHS = (
    *("usage", "usageMetadata", "usage_metadata", "response.usage", "response.usageMetadata"),
    *("response.body.usage", "message.usage", "body.usage", "usage_object", "token_usage", "usageDetails"),
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
    if _holds_messages(data):
        return False
    return is_usage(data, _PATHS)


def _holds_messages(value: object, depth: int = 4) -> bool:
    """Whether messages lie in a record under whatever name: its prompt would be lost."""
    if isinstance(value, Mapping):
        return depth > 0 and any(_holds_messages(inner, depth - 1) for inner in value.values())
    if isinstance(value, list | str):
        return is_messages(value) and asks(value)
    return False


def _sum(row: Row) -> tuple[str, int] | None:
    count = num_summed(row)
    return None if count is None else ("sums", count)


USAGE_LINES = mapped(
    "usage_lines",
    "Usage only",
    "json",
    ("usage", "lengths"),
    _claims,
    common(usage=(*_PATHS, "."), time=(*COMMON.time, "created"), id=(*COMMON.id, "response.id")),
    Rules(prepare=with_usual_names, remark=_sum),
)
