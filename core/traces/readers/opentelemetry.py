"""OpenTelemetry's GenAI spans: OTLP JSON (`resourceSpans`), one span a line, or flat columns; with
OpenLLMetry's and OpenInference's attributes too.

Source rules (the semantic conventions of several versions, the two instrumentation projects). A model call is
a span whose operation is chat, text_completion or generate_content (OpenInference: kind LLM); agents, tools
and embeddings are other spans, and an agent's usage repeats that of its calls. What was sent stands in
attributes (spans.py says which) or in events or log records of their own, which name their span. Counts:
`gen_ai.usage.*`, read by core/traces/reported/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import TraceError
from core.traces.building.build import Builder
from core.traces.building.reader import Format
from core.traces.field_map import FieldMap, attribute, entered
from core.traces.mapping.mapped import read_mapped
from core.traces.problems import Place
from core.traces.prompts.spans import body_of, event_message
from core.traces.reported.reading import read_usage
from core.traces.rows import Row

_CALLS = ("chat", "text_completion", "generate_content", "completion", "llm")
_CALL_NAMES = (
    *("gen_ai.usage.", "gen_ai.prompt", "gen_ai.input.messages"),
    *("llm.input_messages", "llm.token_count.prompt"),
)
_RESOURCES = ("resourceSpans", "resource_spans")
_LOGS = ("resourceLogs", "resource_logs")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "scopeLogs", "scope_logs")
_SPANS = ("spans", "logRecords", "log_records")
_FIELDS = FieldMap(
    prompt=("body",),
    id=("id",),
    time=("start",),
    session=(
        *("attributes.gen_ai.conversation.id", "attributes.session.id", "attributes.langfuse.session.id"),
        *("attributes.traceloop.association.properties.session_id", "attributes.thread.id", "trace"),
    ),
    tenant=("attributes.user.id", "attributes.enduser.id", "attributes.tenant.id"),
    tag=("attributes.gen_ai.agent.name", "name"),
    model=(
        *("attributes.gen_ai.request.model", "attributes.gen_ai.response.model", "attributes.llm.model_name"),
    ),
    usage=("attributes",),
)


@dataclass(slots=True)
class _Span:
    """One call as it will be read, and the messages that its log records tell."""

    record: dict[str, Any]
    place: Place
    messages: list[dict[str, Any]]


class _OpenTelemetry:
    def __init__(self, builder: Builder, _head: Sequence[Row]) -> None:
        self._builder = builder
        self._spans: list[_Span] = []
        self._messages: dict[str, list[dict[str, Any]]] = {}

    def add(self, row: Row) -> None:
        found: list[_Span] = []
        logs: list[tuple[str, dict[str, Any]]] = []
        for span in _spans(row):
            attributes = _attributes(span)
            message = _log_message(span, attributes)
            if message is not None:
                logs.append((_name(span, "spanId", "span_id"), message))
            elif _is_call(attributes):
                events = [event for event in _events(span) if event is not None]
                record = _record(span, attributes)
                record["body"] = body_of(attributes, events)
                read_usage(Row(attributes, row.place, "attributes"))  # a wrong count is this record's error
                found.append(_Span(record, row.place, []))
            else:
                self._builder.note("other_rows")
        self._spans += found
        for span_id, message in logs:
            self._messages.setdefault(span_id, []).append(message)

    def finish(self) -> None:
        """Each call with what its log records tell; records of a span that is not there are a call too."""
        for span in self._spans:
            messages = self._messages.pop(span.record["span"], [])
            if span.record["body"] is None and messages:
                span.record["body"] = {"messages": messages}
            self._read(span.record, span.place)
        for span_id, messages in self._messages.items():
            self._read({"id": span_id, "body": {"messages": messages}}, Place(""))

    def _read(self, record: dict[str, Any], place: Place) -> None:
        try:
            if not self._builder.wants(Row(_said(record), place)):
                return
            read_mapped(self._builder, Row(record, place), _FIELDS)
        except TraceError as error:
            self._builder.skip(error)


def _said(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a span says of itself; one that ended in an error with usage did reach the model."""
    attributes = record.get("attributes") or {}
    has_usage = any(name.startswith(("gen_ai.usage.", "llm.token_count.")) for name in attributes)
    is_bad = str(record.get("status")).rpartition("_")[2].upper() in ("2", "ERROR") and not has_usage
    named = {
        name: value for name, value in attributes.items() if name.startswith(("gen_ai.", "http.", "url."))
    }
    return named | {"id": record["id"], "status": "error" if is_bad else None}


