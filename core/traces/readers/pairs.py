"""Requests beside their responses, as proxies and home-made loggers write them: `request` or `request_body`,
`response` or `response_body`, whichever API they are for.

Source rule: the body tells its API by its fields (core/traces/prompts/bodies.py), and so does its usage. What
the answer's status says failed is left out. Pairs of one provider that need more have a format of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.field_map import entered
from core.traces.mapping.mapped import COMMON, Rules, common, mapped
from core.traces.prompts.bodies import MESSAGE_FIELDS, TEXT_FIELDS
from core.traces.rows import Row

_REQUESTS = ("request", "request_body", "requestBody", "request_json", "req", "payload", "body", "kwargs")
_RESPONSES = ("response", "response_body", "responseBody", "response_json", "resp", "result")
_STATUS = ("status_code", "statusCode", "response_status", "http_status")
_BODIES = (*MESSAGE_FIELDS, *TEXT_FIELDS, "input")
_TIMES = ("request_created_at", "created", "start_time", "startTime", "started_at", "requested_at")


def _prepared(row: Row) -> Row:
    """The record with the bodies under one name each, and a body's own `body` or `json` in its place."""
    found: dict[str, Any] = {"request": _body(row.value), "response": None}
    for name in _RESPONSES:
        value = entered(row.get(name))
        if isinstance(value, dict):
            inner = entered(value.get("body"))
            found["response"] = inner if isinstance(inner, dict) else value
            break
    return Row(row.value | found, row.place, row.path)


def _body(data: Mapping[str, Any]) -> dict[str, Any] | None:
    for name in _REQUESTS:
        value = entered(data.get(name))
        if not isinstance(value, dict):
            continue
        for body in (value, *(entered(value.get(inner)) for inner in ("body", "json", "data"))):
            if isinstance(body, dict) and any(body.get(field) for field in _BODIES):
                return body
    return None


def _has_failed(row: Row) -> str | None:
    for name in _STATUS:
        status = row.label(name)
        if status is not None and status.strip().isdecimal():
            return None if 200 <= int(status) < 300 else "failed"
    return None


PAIRS = mapped(
    "pairs",
    "Requests with their responses",
    "json",
    ("text", "tokens", "usage"),
    lambda data: _body(data) is not None,
    common(
        "request",
        body="request",
        id=(*COMMON.id, "response.id"),
        time=(*COMMON.time, *_TIMES, "response.created", "response.created_at"),
        model=("model", "request.model", "response.model"),
        usage=(*COMMON.usage, "response.usageMetadata", "response.usage_metadata"),
        output=("response.choices[0].message", "response"),
    ),
    Rules(left_out=_has_failed, prepare=_prepared),
)
