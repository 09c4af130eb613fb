"""Files that are no log: what Broth itself wrote is told where it belongs, an API's error is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.errors import TraceError
from core.traces import problems
from core.traces.rows import Row

_MOST_BESIDE = 6
"""Fields of an answer that is nothing but an error, or an empty list."""
_KINDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "event-log": (
            "trace.own_event_log",
            "{file} is an event log of Broth: an engine's run, not a log of requests. Turn it into KV events "
            "(python -m core.timeline.kv_events {file} --out events.jsonl) and load those.",
        ),
        "traffic-report": (
            "trace.own_report",
            "{file} is a report that Broth made of a log, not the log. Load the log itself.",
        ),
        "broth_prompts": (
            "trace.own_prompts",
            "{file} holds prompts that were kept on the page Step through, not a log. Load it there.",
        ),
        "broth_sequence": (
            "trace.own_sequence",
            "{file} holds a sequence of stops from the page For the teacher, not a log. Load it there.",
        ),
    }
)


def refuse_own_file(file: str, rows: Sequence[Row]) -> None:
    """Look at the first record.

    Raises:
        TraceError: the file is one of ours; says which, and where it belongs.
    """
    if rows and (kind := _kind(rows[0].value)) is not None:
        code, message = _KINDS[kind]
        raise TraceError(code, message.format(file=file), file=file)


def refuse_nothing(file: str, rows: Sequence[Row]) -> None:
    """Look at JSON that no format claims.

    Raises:
        TraceError: there is no record in it, or it is the answer of an API that refused.
    """
    if not rows:
        raise problems.empty(file, "it is JSON without any record")
    first = rows[0].value
    error = first.get("error")
    if len(rows) == 1 and isinstance(error, dict | str) and error and len(first) <= _MOST_BESIDE:
        said = error.get("message", error.get("type", "")) if isinstance(error, dict) else error
        raise problems.api_error(file, said)
    if len(rows) == 1 and any(value == [] for value in first.values()) and len(first) <= _MOST_BESIDE:
        raise problems.empty(file, "its list is empty")


def _kind(record: Mapping[str, Any]) -> str | None:
    name = record.get("broth")
    if isinstance(name, str) and name in _KINDS:
        return name
    return next((kind for kind in _KINDS if kind in record), None)
