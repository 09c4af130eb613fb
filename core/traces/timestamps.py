"""Times of logs, as seconds. Core reads no clock; these are only numbers and dates written by others."""

from __future__ import annotations

import re
from datetime import datetime

from core.traces import problems
from core.traces.rows import LARGEST_TIME, Row

_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d)"
    r"(?::([0-5]\d|60)(?:[.,](\d{1,12}))?)?"  # 60: a leap second, which Python's calendar does not know
    r"\s*(Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?", re.ASCII)
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))


def time_or_none(row: Row, *fields: str) -> float | None:
    """The first of these fields that holds a time, in seconds.

    A date is ISO 8601 (without a zone: UTC). A number is seconds since 1970 or since the log began; numbers
    of 1e11, 1e14, 1e17 and more can only be milli-, micro- and nanoseconds since 1970.

    Raises:
        TraceError: something else stands there.
    """
    for field in fields:
        value = row.get(field)
        if value is None or value == "":
            continue
        seconds = _seconds(value)
        if seconds is None:
            raise row.wrong(field, "a time: seconds, or a date like 2030-01-31T09:00:00Z")
        return seconds
    return None


def _seconds(value: object) -> float | None:
    if isinstance(value, str):
        text = value.strip()
        return _scaled(float(text)) if _NUMBER.fullmatch(text) else _from_date(text)
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        return None
    return _scaled(number) if abs(number) <= LARGEST_TIME else None


def _scaled(number: float) -> float:
    return next((number / per_second for least, per_second in _UNITS if abs(number) >= least), number)


def _from_date(text: str) -> float | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    day, minute, second, fraction, zone = match.groups()
    try:
        start = datetime.fromisoformat(f"{day}T{minute}{zone or 'Z'}").timestamp()
    except ValueError:  # no such day, or a zone a day away
        return None
    return start + float(f"{second or 0}.{fraction or 0}")


def milliseconds(row: Row, field: str) -> float | None:
    """A time in milliseconds, as seconds."""
    value = row.number_or_none(field)
    return None if value is None else value / 1000


def nanoseconds(row: Row, field: str) -> float | None:
    """A time in nanoseconds, as seconds."""
    value = row.number_or_none(field)
    return None if value is None else value / 1e9


def column_time(text: str, place: problems.Place, field: str) -> float:
    """A time in a table's column.

    Raises:
        TraceError: it is none.
    """
    seconds = _seconds(text)
    if seconds is None:
        raise place.wrong(field, "a time: seconds, or a date like 2030-01-31 09:00:00", text)
    return seconds
