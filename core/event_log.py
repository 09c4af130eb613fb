"""EventLog: what one run told, with the settings it ran under; and its JSONL form.

First line: ``{"broth": "event-log", "schema": 1, "config": {…}}``. Every further line: one event,
``{"type": "BlockHit", …}``; hashes are hex text. ``docs/event-log.md`` lists every field.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

from core import events as event_module
from core.errors import BrothError, EventLogError
from core.events import BlockEvent, Event
from core.types import EngineConfig

SCHEMA_VERSION = 1


def event_types() -> dict[str, type[Event]]:
    """Every concrete event by name."""
    kinds = vars(event_module).values()
    return {
        kind.__name__: kind
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, Event) and kind not in (Event, BlockEvent)
    }


@dataclass(frozen=True, slots=True)
class EventLog:
    """The events of one run, in order. Equal logs have equal bytes."""

    config: EngineConfig
    events: tuple[Event, ...]

    def lines(self) -> Iterator[str]:
        """The JSONL lines, header first, without line ends."""
        header = {"broth": "event-log", "schema": SCHEMA_VERSION, "config": asdict(self.config)}
        yield _dumps(header)
        for event in self.events:
            yield _dumps(encode_event(event))

    def to_jsonl(self) -> str:
        """The whole file as text."""
        return "".join(line + "\n" for line in self.lines())


def _dumps(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encode_event(event: Event) -> dict[str, Any]:
    """One event as JSON values; hashes become hex text."""
    encoded: dict[str, Any] = {"type": type(event).__name__}
    for field in fields(event):
        value = getattr(event, field.name)
        encoded[field.name] = value.hex() if isinstance(value, bytes) else value
    return encoded


def load_jsonl(text: str, *, name: str = "event log") -> EventLog:
    """Read a log back.

    Raises:
        EventLogError: not JSON, another schema version, an unknown event type or field; names file,
            line and field.
    """
    return load_lines(text.splitlines(), name=name)


def load_lines(lines: Iterable[str], *, name: str = "event log") -> EventLog:
    """As ``load_jsonl``, from an iterable of lines."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    first = next(numbered, None)
    if first is None:
        raise EventLogError("log.empty", f"{name} is empty; expected a header line.", file=name)
    config = _read_header(_parse(first[1], name, first[0]), name)
    kinds = event_types()
    events = tuple(_read_event(_parse(line, name, number), kinds, name, number) for number, line in numbered)
    return EventLog(config, events)


def _parse(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        message = f"{name}, line {number} is not JSON ({error}). Export the log again."
        raise EventLogError("log.json", message, file=name, line=number) from None
    if not isinstance(value, dict):
        message = f"{name}, line {number} is not a JSON object."
        raise EventLogError("log.json", message, file=name, line=number)
    return value


def _read_header(header: dict[str, Any], name: str) -> EngineConfig:
    if header.get("broth") != "event-log":
        message = f'{name}, line 1 has no "broth": "event-log"; this is not an event log of Broth.'
        raise EventLogError("log.header", message, file=name, line=1, field="broth")
    if header.get("schema") != SCHEMA_VERSION:
        message = (
            f"{name}, line 1: schema is {header.get('schema')!r}; this version reads {SCHEMA_VERSION}. "
            "Open it with the version that wrote it, or run its scenario again."
        )
        raise EventLogError("log.schema", message, file=name, line=1, schema=str(header.get("schema")))
    try:
        return EngineConfig(**header["config"])
    except (KeyError, TypeError, BrothError) as error:
        message = f"{name}, line 1: config cannot be used ({error})."
        raise EventLogError("log.config", message, file=name, line=1, field="config") from None


def _read_event(value: dict[str, Any], kinds: dict[str, type[Event]], name: str, number: int) -> Event:
    kind = kinds.get(str(value.get("type")))
    if kind is None:
        message = f"{name}, line {number}: unknown event type {value.get('type')!r}."
        raise EventLogError("log.type", message, file=name, line=number, field="type")
    known = {field.name: str(field.type) for field in fields(kind)}
    given = {key for key in value if key != "type"}
    for key in sorted(given ^ set(known)):
        what = "unknown" if key in given else "missing"
        message = f"{name}, line {number}: {what} field {key!r} of {kind.__name__}."
        raise EventLogError("log.field", message, file=name, line=number, field=key)
    try:
        return kind(**{key: _decode(value[key], known[key]) for key in known})
    except (TypeError, ValueError) as error:
        message = f"{name}, line {number}: {kind.__name__} cannot be read ({error})."
        raise EventLogError("log.value", message, file=name, line=number) from None


def _decode(value: Any, annotation: str) -> Any:
    """JSON back to Python by the field's declared type (annotations are text, as they are postponed)."""
    if value is None:
        if "None" not in annotation:
            raise ValueError("null is not allowed here")
        return None
    if annotation.startswith("BlockHash"):
        return bytes.fromhex(value)
    if annotation.startswith("tuple"):
        return tuple(value)
    wanted: tuple[type, ...] = (str,)
    if annotation.startswith("bool"):
        wanted = (bool,)
    elif annotation.startswith("int | str"):
        wanted = (int, str)
    elif annotation.startswith(("int", "BlockId")):
        wanted = (int,)
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        raise ValueError(f"{value!r} is no {annotation}")
    return value
