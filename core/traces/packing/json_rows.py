"""JSON records of a log, whichever way it packs them: one object a line, one array, or objects in a row.

The one record that is no object is a batch of KV events as it is sent: a list that stands for an object.
Broken records come as errors with their place, and the next ones are read.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from typing import Any, TypeGuard

from core.errors import TraceError
from core.traces import problems
from core.traces.packing.decode import parse_json
from core.traces.packing.scanner import Say, Scanner, Valued
from core.traces.packing.sources import Meter, TraceFile
from core.traces.packing.text import chunks, first_char, lines
from core.traces.problems import Place
from core.traces.rows import Row

_REMAINS = " \t\r\n,[]\x1e"
"""What a line of an array has around its object, and what JSON text sequences have in front of theirs."""


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
    """Whether each line is to be a record. The second line of a printed-out object is indented or a key."""
    if first_char(file) == "[":
        return _begins_with_a_number(file)
    with closing(lines(file)) as every:
        full = (line for _, line in every if isinstance(line, TraceError) or line.strip(_REMAINS))
        first, second = next(full, ""), next(full, "{")
    if isinstance(first, TraceError):
        return True
    if isinstance(_parsed_line(first, Place(file.name, 1)), dict | list):
        return True
    return isinstance(second, TraceError) or second.lstrip(",").startswith("{")


def _begins_with_a_number(file: TraceFile) -> bool:
    """Whether the list that the file begins with is a batch of KV events: one record of many."""
    with closing(chunks(file)) as pieces:
        try:
            return re.match(r"\s*\[\s*[-\d]", next(pieces, "")) is not None
        except TraceError:
            return False


def _by_line(file: TraceFile, meter: Meter | None) -> Generator[Valued | TraceError, None, None]:
    for place, line in lines(file, meter):
        if isinstance(line, TraceError):
            yield line
        elif line.strip(_REMAINS):
            value = _parsed_line(line, place)
            yield value if isinstance(value, TraceError) else (place, value)


def _parsed_line(line: str, place: Place) -> Any | TraceError:
    """A line's value; where it is none, that of the line without the remains of an array around it."""
    value = parse(line, place)
    if isinstance(value, TraceError):
        inner = parse(line.strip(_REMAINS), place)
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
