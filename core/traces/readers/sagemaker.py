"""SageMaker Data Capture: `captureData{endpointInput, endpointOutput}, eventMetadata`.

Source rule: `data` is a JSON text, or base64 of one where `encoding` says so; `inferenceTime` is an ISO date.
The input is an OpenAI-style body, or `inputs` with a plain text (Hugging Face containers).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.mapping.fields import num_tokens
from core.traces.model import TraceRequest
from core.traces.packing.json_rows import parse_object
from core.traces.prompts.bodies import body_prompts
from core.traces.reported.reading import read_usage
from core.traces.rows import Row
from core.traces.timestamps import time_or_none
from core.traces.usage import Usage


def _read(builder: Builder, row: Row) -> None:
    capture = row.object("captureData")
    body = _data(capture.object("endpointInput"))
    if isinstance(body.get("inputs"), str):
        body = Row({"prompt": body.get("inputs")}, body.place, body.path)
    prompts = body_prompts(builder.chat, body)
    usage = _usage(capture.object_or_none("endpointOutput")) if len(prompts) == 1 else None
    event = row.object_or_none("eventMetadata") or Row({}, row.place)
    arrival = time_or_none(event, "inferenceTime")
    for segments in prompts:
        builder.add(
            TraceRequest(
                request_id=builder.next_id(event, "eventId"),
                num_tokens=num_tokens(segments),
                arrival_s=arrival,
                segments=segments,
                num_output=None if usage is None else usage.output_tokens,
                model=body.label("model"),
                usage=usage,
                line=row.place.line,
            )
        )


def _data(part: Row) -> Row:
    text = part.text("data")
    if (part.label("encoding") or "JSON").upper() == "BASE64":
        try:
            text = base64.b64decode(text, validate=True).decode("utf-8")
        except (binascii.Error, ValueError):
            raise part.wrong("data", "base64 of a UTF-8 text") from None
    return parse_object(text, part.place, part.name("data"))


def _usage(output: Row | None) -> Usage | None:
    if output is None or not isinstance(output.get("data"), str):
        return None
    if not output.text("data").lstrip().startswith("{") and output.label("encoding") != "BASE64":
        return None  # a stream or a table: nothing to read off
    return read_usage(_data(output).object_or_none("usage"))


def _claims(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("captureData"), dict)


SAGEMAKER = Format(
    "sagemaker", "SageMaker data capture", "json", frozenset({"text"}), _claims, each_row(_read)
)
