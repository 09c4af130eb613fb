"""One record of a log with typed access: every wrong or missing field becomes an error that names it."""

from __future__ import annotations

import math
from array import array
from typing import Any

from core.errors import TraceError
from core.traces import problems
from core.traces.problems import Place
from core.types import MAX_TOKEN_ID

LARGEST = 2**53
"""Counts above this lose digits in most tools, and no log has them."""
LARGEST_TIME = 1e20


class Row:
    """A JSON object (or a table's row) and where it stands. `path` names it inside its record."""

    __slots__ = ("data", "path", "place")

    def __init__(self, data: dict[str, Any], place: Place, path: str = "") -> None:
        self.data = data
        self.place = place
        self.path = path

    def name(self, field: str) -> str:
        """The field's full name: messages[2].content."""
        return f"{self.path}.{field}" if self.path else field

    def wrong(self, field: str, expected: str, value: object = None) -> TraceError:
        """The error about a field; without `value` it repeats what stands there."""
        found = self.data.get(field) if value is None else value
        return problems.wrong(self.place, self.name(field), expected, found)

    def missing(self, field: str) -> TraceError:
        """The error about a field that is not there."""
        return problems.missing(self.place, self.name(field))

    def has(self, field: str) -> bool:
        """Whether the field is there, be it null."""
        return field in self.data

    def value(self, field: str) -> object:
        """Whatever stands there; None if nothing does."""
        return self.data.get(field)

    # -- numbers --------------------------------------------------------------------------------------

    def whole(self, field: str, least: int = 0, most: int = LARGEST) -> int:
        """A whole number that must be there."""
        number = self.whole_or_none(field, least, most)
        if number is None:
            raise self.missing(field)
        return number

    def whole_or_none(self, field: str, least: int = 0, most: int = LARGEST) -> int | None:
        """A whole number; 3.0 counts as 3 (tables written by pandas), true and "3" do not."""
        value = self.data.get(field)
        if value is None:
            return None
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(field, f"a whole number from {least} to {most}")
        return value

    def number_or_none(self, field: str, least: float = -math.inf) -> float | None:
        """A finite number of sensible size (times of logs, in whatever unit, stay below 1e20)."""
        value = self.data.get(field)
        if value is None:
            return None
        try:
            number = float(value) if type(value) in (int, float) else math.nan
        except OverflowError:
            number = math.nan
        if not abs(number) <= LARGEST_TIME or number < least:
            raise self.wrong(field, "a number" if least == -math.inf else f"a number from {least} up")
        return number

    # -- texts ----------------------------------------------------------------------------------------

    def text(self, field: str) -> str:
        """A text that must be there."""
        value = self.data.get(field)
        if value is None:
            raise self.missing(field)
        if not isinstance(value, str):
            raise self.wrong(field, "a text")
        return value

    def label(self, *fields: str) -> str | None:
        """The first of these fields that holds a name; a number counts as its digits, "" as nothing."""
        for field in fields:
            value = self.data.get(field)
            if value is None or value == "":
                continue
            if isinstance(value, str):
                return value
            if type(value) is int and abs(value) <= LARGEST:
                return str(value)
            raise self.wrong(field, "a text or a whole number")
        return None

    # -- structures -----------------------------------------------------------------------------------

    def items(self, field: str) -> list[Any]:
        """A list that must be there."""
        value = self.data.get(field)
        if value is None:
            raise self.missing(field)
        if not isinstance(value, list):
            raise self.wrong(field, "a list")
        return value

    def row(self, field: str) -> Row:
        """An object that must be there."""
        row = self.row_or_none(field)
        if row is None:
            raise self.missing(field)
        return row

    def row_or_none(self, field: str) -> Row | None:
        """An object, or None."""
        value = self.data.get(field)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.wrong(field, "an object")
        return Row(value, self.place, self.name(field))

    def rows(self, field: str) -> list[Row]:
        """A list of objects that must be there."""
        return [self.element(field, index, item) for index, item in enumerate(self.items(field))]

    def element(self, field: str, index: int, item: object) -> Row:
        """One element of a list of objects."""
        if not isinstance(item, dict):
            raise problems.wrong(self.place, f"{self.name(field)}[{index}]", "an object", item)
        return Row(item, self.place, f"{self.name(field)}[{index}]")

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
                raise problems.wrong(self.place, where, f"a token id from 0 to {MAX_TOKEN_ID}", token)
        raise AssertionError("an array takes every id in range")  # pragma: no cover
