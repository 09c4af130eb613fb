"""Gemini: bodies with `contents`, alone or with their answer, and BigQuery's request-response logging.

Source rules (the API's reference, the Python SDK, Vertex AI's page on such logs). REST writes camelCase
(`systemInstruction`, `usageMetadata`), the SDK underscores and puts everything but the contents into
`config`. Wrapped as `request` and `response` (batch files, with a `key`), or as `full_request` and
`full_response` in BigQuery, with `logging_time, request_id, model`; a streamed answer is a list whose last
element counts. Content that the provider keeps (`cachedContent`) is named, not held, by a log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.field_map import entered
from core.traces.mapping.mapped import COMMON, Rules, common, mapped
from core.traces.rows import Row

_REQUESTS = ("full_request", "request", "request_payload")
_RESPONSES = ("full_response", "response", "response_payload")
_USAGE = ("usageMetadata", "usage_metadata", "usage")


def _prepared(row: Row) -> Row:
    """The record with its bodies as objects: of a stream the last part that counts, failed ones without."""
    found = {}
    for name in (*_REQUESTS, *_RESPONSES):
        value = row.get(name)
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            value = "".join(value)  # a repeated column: one text in pieces
        value = entered(value)
        if isinstance(value, list):
            counted = [part for part in value if isinstance(part, dict) and any(part.get(u) for u in _USAGE)]
            value = counted[-1] if counted else None
        if name in row:
            found[name] = value if isinstance(value, dict) else None
    return Row(row.value | found, row.place, row.path)


def _left_out(row: Row) -> str | None:
    """A call that a batch or a log reports as failed."""
    status = row.get("status")
    answers = [row.get(name) for name in _RESPONSES]
    if isinstance(status, str) and status and not any(answers):
        return "failed"
    return "failed" if isinstance(row.get("error"), dict) and not any(answers) else None


def _claims(data: Mapping[str, Any]) -> bool:
    payload = data.get("request_payload")
    if isinstance(payload, list) and "logging_time" in data:
        return True
    bodies = [entered(data.get(name)) for name in _REQUESTS]
    if any(isinstance(body, dict) and body.get("contents") is not None for body in (*bodies, data)):
        return True
    if "logging_time" in data and isinstance(bodies[0], dict):
        return True
    return "contents" not in data and any(name in data for name in _USAGE[:2])


GEMINI = mapped(
    "gemini",
    "Gemini requests",
    "json",
    ("text", "usage"),
    _claims,
    common(
        *_REQUESTS,
        "contents",
        body="request",
        id=(
            "request_id",
            "requestId",
            "key",
            "id",
            "responseId",
            "response.responseId",
            "response.response_id",
        ),
        time=(
            *COMMON.time,
            *("logging_time", "loggingTime", "createTime", "create_time", "response.createTime"),
            *("response.create_time", "full_response.createTime", "processed_time"),
        ),
        model=("model", "request.model", "full_request.model", "response.modelVersion", "modelVersion"),
        usage=tuple(
            f"{start}{name}"
            for start in ("full_response.", "response.", "response_payload.", "")
            for name in _USAGE
        ),
    ),
    Rules(left_out=_left_out, prepare=_prepared),
)
