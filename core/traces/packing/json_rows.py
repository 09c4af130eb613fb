"""JSON records of a log, whichever way it packs them: one object a line, one array, or objects in a row.

The one record that is no object is a batch of KV events as it is sent: a list that stands for an object.

An array is read element by element, so a ShareGPT file of one huge array needs no more memory than its
longest conversation. Broken records come as errors with their place; only lines can be skipped, because
after a broken element nobody knows where the next one begins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import closing
from typing import Any, TypeGuard

from core.errors import TraceError
from core.fields import DECODER, parse_json
from core.traces import problems
from core.traces.packing.sources import LONGEST_LINE, Meter, TraceFile, chunks, first_char, lines
from core.traces.problems import Place
from core.traces.rows import Row

_BLANK = " \t\r\n"
_FIRST_TRY = 2**16
_EDGE = 16


def json_rows(file: TraceFile, meter: Meter | None = None) -> Generator[Row | TraceError, None, None]:
    """The objects of a file in order, each with the line where it begins.

    Raises:
        TraceError: the file cannot be read on (see `lines`, `chunks`); a broken element of an array.
    """
    if _is_one_a_line(file):
        yield from _by_line(file, meter)
    else:
        yield from _Scanner(file, meter).rows()


def _is_one_a_line(file: TraceFile) -> bool:
    """Whether each line is to be a record. The second line of a printed-out object is indented or a key."""
    if first_char(file) == "[":
        return _begins_with_a_number(file)
    with closing(lines(file)) as every:
        full = (line for _, line in every if isinstance(line, TraceError) or line.strip())
        first, second = next(full, ""), next(full, "{")
    if isinstance(first, TraceError):
        return True
    if isinstance(parse(first, Place(file.name, 1)), dict):
        return True
    return isinstance(second, TraceError) or second.startswith("{")


def _begins_with_a_number(file: TraceFile) -> bool:
    """Whether the list that the file begins with is a batch of KV events: one record of many."""
    with closing(chunks(file)) as pieces:
        return re.match(r"\s*\[\s*[-\d]", next(pieces, "")) is not None


def _by_line(file: TraceFile, meter: Meter | None) -> Generator[Row | TraceError, None, None]:
    for place, line in lines(file, meter):
        if isinstance(line, TraceError):
            yield line
        elif line.strip(_BLANK):
            value = parse(line, place)
            yield value if isinstance(value, TraceError) else _row(value, place)


def _row(value: object, place: Place) -> Row | TraceError:
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


class _Scanner:
    """Reads values out of a text that arrives in pieces: the elements of an array, or objects in a row."""

    def __init__(self, file: TraceFile, meter: Meter | None) -> None:
        self._file = file
        self._pieces = chunks(file, meter)
        self._text = ""
        self._at = 0
        self._line = 1
        self._over = False

    def rows(self) -> Generator[Row | TraceError, None, None]:
        in_array = self._skip("[")
        while self._peek() not in ("", "]"):
            place = Place(self._file.name, self._line)
            yield _row(self._value(place), place)
            if in_array and not self._skip(",") and self._peek() != "]":
                raise problems.not_json(Place(self._file.name, self._line), "a comma or ] was expected")
        if in_array and not self._skip("]"):
            raise problems.not_json(Place(self._file.name, self._line), "the array has no end")
        if self._peek():
            raise problems.not_json(Place(self._file.name, self._line), "there is something after the end")

    def _peek(self) -> str:
        """The next character that is not blank; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANK:
                self._line += self._text[self._at] == "\n"
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more(1):
                return ""

    def _skip(self, char: str) -> bool:
        found = self._peek() == char
        self._at += found
        return found

    def _more(self, least: int) -> bool:
        """Read on until at least `least` more characters are there; False if there are none."""
        parts = [self._text[self._at :]]
        self._at = 0
        num_new = 0
        while num_new < least and not self._over:
            piece = next(self._pieces, None)
            if piece is None:
                self._over = True
            else:
                parts.append(piece)
                num_new += len(piece)
        self._text = "".join(parts)
        return num_new > 0

    def _value(self, place: Place) -> object:
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise problems.not_json(place, "nested too deeply") from None
            except ValueError as error:
                held = len(self._text) - self._at
                if not self._may_go_on(error):
                    raise self._broken(error) from None
                if held > LONGEST_LINE:
                    raise problems.too_long(place, LONGEST_LINE) from None
                if not self._more(max(_FIRST_TRY, held)):
                    raise problems.not_json(place, "it ends in the middle of a value") from None
            else:
                self._line += self._text.count("\n", self._at, end)
                self._at = end
                return value

    def _may_go_on(self, error: ValueError) -> bool:
        """Whether more text could mend it: the parser stumbled over the end, or inside an open string."""
        if not isinstance(error, json.JSONDecodeError):
            return False
        return error.msg.startswith("Unterminated string") or error.pos + _EDGE >= len(self._text)

    def _broken(self, error: ValueError) -> TraceError:
        """The parser's reason with the file's line instead of one counted from the last piece read."""
        if not isinstance(error, json.JSONDecodeError):
            return problems.not_json(Place(self._file.name, self._line), str(error))
        line = self._line + self._text.count("\n", self._at, error.pos)
        return problems.not_json(Place(self._file.name, line), error.msg)


def parse_object(text: str, place: Place, field: str) -> Row:
    """A JSON object inside a field, as a row under that field's name.

    Raises:
        TraceError: the text is not JSON, or not an object.
    """
    value = parse(text, place)
    if not isinstance(value, dict):
        raise place.wrong(field, "the JSON text of an object", text)
    return Row(value, place, field)
