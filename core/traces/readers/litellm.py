"""LiteLLM's StandardLoggingPayload, one per line.

Source rule: times are epoch seconds; cached tokens stand in
`response.usage.prompt_tokens_details.cached_tokens`, and null there is unknown, not 0. `cache_hit` speaks of
LiteLLM's *response* cache: such a request never reached a model and is left out, as are failed ones.
`messages` is a text where logging removes contents; then only the usage is left. A repeated `id` is one call
that was logged twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.fields import num_tokens, object_or_none, response_usage
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import Segments, body_prompts
from core.traces.rows import Row
from core.traces.timestamps import time_or_none
from core.traces.usage import Usage


def _read(builder: Builder, row: Row) -> None:
    usage = response_usage(row) or _top_level(row)
    segments = _segments(builder, row)
    metadata = object_or_none(row, "metadata")
    request = TraceRequest(
        request_id=builder.next_id(row, "id"),
        num_tokens=num_tokens(segments) if segments else (usage and usage.prompt_tokens) or 0,
        segments=segments,
        arrival_s=time_or_none(row, "startTime"),
        num_output=row.whole_or_none("completion_tokens") if usage is None else usage.output_tokens,
        session=row.label("session_id", "trace_id"),
        tenant=(metadata.label("user_api_key_alias") if metadata else None) or row.label("end_user"),
        tag=_first_tag(row),
        model=row.label("model"),
        usage=usage,
        line=row.place.line,
    )
    if row.get("cache_hit") is True or row.get("cache_hit") == "True":
        builder.note("response_cache")
    elif row.label("status") not in (None, "success"):
        builder.note("failed")
    else:
        if not segments:
            builder.note("redacted")
        builder.add(request)


def _top_level(row: Row) -> Usage | None:
    """Without a response the payload still has its own counts, which say nothing of a cache."""
    prompt = row.whole_or_none("prompt_tokens")
    return None if prompt is None else Usage(prompt, None, None, row.whole_or_none("completion_tokens"))


def _segments(builder: Builder, row: Row) -> Segments:
    messages = row.get("messages")
    if not messages or isinstance(messages, str | dict):
        return ()  # removed by the logging settings, or another kind of call
    parameters = row.get("model_parameters")
    tools = parameters.get("tools") if isinstance(parameters, dict) else None
    sent = parameters if isinstance(parameters, dict) else {}
    body = Row({**sent, "messages": messages, "tools": tools}, row.place, row.path)
    return body_prompts(builder.chat, body)[0]


def _first_tag(row: Row) -> str | None:
    tags = row.get("request_tags")
    return tags[0] if isinstance(tags, list) and tags and isinstance(tags[0], str) else None


def _claims(data: Mapping[str, Any]) -> bool:
    return "call_type" in data and ("startTime" in data or "custom_llm_provider" in data)


LITELLM = Format("litellm", "LiteLLM log", "json", frozenset({"text", "usage"}), _claims, each_row(_read))
