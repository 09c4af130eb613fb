"""Anthropic Messages: request bodies, pairs {"request": body, "response": {id, usage}}, and batches.

Source rules. `system` is a text or a list of blocks; the cache sees tools, then system, then messages.
`cache_control` marks where a prefix may be written and is no text. `input_tokens` *excludes* what was read
from or written to the cache. Rows that repeat a response's id, and say the same, are one request.

Message batches: a request is `custom_id` with the body as `params`, a result `custom_id` with
`result: {type, message: {id, model, usage}}`. A result holds usage only, that of the request of its name; one
that is not "succeeded" (but errored, canceled, expired) has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.traces.mapping.mapped import COMMON, Rules, common, mapped
from core.traces.rows import Row


def is_openai(response: object, messages: Sequence[object]) -> bool:
    """Whether a pair is OpenAI's: its answer says so, or a system text stands among the messages."""
    if isinstance(response, dict):
        usage = response.get("usage")
        if "choices" in response or (isinstance(usage, dict) and "prompt_tokens" in usage):
            return True
        if isinstance(usage, dict) and "input_tokens" in usage:
            return False
    return any(isinstance(item, dict) and item.get("role") in ("system", "developer") for item in messages)


def _claims(data: Mapping[str, Any]) -> bool:
    request = data.get("request")
    body = request if isinstance(request, dict) else data
    if not isinstance(body.get("messages"), list) or "conversations" in body:
        return False
    if body is request and is_openai(data.get("response"), body["messages"]):
        return False
    return body is request or "system" in body or "anthropic_version" in body


def _claims_batch(data: Mapping[str, Any]) -> bool:
    return "custom_id" in data and any(isinstance(data.get(name), dict) for name in ("params", "result"))


def _has_failed(row: Row) -> str | None:
    result = row.object_or_none("result")
    return "failed" if result is not None and result.label("type") not in (None, "succeeded") else None


ANTHROPIC = mapped(
    "anthropic_messages",
    "Anthropic Messages",
    "json",
    ("text", "usage"),
    _claims,
    common(
        "request",
        "messages",
        body="request",
        tenant=(*COMMON.tenant, "request.metadata.user_id", "metadata.user_id"),
        output=("response",),
    ),
    Rules(also=("response.id",)),
)
ANTHROPIC_BATCH = mapped(
    "anthropic_batch",
    "Anthropic message batch",
    "json",
    ("text", "usage"),
    _claims_batch,
    common(
        "params",
        body="params",
        model=("params.model", "result.message.model"),
        tenant=("params.metadata.user_id",),
        usage=("result.message.usage",),
        output=("result.message",),
    ),
    Rules(left_out=_has_failed, is_answer=lambda row: row.get("params") is None),
)
