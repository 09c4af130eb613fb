"""Production logs with lengths only: Azure LLM inference traces and BurstGPT.

Source rule: Azure has `TIMESTAMP` (a date with up to seven decimals), `ContextTokens, GeneratedTokens`;
BurstGPT has `Timestamp` in seconds, `Model, Request tokens, Response tokens, …`, newer files `Session ID`.
Neither says what a prompt consists of: there is no hit rate to compute, which is not a hit rate of 0. Rows
without any prompt token (failed calls) are passed over, counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.traces.building.build import Builder
from core.traces.building.reader import Format, each_row
from core.traces.model import TraceRequest
from core.traces.rows import LARGEST, Row
from core.traces.timestamps import column_time

_WHOLE = re.compile(r"([0-9]{1,16})(?:\.0*)?", re.ASCII)


def _count(row: Row, field: str) -> int:
    match = _WHOLE.fullmatch(row.text(field).strip())
    if match is None or int(match[1]) > LARGEST:
        raise row.wrong(field, "a whole number from 0 up")
    return int(match[1])


def _add(builder: Builder, row: Row, time: str, prompt: str, output: str, **more: Any) -> None:
    num_tokens, num_output = _count(row, prompt), _count(row, output)
    arrival = column_time(row.text(time), row.place, time)
    if num_tokens == 0:
        builder.note("failed")
        return
    name = builder.next_id(row)
    builder.add(TraceRequest(name, num_tokens, arrival, num_output=num_output, line=row.place.line, **more))


def _read_azure(builder: Builder, row: Row) -> None:
    _add(builder, row, "TIMESTAMP", "ContextTokens", "GeneratedTokens")


def _read_burstgpt(builder: Builder, row: Row) -> None:
    more = {
        "model": row.label("Model"),
        "session": row.label("Session ID"),
        "tag": row.label("Log Type"),
    }
    _add(builder, row, "Timestamp", "Request tokens", "Response tokens", **more)


def _claims_azure(data: Mapping[str, Any]) -> bool:
    return "ContextTokens" in data and "GeneratedTokens" in data


def _claims_burstgpt(data: Mapping[str, Any]) -> bool:
    return "Request tokens" in data and "Response tokens" in data


AZURE = Format(
    "azure", "Azure LLM inference", "csv", frozenset({"lengths"}), _claims_azure, each_row(_read_azure)
)
BURSTGPT = Format(
    "burstgpt", "BurstGPT", "csv", frozenset({"lengths"}), _claims_burstgpt, each_row(_read_burstgpt)
)
