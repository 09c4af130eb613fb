"""Fields that many formats share under the same few names: who sent a request, when, to which model."""

from __future__ import annotations

from typing import Any

from core.traces.building.build import Builder
from core.traces.model import Segment
from core.traces.reported.reading import read_usage
from core.traces.rows import Row
from core.traces.timestamps import time_or_none
from core.traces.usage import Usage

ID_NAMES = ("request_id", "id", "custom_id")
TIME_NAMES = ("timestamp", "ts", "created_at", "request_time", "time")
SESSION_NAMES = ("session_id", "session", "conversation_id", "thread_id", "prompt_cache_key")
TENANT_NAMES = ("tenant", "tenant_id", "user", "end_user")
TAG_NAMES = ("tag", "route")
TEMPLATE_NAMES = ("template", "template_id", "prompt_name")


def common(builder: Builder, row: Row, body: Row | None = None) -> dict[str, Any]:
    """Everything about a request but its prompt. What the record lacks is looked up in the call's body."""
    tags = object_or_none(row, "tags")
    usage = response_usage(row)
    return {
        "request_id": builder.next_id(row, *ID_NAMES),
        "arrival_s": time_or_none(row, *TIME_NAMES),
        "session": _label((row, tags, body), SESSION_NAMES),
        "tenant": _label((row, tags, body), TENANT_NAMES),
        "tag": _label((row, tags), TAG_NAMES),
        "template": _label((row, tags), TEMPLATE_NAMES),
        "model": _label((row, body), ("model",)),
        "adapter": _label((row, body), ("lora_name", "lora_path", "adapter")),
        "salt": _label((row, body), ("cache_salt", "extra_key")),
        "usage": usage,
        "num_output": None if usage is None else usage.output_tokens,
        "line": row.place.line,
    }


def object_or_none(row: Row, field: str) -> Row | None:
    """An object that nothing depends on; anything else in its place is passed over."""
    value = row.get(field)
    return Row(value, row.place, row.name(field)) if isinstance(value, dict) else None


def _label(rows: tuple[Row | None, ...], names: tuple[str, ...]) -> str | None:
    """The first name found; a structure where a name could stand is no name."""
    for row in rows:
        for name in names if row is not None else ():
            value = row.get(name) if row is not None else None
            if row is not None and isinstance(value, str | int) and not isinstance(value, bool):
                found = row.label(name)
                if found is not None:
                    return found
    return None


def response_usage(row: Row) -> Usage | None:
    """The usage beside a request, or in its response (`response`, `response.body`)."""
    if isinstance(row.get("usage"), dict):
        return read_usage(row.object("usage"))
    response = object_or_none(row, "response")
    if response is None:
        return None
    body = object_or_none(response, "body") or response
    return read_usage(object_or_none(body, "usage"))


def num_tokens(segments: tuple[Segment, ...]) -> int:
    """Tokens of a prompt."""
    return sum(len(segment.token_ids) for segment in segments)
