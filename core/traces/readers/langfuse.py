"""Langfuse: observations from its API, from its blob export and from the table of its web page (CSV).

Source rules. Only `type` GENERATION is a model call, other observations are passed over, and one of level
ERROR without output and usage failed; `input` holds the
messages, a body or a text (in tables as JSON text); times are ISO dates. The keys of `usageDetails` depend on
the integration (core/traces/reported/reading.py). Old exports have `promptTokens`, `completionTokens`; the
page's table `inputTokens` or `inputUsage` and the like: these say nothing of a cache. The blob export writes
the same names with underscores (`trace_id, start_time, usage_details, provided_model_name`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.field_map import FieldMap, entered
from core.traces.mapping.mapped import Rules, mapped
from core.traces.mapping.shapes import is_messages
from core.traces.reported.reading import langfuse_usage, read_usage
from core.traces.rows import Row
from core.traces.usage import Usage

_DETAILS = ("usageDetails", "usage_details", "providedUsageDetails", "provided_usage_details", "usage")
_PROMPT_COUNTS = ("promptTokens", "prompt_tokens", "inputTokens", "input_tokens", "inputUsage", "input_usage")
_OUTPUT_COUNTS = (
    *(
        "completionTokens",
        "completion_tokens",
        "outputTokens",
        "output_tokens",
        "outputUsage",
        "output_usage",
    ),
)
_BODIES = ("messages", "contents", "prompt")


def _other(row: Row) -> str | None:
    kind = row.label("type") or "GENERATION"
    if kind.upper() != "GENERATION":
        return "other_rows"
    has_failed = row.get("level") == "ERROR" and entered(row.get("output")) in (None, "", {}, [])
    return "failed" if has_failed and not row.get("usage") else None


def _prepared(row: Row) -> Row:
    """The record with a prompt only where one can be read, and with one object of counts."""
    found = dict(row.value)
    value = entered(row.get("input"))
    readable = (isinstance(value, str) and value) or is_messages(value)
    readable = readable or (isinstance(value, dict) and any(value.get(name) for name in _BODIES))
    found["input"] = value if readable else None
    details = next(
        (entered(row.get(name)) for name in _DETAILS if row.get(name) not in (None, "", {}, "{}")), None
    )
    found["usage"] = details if isinstance(details, dict) else _counts(row)
    return Row(found, row.place, row.path)


def _counts(row: Row) -> dict[str, Any] | None:
    """The table's own counts, in words that say nothing of a cache."""
    prompt = next((row.get(name) for name in _PROMPT_COUNTS if row.get(name) not in (None, "")), None)
    output = next((row.get(name) for name in _OUTPUT_COUNTS if row.get(name) not in (None, "")), None)
    return None if prompt is None else {"prompt_tokens": prompt, "completion_tokens": output}


def _usage(row: Row) -> Usage | None:
    return read_usage(row) if "prompt_tokens" in row else langfuse_usage(row)


def _claims(data: Mapping[str, Any]) -> bool:
    has_trace = "traceId" in data or "trace_id" in data
    return has_trace and any(name in data for name in ("type", "usageDetails", "usage_details"))


def _claims_table(data: Mapping[str, Any]) -> bool:
    if "input" not in data or "output" not in data:
        return False
    return any(name in data for name in (*_PROMPT_COUNTS, *_DETAILS[:4])) and _claims_columns(data)


def _claims_columns(data: Mapping[str, Any]) -> bool:
    return any(
        name in data for name in ("traceId", "trace_id", "sessionId", "session_id", "timestamp", "startTime")
    )


_FIELDS = FieldMap(
    prompt=("input",),
    id=("id",),
    time=("startTime", "start_time", "timestamp"),
    session=("sessionId", "session_id", "traceId", "trace_id"),
    tenant=("userId", "user_id"),
    tag=("name",),
    template=("promptName", "prompt_name"),
    model=("model", "providedModelName", "provided_model_name", "internalModel"),
    usage=("usage",),
)
_RULES = Rules(left_out=_other, prepare=_prepared, usage=_usage)
LANGFUSE = mapped("langfuse", "Langfuse observations", "json", ("text", "usage"), _claims, _FIELDS, _RULES)
LANGFUSE_CSV = mapped(
    "langfuse_csv", "Langfuse table (CSV)", "csv", ("text", "usage"), _claims_table, _FIELDS, _RULES
)