def _spans(row: Row) -> Iterator[dict[str, Any]]:
    """The spans (or log records) of a record: its own one, or all that its resources hold."""
    holders = [row.get(name) for name in (*_RESOURCES, *_LOGS) if isinstance(row.get(name), list)]
    if not holders:
        yield row.value
    for resource in (item for holder in holders for item in holder if isinstance(item, dict)):
        for scope in _lists(resource, _SCOPES):
            yield from _lists(scope, _SPANS)


def _lists(holder: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for name in names:
        value = holder.get(name)
        yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    """A span's attributes by name: an object, pairs of key and value, or the record's own columns."""
    for name in ("attributes", "span_attributes", "SpanAttributes", "LogAttributes"):
        value = entered(span.get(name))
        if isinstance(value, dict):
            return value
    return {name.removeprefix("attributes."): value for name, value in span.items()}


def _record(span: Mapping[str, Any], attributes: dict[str, Any]) -> dict[str, Any]:
    context = span.get("context")
    outer = {**span, **context} if isinstance(context, dict) else span
    outer = {name.removeprefix("context."): value for name, value in outer.items()}
    status = span.get("status")
    own = _name(outer, "spanId", "span_id", "SpanId")
    return {
        "attributes": attributes,
        "id": own or None,
        "span": own,
        "trace": _name(outer, "traceId", "trace_id", "TraceId") or None,
        "name": span.get("name") or span.get("SpanName"),
        "start": _first(
            outer, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time", "Timestamp"
        ),
        "status": status.get("code") if isinstance(status, dict) else None,
    }


def _first(span: Mapping[str, Any], *names: str) -> Any:
    return next((span[name] for name in (*names, "timestamp", "time") if span.get(name) is not None), None)


def _name(span: Mapping[str, Any], *names: str) -> str:
    value = next((span[name] for name in names if span.get(name)), "")
    return value if isinstance(value, str) else str(value)


def _events(span: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]] | None]:
    events = entered(span.get("events"))
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict):
            attributes = entered(event.get("attributes"))
            name = event.get("name") or event.get("event_name")
            yield (str(name), attributes if isinstance(attributes, dict) else {})


def _log_message(span: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """A log record that is one message of a call."""
    name = span.get("eventName") or span.get("event_name") or attributes.get("event.name")
    body = entered(attribute(span.get("body")))
    if not isinstance(name, str) or not isinstance(body, dict):
        return None
    return event_message(name, body)


def _is_call(attributes: Mapping[str, Any]) -> bool:
    operation = attributes.get("gen_ai.operation.name") or attributes.get("llm.request.type")
    kind = attributes.get("openinference.span.kind") or attributes.get("traceloop.span.kind")
    if isinstance(kind, str) and kind.lower() not in _CALLS:
        return False
    if isinstance(operation, str):
        return operation in _CALLS
    return any(name.startswith(_CALL_NAMES) for name in attributes)


def _claims(data: Mapping[str, Any]) -> bool:
    if any(isinstance(data.get(name), list) for name in _RESOURCES):
        return True
    if any(isinstance(data.get(name), list) for name in _LOGS):  # any program's log may be shipped like that
        return any(_is_claimed(record) for record in _spans(Row(dict(data), Place(""))))
    return _is_claimed(data)


def _is_claimed(data: Mapping[str, Any]) -> bool:
    attributes = _attributes(data)
    names = ("gen_ai.", "llm.token_count.", "llm.input_messages.", "llm.request.type")
    return any(name.startswith(names) for name in attributes) or _log_message(data, attributes) is not None


OPENTELEMETRY = Format(
    "opentelemetry",
    "OpenTelemetry GenAI",
    "json",
    frozenset({"text", "usage"}),
    _claims,
    _OpenTelemetry,
)
