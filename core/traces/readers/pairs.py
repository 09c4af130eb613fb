"""Requests beside their responses, as proxies and home-made loggers write them: `request` or `request_body`,
`response` or `response_body`, whichever API they are for.

Source rule: the body tells its API by its fields (core/traces/prompts/bodies.py), and so does its usage. What
a wrapper says around a body (its status, its address) stays beside it. A streamed answer may be a list of its
parts. Pairs of one provider that need more have a format of their own.
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
_AROUND = ("status", "status_code", "statusCode", "url", "path", "endpoint")
_BODIES = (*MESSAGE_FIELDS, *TEXT_FIELDS, "input")
_TIMES = ("request_created_at", "created", "start_time", "startTime", "started_at", "requested_at")


def _prepared(row: Row) -> Row:
    """The record with the bodies under one name each, and a body's own `body` or `json` in its place."""
    found: dict[str, Any] = {"request": _body(row.value), "response": None}
    for name in _RESPONSES:
        value = _last(entered(row.get(name)))
        if isinstance(value, dict):
            inner = _last(entered(value.get("body")))
            found["response"] = inner if isinstance(inner, dict) else value
            found |= _around(value, "response")
            break
    for name in _REQUESTS:
        sent = entered(row.get(name))
        found |= _around(sent, "request")
        if found["request"] is None and isinstance(sent, dict):
            found["request_body"] = sent  # no prompt: what else it is has to be seen
    return Row(row.value | found, row.place, row.path)


def _around(wrapper: object, of: str) -> dict[str, Any]:
    """What a wrapper says beside its body, under names that say whose it is."""
    if not isinstance(wrapper, dict):
        return {}
    return {f"{of}_{name}": wrapper[name] for name in _AROUND if isinstance(wrapper.get(name), str | int)}


def _last(value: object) -> object:
    """Of a streamed answer the last part that counts."""
    if not isinstance(value, list):
        return value
    parts = [part for part in value if isinstance(part, dict)]
    counted = [part for part in parts if any(part.get(name) for name in ("usage", "usageMetadata"))]
    return next(reversed(counted or parts), None)


def _body(data: Mapping[str, Any]) -> dict[str, Any] | None:
    for name in _REQUESTS:
        value = entered(data.get(name))
        if not isinstance(value, dict):
            continue
        for body in (value, *(entered(value.get(inner)) for inner in ("body", "json", "data"))):
            if isinstance(body, dict) and any(body.get(field) for field in _BODIES):
                return body
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
    Rules(prepare=_prepared),
)
