"""Dates as tools write them, read as seconds since 1970.

Whatever states its month is read as it stands: ISO 8601 and its looser cousins (a blank or nothing for the T,
an offset without colon, `UTC` spelt out as BigQuery and Go do), RFC 2822, asctime, the common log format,
Kibana's `Jan 1, 2026 @ 00:00:00.000`, dates with dots (day first) and East Asian ones (year first). Without
a zone a time is UTC. `01/02/2026` does not state its month. One log writes all its dates in one way, so a
single 13 or higher decides for all of them; where there is none the month is taken first and that is noted.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_CLOCK = (
    r"(?P<half>上午|下午)?\s*(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)"
    r"(?::(?P<second>[0-5]\d|60)(?:[.,](?P<fraction>\d{1,12}))?)?"  # 60: a leap second
    r"\s*(?P<noon>[ap]\.?m\.?)?"
)
_ZONE = (
    r"(?P<zone>z|utc|gmt|[ecmp][sd]t|(?:utc|gmt)?[+-]\d\d(?::?\d\d)?)?"
    r"(?:\s*[\[(]?(?:utc|gmt|z)[\])]?)?(?:\s*m=[+-][\d.]+)?"
)
_TIME = rf"(?:(?:\s*[t@,_]\s*|\s+|:){_CLOCK}\s*{_ZONE})?"
_WEEKDAY = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+", re.I)
_FORMS = tuple(
    re.compile(form, re.I | re.ASCII)
    for form in (
        rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})\s*{_TIME}",
        rf"(?P<one>\d{{1,2}})(?P<mark>[/-])(?P<two>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d\d){_TIME}",
        rf"(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?(?P<year>\d{{4}}){_TIME}",
        rf"(?P<day>\d{{1,2}})[ /-]{_MONTH}[ /,-]+(?P<year>\d{{4}}){_TIME}",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}}){_TIME}",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})\s+{_CLOCK}\s*{_ZONE}\s*(?P<year>\d{{4}})",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)[t ](?P<hour>\d\d)(?P<minute>[0-5]\d)"
        rf"(?P<second>[0-5]\d)(?:[.,](?P<fraction>\d{{1,12}}))?{_ZONE}",
    )
)
_EAST = str.maketrans({"年": "-", "月": "-", "日": " ", "\u202f": " ", "\u00a0": " "})
_AMERICAN = {"e": 5, "c": 6, "m": 7, "p": 8}
"""Hours behind UTC in winter: RFC 2822 gives these names a meaning, and no others."""


class MonthSecondError(Exception):
    """A date proves that the log writes the day first, after dates were taken the other way round."""


class Dates:
    """What is known of one log's dates, and how many of them needed a decision. One for each reading.

    `month_first`: None until a date of the log or a person has decided. `ignored`: no time is read at all.
    """

    __slots__ = ("_open", "example", "ignored", "month_first", "num_date_only", "num_ignored", "num_unsure")

    def __init__(self, month_first: bool | None = None, ignored: bool = False) -> None:
        self.month_first = month_first
        self.ignored = ignored
        self._open = month_first is None
        self.num_unsure = 0
        self.num_date_only = 0
        self.num_ignored = 0
        self.example = ""

    def again(self) -> Dates:
        """For one more reading of the same log."""
        return Dates(self.month_first if self.month_first is False else None, self.ignored)

    @property
    def is_guess(self) -> bool:
        """Whether dates were read month first without any proof."""
        return self._open and self.num_unsure > 0

    def month_and_day(self, one: int, two: int, text: str) -> tuple[int, int] | None:
        """Which of the numbers is which; None if that contradicts the dates before.

        Raises:
            MonthSecondError: dates before this one must be read anew, day first.
        """
        if one == two:
            return one, two
        if one <= 12 and two <= 12:
            self.num_unsure += 1
            self.example = self.example or text
        elif self._open:
            if one > 12 and self.num_unsure:
                raise MonthSecondError
            self._open, self.month_first = False, one <= 12
        elif self.month_first != (one <= 12):
            return None
        return (two, one) if self.month_first is False else (one, two)


def seconds_of(text: str, dates: Dates | None = None) -> float | None:
    """Seconds since 1970 in UTC; None if this is no date, or one that no calendar has."""
    plain = _WEEKDAY.sub("", text.strip().translate(_EAST).strip(), count=1)
    for form in _FORMS:
        match = form.fullmatch(plain)
        if match is not None:
            return _seconds(match.groupdict(), dates or Dates(), text)
    return None


def _seconds(found: dict[str, str | None], dates: Dates, text: str) -> float | None:
    year = int(found["year"] or 0)
    if found.get("one") is not None:
        pair = dates.month_and_day(int(found["one"] or 0), int(found["two"] or 0), text)
        if pair is None:
            return None
        month, day = pair
        year += 2000 if year < 100 else 0
    else:
        name = found.get("name")
        month = _MONTHS.index(name.lower()) + 1 if name else int(found["month"] or 0)
        day = int(found["day"] or 0)
    try:
        start = datetime(year, month, day, tzinfo=UTC).timestamp()
    except ValueError:
        return None
    if found["hour"] is None:
        dates.num_date_only += 1
        return start
    hour, offset = _hour(found), _offset(found["zone"])
    if hour is None or offset is None:
        return None
    seconds = float(f"{found['second'] or 0}.{found['fraction'] or 0}")
    return start + hour * 3600 + int(found["minute"] or 0) * 60 - offset + seconds


def _hour(found: dict[str, str | None]) -> int | None:
    """The hour of the day; a clock of twelve hours begins its halves with 12."""
    hour, half = int(found["hour"] or 0), found.get("noon") or found.get("half")
    if half is None:
        return hour if hour < 24 else None
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half[0] in "pP下" else 0)


def _offset(zone: str | None) -> int | None:
    """Seconds ahead of UTC."""
    name = (zone or "z").lower().removeprefix("utc").removeprefix("gmt")
    if name in ("", "z"):
        return 0
    if name[0] in _AMERICAN:
        return -3600 * (_AMERICAN[name[0]] - (name[1] == "d"))
    hours, minutes = int(name[1:3]), int(name[3:].removeprefix(":") or 0)
    if hours > 23 or minutes > 59:
        return None
    return (hours * 3600 + minutes * 60) * (-1 if name[0] == "-" else 1)
