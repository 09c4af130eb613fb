"""Records inside other records: in a list of them, in a log shipper's envelope, as JSON text in a field.

A path leads from what a file holds to the record: names, places in lists, and `EACH` for every element. A
text on the way is entered: it may be JSON, JSON in a JSON string, what Python prints for a dict, or a line in
which such an object stands behind a prefix (a time, a level, a pod's name). Lines that a container's runtime
cut are joined before (core/traces/packing/parts.py).

A record that has no time of its own gets that of its envelope.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from core.traces import names
from core.traces.packing.decode import decoder_for, parse_json, parse_repr

EACH = -1
TABLE = -2
"""Every row of a table whose columns stand beside the rows (Log Analytics)."""
Path = tuple[str | int, ...]

TIMES = (
    *("timestamp", "@timestamp", "time", "ts", "_time", "eventTime", "date", "datetime", "asctime"),
    *("__REALTIME_TIMESTAMP", "receiveTimestamp", "ingestionTime", "insertTime", "timeUnixNano"),
    *("start_time", "starting_at"),
    "observedTimeUnixNano",
)
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?"
    r"|\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?"
)
_PAIR = frozenset({"field", "value"})
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_RUNTIME = re.compile(r"(\d{4}-\S+) (stdout|stderr) ([PF]) (.*)", re.DOTALL)
_OPENS = re.compile(r"""\[?\{\s*["']|"\{\s*\\["']""")
_CALLED = re.compile(r"""(?:^|[\s,;(])["']?([A-Za-z_]\w{0,40})["']?\s*[=:]\s*$""")
_MOST_OBJECTS = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A record, the time of its envelope, whether it was text, and what the text calls it: request={…}."""

    record: dict[str, Any]
    time: object
    was_text: bool
    called: str = ""


@dataclass(frozen=True, slots=True)
class Unread:
    """A text in which no record was found."""

    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its runtime's prefix. `is_part`: whether the prefix says that the next one goes on with
    it, None where there is no prefix; `stream`: stdout or stderr, "" where nothing says so."""

    text: str
    time: object
    is_part: bool | None
    stream: str


def follow(
    value: object, path: Path, time: object = None, was_text: bool = False
) -> Iterator[Found | Unread]:
    """Everything at the path."""
    if isinstance(value, str):
        yield from _entered(value, path, time)
    elif not path:
        value = as_object(value)
        if isinstance(value, dict):
            yield Found(_with_time(value, time), time, was_text)
    elif path[0] == EACH:
        for item in value if isinstance(value, list) else ():
            yield from follow(item, path[1:], time, was_text)
    elif isinstance(value, list) and isinstance(as_object(value), dict):
        yield from follow(as_object(value), path, time, was_text)
    elif isinstance(value, list):
        step = path[0]
        if isinstance(step, int) and step < len(value):
            first = value[0] if step and isinstance(value[0], str | int | float) else time
            yield from follow(value[step], path[1:], first, was_text)
    elif isinstance(value, dict) and path[0] in value:
        time = time_beside(value, time)
        if path[1:2] == (TABLE,):
            for record in table_records(value, str(path[0])):
                yield from follow(record, path[2:], None, was_text)
            return
        yield from follow(value[path[0]], path[1:], time, was_text)


def _entered(text: str, path: Path, time: object) -> Iterator[Found | Unread]:
    line = plain_line(text, time)
    found = False
    for value, prefix in objects_in(line.text):
        date = _DATE.search(prefix)
        if (
            not path
            and isinstance(value, list)
            and value
            and all(isinstance(one, dict) and "role" in one for one in value)
        ):
            value = {"messages": value}  # a column of its own, beside others
        called = _CALLED.search(prefix)
        for one in follow(value, path, line.time or (date and date[0]), was_text=True):
            found = True
            yield replace(one, called=called[1]) if called and isinstance(one, Found) else one
    if not found:
        yield Unread(line.text)


def as_object(value: object) -> Any:
    """A list of `{"field": …, "value": …}`, which is a row of CloudWatch Insights, as an object."""
    if (
        isinstance(value, list)
        and value
        and all(isinstance(one, dict) and one.keys() == _PAIR for one in value)
    ):
        return {str(one["field"]): one["value"] for one in value}
    return value


def table_records(table: dict[str, Any], rows: str) -> Iterator[dict[str, Any]]:
    """The rows of a table as objects by the names of its columns; none if it is no such table."""
    columns, lists = table.get("columns"), table.get(rows)
    if not isinstance(columns, list) or not isinstance(lists, list):
        return
    names = [one.get("name", one.get("ColumnName")) if isinstance(one, dict) else one for one in columns]
    if not names or not all(isinstance(name, str) for name in names):
        return
    header = [str(name) for name in names]
    for row in lists:
        if isinstance(row, list) and len(row) == len(header):
            yield {name: _cell(cell) for name, cell in zip(header, row, strict=True)}


def _cell(cell: object) -> object:
    """A cell's JSON text as the value, as in every table."""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
        try:
            return parse_json(cell)
        except ValueError:
            return cell
    return cell


def time_beside(value: dict[str, Any], time: object) -> object:
    """The time that an envelope has, or the one so far."""
    return next((value[name] for name in TIMES if value.get(name) not in (None, "")), time)


def plain_line(text: str, time: object) -> Line:
    """A line without what a container's runtime wrote in front of it, and without colours."""
    match = _RUNTIME.match(text)
    if match is not None:
        text, time = match[4], time or match[1]
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if match is None:
        return Line(text, time, None, "")
    return Line(text, time, match[3] == "P", match[2])


def objects_in(text: str) -> Iterator[tuple[Any, str]]:
    """The JSON objects (or lists) of a text, each with what stands before it."""
    start = text.lstrip()[:1]
    if start in ("{", "[", '"'):
        try:
            value = parse_json(text)
        except ValueError:
            pass
        else:
            if isinstance(value, str):
                yield from objects_in(value)
            elif isinstance(value, dict | list):
                yield value, ""
            return
    at = 0
    for _ in range(_MOST_OBJECTS):
        match = _OPENS.search(text, at)
        if match is None:
            return
        value, end = _object_at(text, match.start())
        if end < 0:
            return  # cut short: what lies inside is not the record
        if value is not None:
            yield value, text[: match.start()]
        at = end


def _object_at(text: str, start: int) -> tuple[Any, int]:
    """The object that opens here, or a string that holds one; None and where to look on (-1: the text ends in
    the middle of it)."""
    try:
        value, end = decoder_for(text).raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and _is_cut(error):
            return None, -1
        if text.startswith("{'", start):
            try:
                return parse_repr(text[start:].strip()), len(text)
            except ValueError:
                pass
        return None, start + 1
    if isinstance(value, str):
        inner = next(objects_in(value), None)
        return (inner[0], end) if inner is not None else (None, end)
    return value, end


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Whether an object is whole as far as its text goes."""
    return error.msg.startswith("Unterminated string") or not error.doc[error.pos :].strip()


def opens_without_end(text: str) -> bool:
    """Whether the first object of a text goes on beyond it."""
    at = 0
    for _ in range(_MOST_OBJECTS):
        match = _OPENS.search(text, at)
        if match is None:
            return False
        value, end = _object_at(text, match.start())
        if value is not None or end < 0:
            return value is None
        at = end
    return False


def may_hold_object(text: str) -> bool:
    """Whether an object seems to open in it."""
    return _OPENS.search(text) is not None


def _is_time(name: str) -> bool:
    return names.plain_name(name) in names.TIMES and not names.is_late(name)


def _with_time(record: dict[str, Any], time: object) -> dict[str, Any]:
    if any(value not in (None, "") and _is_time(name) for name, value in record.items()):
        return record
    time = record.get("@timestamp") or time
    return record if time is None else record | {"timestamp": time}
