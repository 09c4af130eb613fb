"""Times of logs, as seconds. Core reads no clock; these are only numbers and dates written by others."""

from __future__ import annotations

import re
from datetime import datetime

from core.traces import problems
from core.traces.dates import Dates, seconds_of
from core.traces.rows import LARGEST, LARGEST_TIME, Row, as_whole

_ISO = re.compile(  # the usual form, for speed; all others are read in dates.py
    r"(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:[.,](\d{1,12}))?(Z|[+-]\d\d:\d\d)?",
    re.ASCII,
)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
A_TIME = "a time"
"""How every sentence begins that says what was expected in a time's place."""
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))


def time_or_none(row: Row, *fields: str) -> float | None:
    """The first of these fields that holds a time, in seconds.

    A date is read as core/traces/dates.py says (without a zone: UTC). A number is seconds since 1970 or since
    the log began; numbers of 1e11, 1e14, 1e17 and more can only be milli-, micro- and nanoseconds since 1970.
    Protobuf writes {"seconds": …, "nanos": …}, Firestore the same with `_seconds` and `_nanoseconds`.

    Raises:
        TraceError: something else stands there.
    """
    for field in fields:
        value = row.get(field)
        if value is None or value == "":
            continue
        if _is_ignored(row.place):
            return None
        seconds = _seconds(value, row.place.dates)
        if seconds is None:
            raise row.wrong(field, _expected(row.place))
        return seconds
    return None


def _is_ignored(place: problems.Place) -> bool:
    """Whether the person wants no times; a time that is passed over counts."""
    if place.dates is None or not place.dates.ignored:
        return False
    place.dates.num_ignored += 1
    return True


def _expected(place: problems.Place) -> str:
    dates = place.dates
    if dates is None or dates.month_first is None:
        return f"{A_TIME}: seconds, or a date like 2030-01-31T09:00:00Z"
    order = "month/day/year" if dates.month_first else "day/month/year"
    return f"{A_TIME}: seconds, or a date like 2030-01-31T09:00:00Z, or {order} as in the other lines"


def _seconds(value: object, dates: Dates | None) -> float | None:
    if isinstance(value, str):
        text = value.strip()
        if _NUMBER.fullmatch(text):
            value = float(text)
        else:
            return _from_date(text, dates)
    if isinstance(value, dict):
        return _from_parts(value)
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        return None
    return _scaled(number) if abs(number) <= LARGEST_TIME else None


def _scaled(number: float) -> float:
    return next((number / per_second for least, per_second in _UNITS if abs(number) >= least), number)


def _from_parts(value: dict[str, object]) -> float | None:
    """A time of protobuf's as JSON: whole seconds (a text if they are 64 bits wide) and nanoseconds."""
    if not {name.lstrip("_") for name in value} <= {"seconds", "nanos", "nanoseconds"}:
        return None
    plain = {name.lstrip("_"): as_whole(part) for name, part in value.items()}
    seconds, nanos = plain.get("seconds"), plain.get("nanos", plain.get("nanoseconds", 0))
    if seconds is None or nanos is None or abs(seconds) > LARGEST or not 0 <= nanos < 1e9:
        return None
    return seconds + nanos / 1e9


def _from_date(text: str, dates: Dates | None) -> float | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return seconds_of(text, dates)
    day, minute, second, fraction, zone = match.groups()
    try:
        start = datetime.fromisoformat(f"{day}T{minute}{zone or 'Z'}").timestamp()
    except ValueError:  # no such day, or a zone a day away
        return None
    return start + float(f"{second}.{fraction or 0}")


def milliseconds(row: Row, field: str) -> float | None:
    """A time in milliseconds, as seconds."""
    return _in_units(row, field, 1e3)


def nanoseconds(row: Row, field: str) -> float | None:
    """A time in nanoseconds, as seconds."""
    return _in_units(row, field, 1e9)


def _in_units(row: Row, field: str, per_second: float) -> float | None:
    if row.get(field) is None or _is_ignored(row.place):
        return None
    value = row.number_or_none(field)
    return None if value is None else value / per_second
