"""Dates as tools write them; which number of 01/02/2026 is the month is never guessed in silence."""

from __future__ import annotations

import json

import pytest

from core.traces.dates import Dates, MonthSecondError, seconds_of
from tests.unit.core.traces.logs import error_of, notes, read_rows

NEW_YEAR = 1767225600.0


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01T00:00:00Z",
        "2026-01-01t00:00:00z",
        "2026-01-01 00:00:00 UTC",
        "2026-01-01 00:00:00.000000 UTC",
        "2026-01-01T00:00:00.000000+0000",
        "2026-01-01T00:00:00+00",
        "2026-01-01 00:00:00.000000000",
        "2026-01-01 00:00:00 +0000 UTC m=+0.123",
        "2026-01-01T00:00Z[UTC]",
        "2026-01-01_00:00:00",
        "20260101T000000Z",
        "2026/1/1 0:00:00",
        "2026年1月1日 00:00:00",
        "2026/1/1 上午12:00:00",
        "01.01.2026 00:00:00",
        "Thu, 01 Jan 2026 00:00:00 GMT",
        "Thu, 1 Jan 2026 01:00:00 +0100",
        "Wed, 31 Dec 2025 16:00:00 PST",
        "Thu Jan  1 00:00:00 2026",
        "Thu Jan 01 00:00:00 UTC 2026",
        "01/Jan/2026:00:00:00 +0000",
        "Jan 1, 2026 @ 00:00:00.000",
        "Thursday, January 1, 2026 12:00:00 AM",
        "1 January 2026 00:00:00",
        "01/01/2026 12:00:00 AM",
        "1/1/26 0:00",
        "01/01/2026, 00:00:00",
        "2026-01-01",
    ],
)
def test_one_moment_in_many_forms(text: str) -> None:
    assert seconds_of(text) == NEW_YEAR


@pytest.mark.parametrize(
    ("text", "hour"),
    [("12:30 AM", 0), ("1:30 am", 1), ("12:30 PM", 12), ("11:30 p.m.", 23), ("下午3:30", 15), ("13:30", 13)],
)
def test_clocks_of_twelve_hours(text: str, hour: int) -> None:
    assert seconds_of(f"2026/01/01 {text}") == NEW_YEAR + hour * 3600 + 1800


@pytest.mark.parametrize(
    "text",
    [
        *("2026-02-30", "2026-13-01 00:00", "2026-01-01 25:00", "01/01/2026 13:00 PM", "2026-01-01 0:00 AM"),
        *("2026-01-01T00:00:00+25:00", "2026-01-01 00:00 IST", "Jan 2026", "noon", "", "13/13/2026"),
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert seconds_of(text) is None


def test_a_day_above_twelve_decides_for_the_log() -> None:
    dates = Dates()
    assert seconds_of("01/13/2026", dates) == NEW_YEAR + 12 * 86400
    assert seconds_of("01/02/2026", dates) == NEW_YEAR + 86400
    assert seconds_of("13/01/2026", dates) is None
    assert not dates.is_guess
    dates = Dates()
    assert seconds_of("13/01/2026", dates) == NEW_YEAR + 12 * 86400
    assert seconds_of("01/02/2026", dates) == NEW_YEAR + 31 * 86400


def test_a_proof_that_comes_late_asks_for_another_reading() -> None:
    dates = Dates()
    assert seconds_of("01/02/2026", dates) == NEW_YEAR + 86400
    assert (dates.is_guess, dates.num_unsure, dates.example) == (True, 1, "01/02/2026")
    with pytest.raises(MonthSecondError):
        seconds_of("13/02/2026", dates)


def test_a_proof_of_what_was_guessed_ends_the_guess() -> None:
    dates = Dates()
    seconds_of("01/02/2026", dates)
    seconds_of("01/31/2026", dates)
    assert not dates.is_guess


def test_a_person_may_decide() -> None:
    dates = Dates(month_first=False)
    assert seconds_of("01/02/2026", dates) == NEW_YEAR + 31 * 86400
    assert seconds_of("01/31/2026", dates) is None
    assert not dates.is_guess


def arrivals(*days: str, **options: bool) -> tuple[list[float | None], dict[str, int]]:
    rows = [{"prompt": f"p{number}", "timestamp": day} for number, day in enumerate(days)]
    trace = read_rows(*rows, **options)
    return [request.arrival_s for request in trace.requests], notes(trace)


def test_one_reading_takes_all_dates_of_a_log_in_one_way() -> None:
    assert arrivals("01/02/2026 8:00", "02/02/2026 8:00", "13/02/2026 8:00") == ([0, 86400, 12 * 86400], {})
    assert arrivals("01/02/2026 8:00", "01/03/2026 8:00") == ([0, 86400], {"month_first": 2})


def test_days_without_an_hour_are_said() -> None:
    assert arrivals("2026-01-01", "2026-01-01", "2026-01-02") == ([0, 0, 86400], {"date_only": 3})


def test_times_are_ignored_on_request() -> None:
    """Even where nobody could read them; what a person asked for is said all the same."""
    assert arrivals("2026-01-02", "at noon", "", ignore_times=True) == ([None] * 3, {"times_unread": 2})


def test_seconds_and_nanoseconds_in_parts() -> None:
    def at(*times: dict[str, object]) -> list[float | None]:
        return [one.arrival_s for one in read_rows(*({"prompt": "p", "ts": time} for time in times)).requests]

    assert at({"seconds": "1770000000", "nanos": 0}, {"seconds": 1770000001, "nanos": 500_000_000}) == [
        0,
        1.5,
    ]
    assert at({"_seconds": 1770000000, "_nanoseconds": 0}, {"_seconds": 1770000002}) == [0, 2]
    for broken in (
        {"seconds": "x"},
        {"nanos": 5},
        {"seconds": 1, "zone": "UTC"},
        {"seconds": 1, "nanos": 1e9},
    ):
        assert error_of(json.dumps({"prompt": "p", "ts": broken})).values["field"] == "ts"
