"""Production logs with lengths only: Azure LLM inference traces and BurstGPT.

Source rule: Azure has `TIMESTAMP` (a date with up to seven decimals), `ContextTokens, GeneratedTokens`;
BurstGPT has `Timestamp` in seconds, `Model, Request tokens, Response tokens, …`, newer files `Session ID`.
Neither says what a prompt consists of: there is no hit rate to compute, which is not a hit rate of 0. Rows
without any prompt token (failed calls) are passed over, counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.traces.building.reader import Format
from core.traces.field_map import FieldMap
from core.traces.mapping.mapped import Rules, mapped
from core.traces.rows import Row


def _lengths(name: str, title: str, fields: FieldMap) -> Format:
    (length,), (output,), (time,) = fields.length, fields.output, fields.time

    def has_failed(row: Row) -> str | None:
        row.whole(output)
        row.text(time)
        return "failed" if row.whole(length) == 0 else None

    return mapped(name, title, "csv", ("lengths",), _claims(length, output), fields, Rules(has_failed))


def _claims(*names: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda data: all(name in data for name in names)


AZURE = _lengths(
    "azure",
    "Azure LLM inference",
    FieldMap(length=("ContextTokens",), output=("GeneratedTokens",), time=("TIMESTAMP",)),
)
BURSTGPT = _lengths(
    "burstgpt",
    "BurstGPT",
    FieldMap(
        length=("Request tokens",),
        output=("Response tokens",),
        time=("Timestamp",),
        model=("Model",),
        session=("Session ID",),
        tag=("Log Type",),
    ),
)
