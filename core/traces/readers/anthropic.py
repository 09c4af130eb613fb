"""Anthropic Messages: request bodies, or pairs {"request": body, "response": {id, usage}}.

Source rule: `system` is a text or a list of blocks; the cache sees tools, then system, then messages.
`cache_control` marks where a prefix may be written and is no text. `input_tokens` *excludes* what was read
from or written to the cache. Rows that repeat a response's id, and say the same, are one request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.fields import common, num_tokens, object_or_none
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import messages_body
from core.traces.prompts.chat import output_text
from core.traces.rows import Row


def _read(builder: Builder, row: Row) -> None:
    body = row.object_or_none("request") or row
    segments = messages_body(builder.chat, body)
    fields = common(builder, row, body)
    response = object_or_none(row, "response")
    metadata = object_or_none(body, "metadata")
    if metadata is not None and fields["tenant"] is None:
        fields["tenant"] = metadata.label("user_id")
    if response is not None:
        if row.label("request_id", "id") is None and response.label("id"):
            fields["request_id"] = response.label("id")
        if fields["num_output"] is None:
            answer = output_text(response)
            fields["num_output"] = None if answer is None else builder.chat.num_tokens(answer)
    request = TraceRequest(segments=segments, num_tokens=num_tokens(segments), **fields)
    builder.add(request, also=None if response is None else response.label("id"))


def _claims(data: Mapping[str, Any]) -> bool:
    request = data.get("request")
    body = request if isinstance(request, dict) else data
    if not isinstance(body.get("messages"), list) or "conversations" in body:
        return False
    return body is request or "system" in body or "anthropic_version" in body


ANTHROPIC = Format(
    "anthropic_messages", "Anthropic Messages", "json", frozenset({"text", "usage"}), _claims, each_row(_read)
)
