"""Prompts that are tokens already: `token_ids`, with `request_id, tenant, route, model, tags` where known.

Source rule (prefixlens): one object a line; `tags` is a free object, of which `session`, `template` and `tag`
are used; `route` is the tag of a row without one. OpenAI-style rows may call the ids `prompt_token_ids` or
`input_ids`. Tokenised already: no tokenizer and no template take part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.fields import common
from core.traces.model import TraceRequest
from core.traces.prompts.bodies import token_segment
from core.traces.rows import Row

_NAMES = ("token_ids", "prompt_token_ids", "input_ids")


def _read(builder: Builder, row: Row) -> None:
    name = next((name for name in _NAMES if row.get(name) is not None), None)
    if name is None:
        raise row.wrong("token_ids", "token ids")
    segments = token_segment(row, name)
    output = row.token_ids("output_token_ids") if row.get("output_token_ids") is not None else None
    fields = common(builder, row)
    if output is not None:
        fields |= {"output_ids": output, "num_output": len(output)}
    builder.add(TraceRequest(segments=segments, num_tokens=len(segments[0].token_ids), **fields))


def _claims(data: Mapping[str, Any]) -> bool:
    return any(isinstance(data.get(name), list) for name in _NAMES)


TOKEN_IDS = Format("token_ids", "Token ids", "json", frozenset({"tokens"}), _claims, each_row(_read))
