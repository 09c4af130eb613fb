"""Helicone's exports: `request_body`, `response_body`, `request_created_at` and its own counts.

Source rules (its API's reference, its export tool). Bodies are objects, in tables JSON texts; without
`--include-body` they stand behind `signed_body_url` only. A call answered by Helicone's own response cache
names the call that it repeats (`cache_reference_id`, all zeros for none). `request_properties` hold what the
caller sent along, such as "Helicone-Session-Id".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.field_map import FieldMap, entered
from core.traces.mapping.mapped import read_mapped
from core.traces.rows import Row

_BODIES = ("messages", "prompt", "input", "contents")
_FIELDS = FieldMap(
    prompt=("request_body",),
    id=("request_id",),
    time=("request_created_at",),
    session=(
        "request_properties.Helicone-Session-Id",
        "properties.Helicone-Session-Id",
        "request_properties.session_id",
        "properties.session_id",
    ),
    tenant=("request_user_id", "user_id", "request_body.user"),
    tag=("request_path", "target_url"),
    template=("request_properties.Helicone-Prompt-Id", "prompt_id"),
    model=("request_model", "model", "response_model", "request_body.model"),
    usage=("response_body.usage", "response_body.usageMetadata", "."),
)


def _read(builder: Builder, row: Row) -> None:
    code = _left_out(row)
    if code is not None:
        builder.note(code)
        return
    bodies = {name: entered(row.get(name)) for name in ("request_body", "response_body")}
    if not builder.wants(Row(row.value | bodies, row.place)):
        return
    request = bodies["request_body"]
    if not isinstance(request, dict) or not any(request.get(name) for name in _BODIES):
        bodies["request_body"] = None
        place = row.get("signed_body_url")
        if isinstance(place, str) and place:
            builder.note("elsewhere", place=place)
    read_mapped(builder, Row(row.value | bodies, row.place), _FIELDS)


def _left_out(row: Row) -> str | None:
    reference = row.label("cache_reference_id") or ""
    return "response_cache" if reference.strip("0-") else None


def _claims(data: Mapping[str, Any]) -> bool:
    return "request_created_at" in data and any(
        name in data for name in ("request_body", "signed_body_url", "prompt_cache_read_tokens")
    )


HELICONE = Format("helicone", "Helicone", "json", frozenset({"text", "usage"}), _claims, each_row(_read))
HELICONE_CSV = replace(HELICONE, name="helicone_csv", title="Helicone table (CSV)", packing="csv")
