"""Where records could lie inside others, read off the first ones: lists, and the fields of log shippers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from core.traces.packing.inner import (
    EACH,
    TABLE,
    TIMES,
    Path,
    as_object,
    may_hold_object,
    objects_in,
    table_records,
)

SHIPPED = frozenset(
    {
        *("log", "message", "@message", "msg", "MESSAGE", "line", "_raw", "_source", "result", "event"),
        *("jsonPayload", "textPayload", "protoPayload", "log_processed", "logEvent", "messageObject"),
        *("body", "content", "record", "data", "payload", "entry", "fields", "raw", "text", "value"),
        *("properties", "attributes", "stringValue"),
    }
)
"""Names under which Docker, CloudWatch, Google Cloud, journald, Loki, Splunk, Elasticsearch, Fluent Bit,
Datadog and OpenTelemetry put what an application wrote."""
_BESIDE = frozenset(
    {
        *("labels", "stream", "kubernetes", "resource", "attributes", "metadata", "tags", "host", "agent"),
        *("container", "docker", "ecs", "sort", "highlight", "httpRequest", "sourceLocation", "operation"),
    }
)
_LONGEST_BESIDE = 200
_DEEPEST = 8
_MOST_NODES = 2000


def paths_into(values: Iterable[object], most: int) -> list[Path]:
    """Where records could be inside such values, the nearest first."""
    found: dict[Path, None] = {}
    queue: list[tuple[object, Path]] = [(value, ()) for value in values]
    for value, path in queue:
        if len(queue) > _MOST_NODES or len(found) >= most:
            break
        for name, item in _steps(value):
            here = (*path, *name)
            is_named = name[-1] in SHIPPED and isinstance(item, dict | str)
            if is_named or name[-1] in (EACH, TABLE, 1):
                found[here] = None
            if len(here) < _DEEPEST:
                queue.append((item, here))
    return list(found)[:most]


def _steps(value: object) -> Iterator[tuple[Path, object]]:
    """One step further in: fields that hold objects or texts with one, the first element of lists."""
    if isinstance(value, str):
        value = next((item for item, _ in objects_in(value)), None)
    value = as_object(value)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield (EACH,), value[0]
    if not isinstance(value, dict):
        return
    for name, item in value.items():
        if name in SHIPPED and not _is_envelope(value, name):
            continue
        if isinstance(item, dict) or (isinstance(item, str) and may_hold_object(item)):
            yield (name,), item
        elif isinstance(item, list) and item:
            if isinstance(item[0], dict):
                yield (name, EACH), item[0]
            elif (record := next(table_records(value, name), None)) is not None:
                yield (name, TABLE), record
            elif isinstance(as_object(item[0]), dict):
                yield (name, EACH), as_object(item[0])
            elif isinstance(item[0], list) and len(item[0]) > 1 and isinstance(item[0][1], str):
                yield (name, EACH, 1), item[0][1]


def _is_envelope(value: dict[str, Any], inner: str) -> bool:
    """Whether everything beside a record is a shipper's own: short texts, numbers, labels. Where more stands
    there the record is not all of the request, and a person has to say what is what."""
    return all(
        name == inner
        or name in _BESIDE
        or name in TIMES
        or (len(item) <= _LONGEST_BESIDE if isinstance(item, str) else not isinstance(item, dict | list))
        for name, item in value.items()
    )
