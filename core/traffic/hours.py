"""Hours of a log, in UTC: readers turn every time into seconds since 1970, or since the log's own
beginning."""

from __future__ import annotations

from datetime import UTC, datetime

HOUR_S = 3600
LEAST_DATE_S = 10**8
"""A log that begins later than this (1973) counts from 1970; any other counts from its own beginning."""


def has_dates(start_s: float | None) -> bool:
    """Whether the log's times are dates."""
    return start_s is not None and LEAST_DATE_S <= start_s < 10**11


def hour_name(start_s: float | None, arrival_s: float | None) -> str:
    """The hour of the log: "2026-05-01 13:00", or "3" for the fourth hour of a log without dates."""
    if arrival_s is None:
        return ""
    if not _dated(start_s, arrival_s):
        return str(int(arrival_s // HOUR_S))
    return _date(start_s, arrival_s).strftime("%Y-%m-%d %H:00")


def hour_of_day(start_s: float | None, arrival_s: float | None) -> str:
    """ "13:00", over all days together; empty where the log has no dates."""
    if arrival_s is None or not _dated(start_s, arrival_s):
        return ""
    return _date(start_s, arrival_s).strftime("%H:00")


def _dated(start_s: float | None, arrival_s: float) -> bool:
    return has_dates(start_s) and has_dates((start_s or 0.0) + arrival_s)


def _date(start_s: float | None, arrival_s: float) -> datetime:
    return datetime.fromtimestamp((start_s or 0.0) + arrival_s, UTC)
