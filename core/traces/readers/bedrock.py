"""Amazon Bedrock's model invocation log: `schemaType` "ModelInvocationLog", one call a record.

Source rules (its user guide, and readers of such logs in public repositories). `input.inputBodyJson` is the
body of Converse or of the model's own API; bodies beyond 100 kB stand in S3 and the record names their place
(`inputBodyS3Path`): they are counted and named, not read. Counts stand beside the bodies (`inputTokenCount`,
`cacheReadInputTokenCount`, `outputTokenCount`) and, in more detail, in the answer's `usage`; a streamed
answer is a list of events, of which `message_start` and `metadata` hold it. A record with `errorCode` was
refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.field_map import FieldMap, entered
from core.traces.mapping.mapped import read_mapped
from core.traces.rows import Row

_FIELDS = FieldMap(
    prompt=("input.inputBodyJson",),
    id=("requestId",),
    time=("timestamp",),
    session=("requestMetadata.sessionId", "requestMetadata.session_id", "requestMetadata.conversation_id"),
    tenant=("requestMetadata.tenant", "requestMetadata.userId", "identity.arn"),
    tag=("operation",),
    model=("modelId",),
    usage=("usage",),
)


def _read(builder: Builder, row: Row) -> None:
    if row.get("errorCode") not in (None, ""):
        builder.note("failed")
        return
    if not builder.wants(row):
        return
    given = row.object_or_none("input") or Row({}, row.place)
    body = entered(given.get("inputBodyJson"))
    place = given.get("inputBodyS3Path")
    if not isinstance(body, dict) and isinstance(place, str):
        builder.note("elsewhere", place=place)
    found = {"input": given.value | {"inputBodyJson": body if isinstance(body, dict) else None}}
    found["usage"] = _usage(row, given)
    read_mapped(builder, Row(row.value | found, row.place), _FIELDS)


def _usage(row: Row, given: Row) -> dict[str, Any]:
    """The answer's own usage, completed by what the record counts."""
    output = row.object_or_none("output") or Row({}, row.place)
    found: dict[str, Any] = {}
    for usage in _reported(entered(output.get("outputBodyJson"))):
        found |= usage
    if found:
        return found
    counts = {name: value for name, value in given.value.items() if name.endswith("Count")}
    return counts | {"outputTokenCount": output.get("outputTokenCount")} if counts else {}


def _reported(body: object) -> Iterator[dict[str, Any]]:
    """Every usage in an answer: one, or that of each event of a stream, the later ones with the last word."""
    for event in body if isinstance(body, list) else [body]:
        if not isinstance(event, dict):
            continue
        holders = [event, event.get("message"), event.get("metadata")]
        for holder in holders:
            usage = holder.get("usage") if isinstance(holder, dict) else None
            if isinstance(usage, dict):
                yield {name: value for name, value in usage.items() if value is not None}


def _claims(data: Mapping[str, Any]) -> bool:
    if data.get("schemaType") == "ModelInvocationLog":
        return True
    return "modelId" in data and isinstance(data.get("input"), dict) and "inputContentType" in data["input"]


BEDROCK = Format(
    "bedrock", "Bedrock invocation log", "json", frozenset({"text", "usage"}), _claims, each_row(_read)
)
