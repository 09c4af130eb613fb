"""Times of logs, as seconds. Core reads no clock; these are only numbers and dates written by others."""

from __future__ import annotations

import re

from core.traces import problems
from core.traces.rows import LARGEST_TIME, Row

_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?\s*(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?", re.ASCII)
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def time_or_none(row: Row, *fields: str) -> float | None:
    """The first of these fields that holds a time, in seconds.

    A date is ISO 8601 (without a zone: UTC). A number is seconds since 1970 or since the log began; numbers
    of 1e11, 1e14, 1e17 and more can only be milli-, micro- and nanoseconds since 1970.

    Raises:
        TraceError: something else stands there.
    """
    for field in fields:
        value = row.value(field)
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
    year, month, day, hour, minute = (int(part) for part in match.group(1, 2, 3, 4, 5))
    second = int(match[6] or 0)
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour <= 23 and minute <= 59 and second <= 60):
        return None
    whole = ((_days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
    return whole + float(f"0.{match[7] or 0}") - _offset(match[8])


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar."""
    before = year - 1
    days = (
        before * 365 + before // 4 - before // 100 + before // 400 + _DAYS_BEFORE_MONTH[month - 1] + day - 1
    )
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return days + (1 if leap and month > 2 else 0) - 719162


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return minutes * 60 if zone[0] == "+" else -minutes * 60


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
        raise problems.wrong(place, field, "a time: seconds, or a date like 2030-01-31 09:00:00", text)
    return seconds
