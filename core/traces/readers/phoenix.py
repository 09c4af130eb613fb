"""Phoenix's spans, as its page and its client export them: OpenInference's attributes as objects in objects.

Source rules (OpenInference's conventions, Phoenix's export): the messages are `llm.input_messages`, each
under `message`; counts are `llm.token_count`. Only spans of the kind LLM are calls. The same attributes with
dots in their names are OpenTelemetry's (core/traces/readers/opentelemetry.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.field_map import value_at
from core.traces.mapping.mapped import Rules, common, mapped
from core.traces.rows import Row

_KINDS = ("span_kind", "attributes.openinference.span.kind")


def _claims(data: Mapping[str, Any]) -> bool:
    attributes = data.get("attributes")
    llm = attributes.get("llm") if isinstance(attributes, dict) else None
    return isinstance(llm, dict) and ("input_messages" in llm or "token_count" in llm)


def _left_out(row: Row) -> str | None:
    kind = next((found for path in _KINDS if (found := value_at(row.value, path)) is not None), "LLM")
    if str(kind).upper() != "LLM":
        return "other_rows"
    return "failed" if str(row.get("status_code")).upper() == "ERROR" else None


PHOENIX = mapped(
    "phoenix",
    "Phoenix spans",
    "json",
    ("text", "usage"),
    _claims,
    common(
        "attributes.llm.input_messages",
        "attributes.input.value",
        id=("context.span_id", "span_id", "id"),
        time=("start_time", "startTime"),
        session=("attributes.session.id", "context.trace_id", "trace_id"),
        tenant=("attributes.user.id",),
        model=("attributes.llm.model_name",),
        usage=("attributes",),
    ),
    Rules(left_out=_left_out),
)
