"""Plain prompts: `prompt` per line (+ `request_id, session_id, timestamp`), or one prompt per line of text.

Source rule (kvlint's plain format): no chat template. As in OpenAI's completions API, `prompt` may also be
token ids or a list of prompts, each of which is a request. Lines of text have no field at all; blank lines
are passed over.
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


def _read(builder: Builder, row: Row) -> None:
    if row.get("prompt") is None:
        raise row.wrong("prompt", "one or more prompts")
    body = Row({**row.value, "messages": None}, row.place, row.path)
    for segments in body_prompts(builder.chat, body):
        fields = common(builder, row)
        builder.add(TraceRequest(segments=segments, num_tokens=num_tokens(segments), **fields))


def _claims(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("prompt"), str | list)


def _read_line(builder: Builder, row: Row) -> None:
    text = row.text("line")
    if text.strip():
        segments = builder.chat.prompt(text)
        name = builder.next_id(row)
        builder.add(TraceRequest(name, num_tokens(segments), segments=segments, line=row.place.line))


PROMPTS = Format("prompts", "Plain prompts", "json", frozenset({"text", "tokens"}), _claims, each_row(_read))
TEXT_LINES = Format(
    "text_lines",
    "One prompt per line of text",
    "lines",
    frozenset({"text"}),
    lambda _line: False,  # any text would fit: only a person chooses it
    each_row(_read_line),
)
