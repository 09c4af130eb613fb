"""OpenAI chat request bodies, one per line: `messages`, `tools`, `model`; as kvlint reads them also
`request_id, session_id, timestamp` (seconds).

Source rule: the text needs a chat template and a tokenizer, and both are ours (core/traces/prompts/chat.py),
so token counts are not the provider's. `content` may be a list of parts. Every row is a complete request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.fields import common, num_tokens
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import messages_body
from core.traces.rows import Row


def _read(builder: Builder, row: Row) -> None:
    segments = messages_body(builder.chat, row)
    builder.add(TraceRequest(segments=segments, num_tokens=num_tokens(segments), **common(builder, row)))


def _claims(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("messages"), list)


OPENAI_CHAT = Format(
    "openai_chat", "OpenAI chat requests", "json", frozenset({"text"}), _claims, each_row(_read)
)
