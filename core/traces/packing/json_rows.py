"""JSON records of a log, whichever way it packs them: one object a line, one array, or objects in a row.

The one record that is no object is a batch of KV events as it is sent: a list that stands for an object.
Broken records come as errors with their place, and the next ones are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from typing import Any, TypeGuard

from core.errors import TraceError
from core.traces import problems
from core.traces.packing.decode import parse_json
from core.traces.packing.scanner import Say, Scanner, Valued
from core.traces.packing.sources import Meter, TraceFile
from core.traces.packing.text import first_char, first_lines, is_long, lines
from core.traces.problems import Place
from core.traces.rows import Row

_REMAINS = re.compile(r"[\s,\x1e]*\[?[\s,\x1e]*(.*?)[\s,]*\]?[\s,]*", re.DOTALL)
"""What a line of an array has around its object, and what JSON text sequences have in front of theirs."""

_LINES = 50


def quiet(_code: str, _count: int) -> None:
    """For whoever wants no notes."""


def json_rows(
    file: TraceFile, meter: Meter | None = None, say: Say = quiet
) -> Generator[Row | TraceError, None, None]:
    """The objects of a file in order, each with the line where it begins.

    Raises:
        TraceError: the file cannot be read on (see `lines`, `chunks`).
    """
    for found in json_values(file, meter, say):
        yield found if isinstance(found, TraceError) else as_row(found[1], found[0])


def json_values(
    file: TraceFile, meter: Meter | None, say: Say, inside: tuple[str, ...] = ()
) -> Generator[Valued | TraceError, None, None]:
    """The values of a file, or those in the lists (or objects) at the names `inside`, each with its place."""
    if inside or not _is_one_a_line(file):
        return Scanner(file, meter, say).values(inside)
    return _by_line(file, meter)


def _is_one_a_line(file: TraceFile) -> bool:
    """Whether each line is to be a record, whatever the broken ones among them look like."""
    if first_char(file) == "[" and is_long(file):
        return False
    return _begins_with_a_number(file) or num_whole_lines(file) > 0


def num_whole_lines(file: TraceFile) -> int:
    """How many of the first lines are objects by themselves. Of a printed-out object no line is, but for
    indented ones."""
    first = [one for _, one in first_lines(file, _LINES) if isinstance(one, TraceError) or not _is_blank(one)]
    if first and isinstance(first[0], TraceError):
        return 1
    place = Place(file.name)
    opened = [line for line in first if isinstance(line, str) and line[:1] in ("{", ",", "[", "\x1e")]
    return sum(isinstance(_parsed_line(line, place), dict) for line in opened)


def _is_blank(line: str) -> bool:
    """Whether there is nothing on a line but what may stand between elements."""
    return line.strip(" \t\r\n,\x1e") in ("", "[", "]")


def _begins_with_a_number(file: TraceFile) -> bool:
    """Whether the list that the file begins with is a batch of KV events: one record of many."""
    first = next((line for _, line in first_lines(file, 1)), "")
    return isinstance(first, str) and re.match(r"\s*\[\s*[-\d]", first) is not None


def _by_line(file: TraceFile, meter: Meter | None) -> Generator[Valued | TraceError, None, None]:
    """Each line's value. Lines before the first one that are no JSON at all are a program's greetings."""
    begun = False
    for place, line in lines(file, meter):
        if isinstance(line, TraceError):
            yield line
        elif not _is_blank(line):
            value = _parsed_line(line, place)
            if isinstance(value, TraceError):
                is_text = not begun and line.lstrip()[:1] not in ("{", "[")
                yield problems.before_first(place) if is_text else value
            else:
                begun = begun or isinstance(value, dict | list)
                yield place, value


def _parsed_line(line: str, place: Place) -> Any | TraceError:
    """A line's value; where it is none, that of the line without the remains of an array around it."""
    value = parse(line, place)
    if isinstance(value, TraceError):
        match = _REMAINS.fullmatch(line)
        inner = parse(match[1], place) if match is not None and match[1] != line else value
        return value if isinstance(inner, TraceError) else inner
    return value


def as_row(value: object, place: Place) -> Row | TraceError:
    """A value as a record, or the error that says why it is none."""
    if isinstance(value, dict):
        return Row(value, place)
    if is_kv_batch(value):
        return Row(kv_batch_fields(value), place)
    return place.wrong("the record", "a JSON object", value)


def is_kv_batch(value: object) -> TypeGuard[list[Any]]:
    """Whether a value looks like `[timestamp, [event, …], data_parallel_rank]`."""
    if not isinstance(value, list) or not 2 <= len(value) <= 3:
        return False
    return type(value[0]) in (int, float) and isinstance(value[1], list)


def kv_batch_fields(batch: list[Any]) -> dict[str, Any]:
    """Such a list with vLLM's names."""
    return dict(zip(("ts", "events", "data_parallel_rank"), batch, strict=False))


def parse(text: str, place: Place) -> Any | TraceError:
    """A JSON value, or the error that says why it is none."""
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        only_line = "\n" not in error.doc  # then the place has its number
        return problems.not_json(place, f"{error.msg}: column {error.colno}" if only_line else str(error))
    except ValueError as error:
        return problems.not_json(place, str(error))


def parse_object(text: str, place: Place, field: str) -> Row:
    """A JSON object inside a field, as a row under that field's name.

    Raises:
        TraceError: the text is not JSON, or not an object.
    """
    value = parse(text, place)
    if not isinstance(value, dict):
        raise place.wrong(field, "the JSON text of an object", text)
    return Row(value, place, field)
