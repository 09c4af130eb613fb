"""Langfuse observations (export of generations), JSONL or a JSON array.

Source rule: only `type` GENERATION is a model call, other observations are passed over; `input` holds the
messages or a text; times are ISO dates. The keys of `usageDetails` depend on the integration: whether `input`
includes cached tokens is read off `total` (core/traces/usage.py). Old exports have `promptTokens`,
`completionTokens`, which say nothing of a cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.fields import num_tokens
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import Segments, body_prompts
from core.traces.reported.reading import langfuse_usage
from core.traces.rows import Row
from core.traces.timestamps import time_or_none
from core.traces.usage import Usage


def _read(builder: Builder, row: Row) -> None:
    if (row.label("type") or "GENERATION") != "GENERATION":
        builder.note("other_rows")
        return
    usage = langfuse_usage(row.object_or_none("usageDetails")) or _old_usage(row)
    segments = _segments(builder, row)
    request = TraceRequest(
        request_id=builder.next_id(row, "id"),
        num_tokens=num_tokens(segments) if segments else (usage and usage.prompt_tokens) or 0,
        segments=segments,
        arrival_s=time_or_none(row, "startTime"),
        num_output=None if usage is None else usage.output_tokens,
        session=row.label("sessionId", "traceId"),
        tenant=row.label("userId"),
        tag=row.label("name"),
        template=row.label("promptName"),
        model=row.label("model"),
        usage=usage,
        line=row.place.line,
    )
    if not builder.is_repeated(row.label("id")):
        if not segments:
            builder.note("redacted")
        builder.add(request)


def _old_usage(row: Row) -> Usage | None:
    prompt = row.whole_or_none("promptTokens")
    return None if prompt is None else Usage(prompt, None, None, row.whole_or_none("completionTokens"))


def _segments(builder: Builder, row: Row) -> Segments:
    value = row.get("input")
    if isinstance(value, str):
        return builder.chat.prompt(value)
    if isinstance(value, list) and value:
        return body_prompts(builder.chat, Row({"messages": value}, row.place, row.name("input")))[0]
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return body_prompts(builder.chat, row.object("input"))[0]
    return ()


def _claims(data: Mapping[str, Any]) -> bool:
    return "traceId" in data and ("type" in data or "usageDetails" in data)


LANGFUSE = Format(
    "langfuse", "Langfuse observations", "json", frozenset({"text", "usage"}), _claims, each_row(_read)
)
