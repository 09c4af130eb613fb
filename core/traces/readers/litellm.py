"""LiteLLM: its StandardLoggingPayload, one per line, and rows of its table of spend logs.

Source rules. Times are epoch seconds in the payload, dates in the table. Cached tokens stand in
`response.usage.prompt_tokens_details.cached_tokens` or, in both, in `metadata.usage_object`; null there is
unknown, not 0. `cache_hit` speaks of LiteLLM's *response* cache: such a request never reached a model and is
left out. `messages` is a text where logging removes contents ("redacted-by-litellm"), and
`{}` in the table unless prompts are stored there, or stand in `proxy_server_request`; then only the usage is
left. In the table `messages`, `response`, `metadata`, `proxy_server_request`, `request_tags` are JSON texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.field_map import FieldMap, entered
from core.traces.mapping.mapped import Rules, mapped
from core.traces.rows import Row


def _left_out(row: Row) -> str | None:
    return "response_cache" if str(row.get("cache_hit")).lower() == "true" else None


def _with_body(row: Row) -> Row:
    """The record with its call's body put together: the parameters hold the tools."""
    parts = {
        name: entered(row.get(name)) for name in ("messages", "model_parameters", "proxy_server_request")
    }
    sent = parts["proxy_server_request"]
    inner = entered(sent.get("body")) if isinstance(sent, dict) else None
    sent = inner if isinstance(inner, dict) else sent
    parameters = parts["model_parameters"] if isinstance(parts["model_parameters"], dict) else {}
    body: dict[str, Any] = {}
    if isinstance(parts["messages"], list) and parts["messages"]:
        tools = sent.get("tools") if isinstance(sent, dict) else None
        body = {"tools": tools, **parameters, "messages": parts["messages"]}
    elif isinstance(sent, dict) and any(sent.get(name) for name in ("messages", "prompt", "input")):
        body = sent
    return Row(row.value | {"body": body or None}, row.place, row.path)


def _claims(data: Mapping[str, Any]) -> bool:
    return "call_type" in data and ("startTime" in data or "custom_llm_provider" in data)


LITELLM = mapped(
    "litellm",
    "LiteLLM log",
    "json",
    ("text", "usage"),
    _claims,
    FieldMap(
        prompt=("body",),
        id=("id", "request_id"),
        time=("startTime",),
        session=("session_id", "trace_id", "metadata.session_id"),
        tenant=("metadata.user_api_key_alias", "end_user", "user"),
        tag=("request_tags",),
        model=("model", "model_group"),
        usage=("response.usage", "metadata.usage_object", "."),
        output=("completion_tokens",),
    ),
    Rules(left_out=_left_out, prepare=_with_body),
)
