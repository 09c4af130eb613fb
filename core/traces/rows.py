"""One record of a log with typed access: every wrong or missing field becomes an error that names it."""

from __future__ import annotations

import math
from array import array

from core.errors import TraceError
from core.fields import Fields
from core.traces.problems import Place
from core.types import MAX_TOKEN_ID

LARGEST = 2**53
"""Counts above this lose digits in most tools, and no log has them."""
LARGEST_TIME = 1e20


class Row(Fields[TraceError]):
    """A JSON object (or a table's row). Null is as good as nothing: loggers write it for what they lack."""

    __slots__ = ()
    place: Place

    def wrong(self, field: str, expected: str, value: object = None) -> TraceError:
        """As everywhere, and null counts as missing."""
        if value is None and self.value.get(field) is None:
            return self.place.missing(self.name(field), expected)
        return super().wrong(field, expected, value)

    def whole(self, field: str, default: int | None = None, *, least: int = 0, most: int = LARGEST) -> int:
        """A whole number; 3.0 counts as 3 (tables written by pandas), true and "3" do not."""
        value = self.value.get(field, default)
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(field, f"a whole number from {least} to {most}")
        return value

    def whole_or_none(self, field: str, least: int = 0, most: int = LARGEST) -> int | None:
        """A whole number, or None."""
        return None if self.value.get(field) is None else self.whole(field, least=least, most=most)

    def number_or_none(self, field: str, least: float = -math.inf) -> float | None:
        """A finite number of sensible size (times of logs, in whatever unit, stay below 1e20)."""
        value = self.value.get(field)
        if value is None:
            return None
        try:
            number = float(value) if type(value) in (int, float) else math.nan
        except OverflowError:
            number = math.nan
        if not abs(number) <= LARGEST_TIME or number < least:
            raise self.wrong(field, "a number" if least == -math.inf else f"a number from {least} up")
        return number

    def label(self, *fields: str) -> str | None:
        """The first of these fields that holds a name; a number counts as its digits, "" as nothing."""
        for field in fields:
            value = self.value.get(field)
            if value is None or value == "":
                continue
            if isinstance(value, str):
                return value
            if type(value) is int and abs(value) <= LARGEST:
                return str(value)
            raise self.wrong(field, "a text or a whole number")
        return None

    def object_or_none(self, field: str) -> Row | None:
        """An object, or None."""
        return None if self.value.get(field) is None else self.object(field)

    def token_ids(self, field: str) -> array[int]:
        """A list of token ids (whole numbers from 0 to 2**32 - 1). No Python loop unless one is wrong."""
        ids = self.items(field)
        if set(map(type, ids)) <= {int}:
            try:
                return array("I", ids)
            except OverflowError:
                pass
        for index, token in enumerate(ids):
            if type(token) is not int or not 0 <= token <= MAX_TOKEN_ID:
                where = f"{self.name(field)}[{index}]"
                raise self.place.wrong(where, f"a token id from 0 to {MAX_TOKEN_ID}", token)
        raise AssertionError("an array takes every id in range")  # pragma: no cover
