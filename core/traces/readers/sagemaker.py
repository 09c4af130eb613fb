"""SageMaker Data Capture: `captureData{endpointInput, endpointOutput}, eventMetadata`.

Source rule: `data` is a JSON text, or base64 of one where `encoding` says so; `inferenceTime` is an ISO date.
The input is an OpenAI-style body, or `inputs` with a plain text (Hugging Face containers).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from core.traces.field_map import FieldMap
from core.traces.mapping.mapped import Rules, mapped
from core.traces.packing.json_rows import parse_object
from core.traces.rows import Row


def _unpacked(row: Row) -> Row:
    """The record with both bodies as objects; an answer that is no JSON (a stream, a table) is left out."""
    capture = row.object("captureData")
    found = {"endpointInput": {"data": _data(capture.object("endpointInput"))}}
    output = capture.object_or_none("endpointOutput")
    text = None if output is None else output.get("data")
    if output is not None and isinstance(text, str):
        if_json = text.lstrip().startswith("{") or output.label("encoding") == "BASE64"
        found |= {"endpointOutput": {"data": _data(output)}} if if_json else {}
    return Row(row.value | {"captureData": found}, row.place, row.path)


def _data(part: Row) -> dict[str, Any]:
    text = part.text("data")
    if (part.label("encoding") or "JSON").upper() == "BASE64":
        try:
            text = base64.b64decode(text, validate=True).decode("utf-8")
        except (binascii.Error, ValueError):
            raise part.wrong("data", "base64 of a UTF-8 text") from None
    return parse_object(text, part.place, part.name("data")).value


def _claims(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("captureData"), dict)


SAGEMAKER = mapped(
    "sagemaker",
    "SageMaker data capture",
    "json",
    ("text",),
    _claims,
    FieldMap(
        prompt=("captureData.endpointInput.data",),
        id=("eventMetadata.eventId",),
        time=("eventMetadata.inferenceTime",),
        model=("captureData.endpointInput.data.model",),
        usage=("captureData.endpointOutput.data.usage",),
    ),
    Rules(prepare=_unpacked),
)
