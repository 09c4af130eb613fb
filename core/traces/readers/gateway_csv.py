"""A gateway's dump as a table: `request_json` (required), `response_json, model_name, status_code`, a time.

Source rule (llmtrafficlens): the time stands in one of timestamp, ts, created_at, request_time, time; bodies
are JSON texts inside quoted cells. Rows whose status is not 2xx never had an answer: they are left out,
counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.mapping.mapped import Rules, common, json_texts, mapped
from core.traces.rows import Row


def _has_failed(row: Row) -> str | None:
    status = (row.label("status_code") or "").strip()
    return "failed" if status and not (len(status) >= 3 and status[0] == "2") else None


def _claims(data: Mapping[str, Any]) -> bool:
    return "request_json" in data


GATEWAY_CSV = mapped(
    "gateway_csv",
    "Gateway table (CSV)",
    "csv",
    ("text", "usage"),
    _claims,
    common(
        "request_json",
        body="request_json",
        model=("model", "model_name", "request_json.model"),
        usage=("response_json.usage", "response_json.usageMetadata"),
    ),
    Rules(left_out=_has_failed, prepare=json_texts("request_json", "response_json")),
)
