"""Usage alone: a provider's usage object per line, or records that hold one and no prompt.

Source rule: whichever provider's words they are (core/traces/reported/). Such a log has no identity: its rate
is the reported one. Answers as a provider sent them (`usage` beside `content` or `choices`) are of this kind,
and the pieces of a streamed one (core/traces/building/streams.py). Anthropic's events name their message only
at its start; what follows belongs to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Reader
from core.traces.building.streams import is_part
from core.traces.mapping.columns import is_bucket, is_usage, with_usual_names
from core.traces.mapping.mapped import COMMON, Rules, common, mapped
from core.traces.mapping.shapes import asks, is_messages
from core.traces.rows import Row

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
    if is_part(data):
        return True
    return not _holds_messages(data) and is_usage(data, _PATHS)


def _holds_messages(value: object, depth: int = 4) -> bool:
    """Whether messages lie in a record under whatever name: its prompt would be lost."""
    if isinstance(value, Mapping):
        return depth > 0 and any(_holds_messages(inner, depth - 1) for inner in value.values())
    if isinstance(value, list | str):
        return is_messages(value) and asks(value)
    return False


def _remark(row: Row) -> str | None:
    return "buckets" if is_bucket(tuple(row.value)) else None


_EACH = mapped(
    "usage_lines",
    "Usage only",
    "json",
    ("usage", "lengths"),
    _claims,
    common(
        usage=(*_PATHS, "."),
        time=(*COMMON.time, "created"),
        id=(*COMMON.id, "message.id", "response.id", "responseId"),
        model=("model", "message.model", "response.model", "modelVersion"),
    ),
    Rules(prepare=with_usual_names, remark=_remark),
)


class _UsageLines:
    """Each record by itself, but for the events of a message that is still open."""

    def __init__(self, builder: Builder, head: Sequence[Row]) -> None:
        self._each: Reader = _EACH.make(builder, head)
        self._open: dict[str, Any] = {}

    def add(self, row: Row) -> None:
        event, message = row.get("type"), row.get("message")
        if event == "message_start" and isinstance(message, dict):
            self._open = message
        elif event == "message_delta" and "id" not in row and self._open:
            row = Row(row.value | self._told(row.get("usage")), row.place, row.path)
        self._each.add(row)

    def _told(self, usage: object) -> dict[str, Any]:
        """The message's name, and its usage as far as it is known by now."""
        parts = [self._open.get("usage"), usage]
        known: dict[str, Any] = {}
        for part in parts:
            known |= {k: v for k, v in part.items() if v is not None} if isinstance(part, dict) else {}
        return {"id": self._open.get("id"), "model": self._open.get("model"), "usage": known}

    def finish(self) -> None:
        """Nothing was kept back."""


USAGE_LINES = replace(_EACH, make=_UsageLines)
