"""EventLog: what one run told, with the settings it ran under; and its JSONL form.

First line: ``{"broth": "event-log", "schema": 2, "config": {…}}``. Every further line: one event,
``{"type": "BlockHit", …}``; hashes are hex text. ``docs/event-log.md`` lists every field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from core.engine import events as event_module
from core.engine.events import BlockEvent, Event
from core.errors import BrothError, EventLogError
from core.fields import Place, parse_json
from core.types import MAX_LESSON_SLOTS, EngineConfig

SCHEMA_VERSION = 2
_OLD_SCHEMA = 1
_SINCE_2 = {("RequestArrived", "mm")}
"""Fields that a log of schema 1 lacks; such an event has the field's default."""
_HASH = re.compile("[0-9a-f]{32}")


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
    """The events of one run, in order. Equal logs have equal bytes. A log that was read knows its file's name
    and the line of each event."""

    config: EngineConfig
    events: tuple[Event, ...]
    name: str = field(default="event log", compare=False)
    lines_read: Sequence[int] = field(default=(), compare=False, repr=False)

    def place(self, number: int) -> LogPlace:
        """Where the event with this number stands."""
        return LogPlace(self.name, self.lines_read[number] if number < len(self.lines_read) else number + 2)

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
    # Pure ASCII: half a surrogate pair has no UTF-8, and readers cut lines at more characters than \n.
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def encode_event(event: Event) -> dict[str, Any]:
    """One event as JSON values; hashes become hex text."""
    encoded: dict[str, Any] = {"type": type(event).__name__}
    for one in fields(event):
        value = getattr(event, one.name)
        encoded[one.name] = value.hex() if isinstance(value, bytes) else value
    return encoded


def load_jsonl(text: str, *, name: str = "event log") -> EventLog:
    """Read a log back.

    Raises:
        EventLogError: not JSON, another schema version, an unknown event type or field, a value of
            another type; names file, line and field.
    """
    return load_lines(text.split("\n"), name=name)


def load_lines(lines: Iterable[str], *, name: str = "event log") -> EventLog:
    """As ``load_jsonl``, from an iterable of lines."""
    numbered = ((LogPlace(name, number), line) for number, line in enumerate(lines, 1) if line.strip())
    place, first = next(numbered, (LogPlace(name), ""))
    if not first:
        raise place.error("log.empty", f"{name} is empty; expected a header line.")
    header = _parse(first, place)
    config = _read_header(header, place)
    reader = _EventReader(header["schema"])
    events, read = [], []
    for place, line in numbered:
        events.append(reader.read(_parse(line, place), place))
        read.append(place.line)
    return EventLog(config, tuple(events), name, read)


class LogPlace(Place[EventLogError]):
    """Where in an event log."""

    __slots__ = ()
    raises = EventLogError
    prefix = "log"


def _parse(line: str, place: LogPlace) -> dict[str, Any]:
    try:
        value = parse_json(line)
    except ValueError as error:
        message = f"{place} is not JSON ({error}). Export the log again."
        raise place.error("log.json", message, reason=str(error)) from None
    if not isinstance(value, dict):
        raise place.error("log.json", f"{place} is not a JSON object.", reason="it is no object")
    return value


def _read_header(header: dict[str, Any], place: LogPlace) -> EngineConfig:
    if header.get("broth") != "event-log":
        message = f'{place} has no "broth": "event-log"; this is not an event log of Broth.'
        raise place.error("log.header", message, field="broth")
    if (schema := header.get("schema")) not in (_OLD_SCHEMA, SCHEMA_VERSION):
        message = (
            f"{place}: schema is {schema!r}; this version reads {_OLD_SCHEMA} and {SCHEMA_VERSION}. "
            "Open it with the version that wrote it, or run its scenario again."
        )
        versions = f"{_OLD_SCHEMA}, {SCHEMA_VERSION}"
        raise place.error("log.schema", message, schema=str(schema), expected=versions)
    try:
        config = EngineConfig(**header["config"])
    except (KeyError, TypeError, BrothError) as error:
        raise _bad_config(place, str(error)) from None
    if config.num_usable > MAX_LESSON_SLOTS:
        raise _bad_config(place, f"{config.num_usable} slots, at most {MAX_LESSON_SLOTS}")
    return config


def _bad_config(place: LogPlace, why: str) -> EventLogError:
    message = f"{place}: config cannot be used ({why}). Export the log again."
    return place.error("log.config", message, field="config", reason=why)


class _EventReader:
    """Turns JSON objects into events, each value checked against its field's declared type."""

    def __init__(self, schema: int) -> None:
        lacking = _SINCE_2 if schema == _OLD_SCHEMA else set()
        self._kinds = {
            name: (kind, {one: hint for one, hint in _hints(kind).items() if (name, one) not in lacking})
            for name, kind in event_types().items()
        }

    def read(self, value: dict[str, Any], place: LogPlace) -> Event:
        """The event on one line."""
        kind, types = self._kinds.get(str(value.get("type")), (None, {}))
        if kind is None:
            raise _error(place, "log.type", "type", f"unknown event type {value.get('type')!r}")
        given = set(value) - {"type"}
        for key in sorted(given ^ set(types)):
            what = f"unknown field {key!r} of {kind.__name__}"
            if key not in given:
                what = f"missing field {key!r} of {kind.__name__}"
            raise _error(place, "log.field", key, what)
        decoded = {}
        for key, wanted in types.items():
            try:
                decoded[key] = _decode(value[key], wanted)
            except ValueError as error:
                raise _error(place, "log.value", key, f"{key} of {kind.__name__} {error}") from None
        return kind(**decoded)


def _error(place: LogPlace, code: str, name: str, what: str) -> EventLogError:
    return place.error(code, f"{place}: {what}. Export the log again.", field=name, reason=what)


def _hints(kind: type[Event]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind)}


def _decode(value: Any, wanted: Any) -> Any:
    """JSON back to Python. Raises ValueError (the end of a sentence) if the value is not of that type."""
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is UnionType:
        return None if value is None else _decode_first(value, arguments)
    if origin is tuple and isinstance(value, list):
        kinds = arguments[:1] * len(value) if arguments[-1] is Ellipsis else arguments
        if len(value) == len(kinds):
            return tuple(_decode(part, kind) for part, kind in zip(value, kinds, strict=True))
    elif wanted is bytes and isinstance(value, str):
        if _HASH.fullmatch(value):
            return bytes.fromhex(value)
    elif value in arguments if origin is Literal else type(value) is wanted:
        return value
    raise ValueError(f"is {str(value)[:40]!r}; expected {_in_words(wanted)}")


def _decode_first(value: Any, kinds: tuple[Any, ...]) -> Any:
    """As the first of several types that fits."""
    *others, last = [kind for kind in kinds if kind is not NoneType]
    for kind in others:
        try:
            return _decode(value, kind)
        except ValueError:
            continue
    return _decode(value, last)


def _in_words(wanted: Any) -> str:
    if get_origin(wanted) is Literal:
        return "one of " + ", ".join(get_args(wanted))
    words = {bytes: "32 hex digits", int: "a whole number", str: "a text", bool: "true or false"}
    return words.get(wanted, "a list of fitting values")
