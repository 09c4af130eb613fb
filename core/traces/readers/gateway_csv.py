"""A gateway's dump as a table: `request_json` (required), `response_json, model_name, status_code`, a time.

Source rule (llmtrafficlens): the time stands in one of timestamp, ts, created_at, request_time, time; bodies
are JSON texts inside quoted cells. Rows whose status is not 2xx never had an answer: they are left out,
counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.fields import common, num_tokens
from core.traces.model import TraceRequest
from core.traces.packing.json_rows import parse_object
from core.traces.prompts.bodies import body_prompts
from core.traces.rows import Row


def _read(builder: Builder, row: Row) -> None:
    status = (row.label("status_code") or "").strip()
    if status and not (len(status) >= 3 and status[0] == "2"):
        builder.note("failed")
        return
    body = parse_object(row.text("request_json"), row.place, "request_json")
    prompts = body_prompts(builder.chat, body)
    answer = row.label("response_json")
    record = dict(row.value)
    if answer is not None and len(prompts) == 1:
        record["response"] = parse_object(answer, row.place, "response_json").value
    if row.label("model_name") is not None:
        record.setdefault("model", row.label("model_name"))
    for segments in prompts:
        fields = common(builder, Row(record, row.place), body)
        builder.add(TraceRequest(segments=segments, num_tokens=num_tokens(segments), **fields))


def _claims(data: Mapping[str, Any]) -> bool:
    return "request_json" in data


GATEWAY_CSV = Format(
    "gateway_csv", "Gateway table (CSV)", "csv", frozenset({"text", "usage"}), _claims, each_row(_read)
)
