"""One record of a log with typed access: every wrong or missing field becomes an error that names it."""

from __future__ import annotations

import math
import re
from array import array

from core.errors import TraceError
from core.fields import Fields
from core.traces.numbers import whole_of
from core.traces.problems import Place
from core.types import MAX_TOKEN_ID

LARGEST = 2**53
"""Counts above this lose digits in most tools, and no log has them."""
LARGEST_TIME = 1e20
_DIGITS = re.compile(r"\s*(-?\d{1,20})(?:\.0*)?\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,2})?\s*", re.ASCII)


UNSAID = frozenset(("", "-", "nan", "null", "none", "n/a", "na", "<na>", "\\n"))
"""What tables write, in any case, where there is no number."""


def unsaid(value: object) -> bool:
    """Whether a value stands for a number that nobody knows: null, NaN, N/A. Missing is not zero."""
    if isinstance(value, str):
        return value.strip().lower() in UNSAID
    return value is None or (isinstance(value, float) and math.isnan(value))


def as_whole(value: object) -> int | None:
    """The whole number that a value spells: 3, 3.0 (tables written by pandas) and "3" are 3, true is none."""
    if type(value) is int:
        return value
    if type(value) is float:
        return int(value) if value.is_integer() else None
    match = _DIGITS.fullmatch(value) if isinstance(value, str) else None
    return None if match is None else int(match[1])


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
        """A whole number, as a number or as a text (core/traces/numbers.py)."""
        value = self._count(field, self.value.get(field, default))
        if value is None or not least <= value <= most:
            raise self.wrong(field, f"a whole number from {least} to {most}")
        return value

    def whole_or_none(self, field: str, least: int = 0, most: int = LARGEST) -> int | None:
        """A whole number; None where there is none (`unsaid`)."""
        return None if unsaid(self.value.get(field)) else self.whole(field, least=least, most=most)

    def _count(self, field: str, value: object) -> int | None:
        if not isinstance(value, str):
            return as_whole(value)
        numbers = self.place.numbers
        if numbers is None:
            return whole_of(value)
        return numbers.whole(value, self.name(field), self.place.file, self.place.line)

    def number_or_none(self, field: str, least: float = -math.inf) -> float | None:
        """A finite number of sensible size (times of logs, in whatever unit, stay below 1e20), or text."""
        value = self.value.get(field)
        if value is None:
            return None
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = float(value)
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
            number = as_whole(value)
            if number is not None and abs(number) <= LARGEST:
                return str(number)
            raise self.wrong(field, "a text or a whole number")
        return None

    def object_or_none(self, field: str) -> Row | None:
        """An object, or None."""
        return None if self.value.get(field) is None else self.object(field)

    def token_ids(self, field: str) -> array[int]:
        """A list of token ids (whole numbers from 0 to 2**32 - 1). No Python loop where all are numbers."""
        ids = self.items(field)
        if not set(map(type, ids)) <= {int}:
            ids = [as_whole(token) for token in ids]
        try:
            return array("I", ids)
        except (OverflowError, TypeError):
            pass
        for index, token in enumerate(ids):
            if token is None or not 0 <= token <= MAX_TOKEN_ID:
                where = f"{self.name(field)}[{index}]"
                raise self.place.wrong(
                    where, f"a token id from 0 to {MAX_TOKEN_ID}", self.items(field)[index]
                )
        raise AssertionError("an array takes every id in range")  # pragma: no cover
