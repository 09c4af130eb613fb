"""Prompts without messages: a text, token ids, or a line of text.

Source rules. `prompt` per line (+ `request_id, session_id, timestamp`; kvlint's plain format): no chat
template. As in OpenAI's completions API, `prompt` may also be token ids or a list of prompts, each of which
is a request. Lines of text have no field at all; blank lines are passed over.

Token ids (prefixlens): `token_ids`, with `request_id, tenant, route, model, tags` where known; `tags` is a
free object, of which `session`, `template` and `tag` are used; `route` is the tag of a row without one.
OpenAI-style rows may call the ids `prompt_token_ids` or `input_ids`. No tokenizer and no template take part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.mapped import common, mapped, num_tokens
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import TOKEN_FIELDS
from core.traces.rows import Row

TOKEN_NAMES = ("token_ids", *(name for name in TOKEN_FIELDS if name != "token_ids"))


def _claims_prompt(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("prompt"), str | list)


def _claims_ids(data: Mapping[str, Any]) -> bool:
    return any(isinstance(data.get(name), list) for name in TOKEN_NAMES)


def _read_line(builder: Builder, row: Row) -> None:
    text = row.text("line")
    if text.strip():
        segments = builder.chat.prompt(text)
        name = builder.next_id(row)
        builder.add(TraceRequest(name, num_tokens(segments), segments=segments, line=row.place.line))


PROMPTS = mapped("prompts", "Plain prompts", "json", ("text", "tokens"), _claims_prompt, common("prompt"))
TOKEN_IDS = mapped(
    "token_ids",
    "Token ids",
    "json",
    ("tokens",),
    _claims_ids,
    common(tokens=TOKEN_NAMES, output=("output_token_ids",)),
)
TEXT_LINES = Format(
    "text_lines",
    "One prompt per line of text",
    "lines",
    frozenset({"text"}),
    lambda _line: False,  # any text would fit: only a person chooses it
    each_row(_read_line),
)
