"""OpenAI / vLLM batch files: `custom_id, method, url, body`.

Source rule: `url` says which API the body is for; chat completions, completions and responses have a prompt,
anything else (embeddings) has none and is passed over, counted. A batch has no arrival times: it is replayed
in the file's order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.fields import common, num_tokens
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import body_prompts
from core.traces.rows import Row

_WITH_PROMPT = ("/chat/completions", "/completions", "/responses", "/messages")


def _read(builder: Builder, row: Row) -> None:
    url = row.label("url")
    if url is not None and not url.rstrip("/").endswith(_WITH_PROMPT):
        builder.note("other_rows")
        return
    body = row.object("body")
    for segments in body_prompts(builder.chat, body):
        fields = common(builder, row, body)
        builder.add(TraceRequest(segments=segments, num_tokens=num_tokens(segments), **fields))


def _claims(data: Mapping[str, Any]) -> bool:
    return "custom_id" in data and isinstance(data.get("body"), dict)


OPENAI_BATCH = Format("openai_batch", "OpenAI batch", "json", frozenset({"text"}), _claims, each_row(_read))
