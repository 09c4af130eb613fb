"""Files that Broth itself wrote and that are no log of requests: each is told where it belongs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.errors import TraceError
from core.traces.rows import Row

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


def _kind(record: Mapping[str, Any]) -> str | None:
    name = record.get("broth")
    if isinstance(name, str) and name in _KINDS:
        return name
    return next((kind for kind in _KINDS if kind in record), None)
