"""Times as servers and shells write them in front of what they say. Only differences count."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(
    r"(?<![\d.])(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
_SHORT = re.compile(
    r"\b(?:INFO|DEBUG|WARNING|ERROR) (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?", re.ASCII
)
_SHELL = re.compile(
    r"(?:[A-Z][a-z]{2},? )?(?:([A-Z][a-z]{2}) {1,2}(\d{1,2})|(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}))"
    r" (\d\d):(\d\d):(\d\d)(?: [AP]M)?(?: ([A-Z]{2,4}|[+-]\d{4}))?(?: (\d{4}))?",
    re.ASCII,
)
_EPOCH = re.compile(r"\d{10}(?:\.\d{1,9})?|\d{13}", re.ASCII)
_NO_YEAR = 2000  # a leap year


def stamp_of(line: str) -> float | None:
    """The time that is all of a line, in seconds, signs around it aside (`# == 2026-01-02 10:00:00 ==`)."""
    text = line.strip("#=-* \t[]")
    if not text or len(text) > 40 or not text[-1].isalnum():
        return None
    if _EPOCH.fullmatch(text):
        return float(text) / (1000 if len(text) == 13 else 1)
    found = _ISO.fullmatch(text)
    if found is not None:
        return _iso(found)
    found = _SHELL.fullmatch(text)
    return None if found is None else _shell(found)


def stamp_in(line: str) -> float | None:
    """The first time in the beginning of a line, in seconds; None if there is none."""
    head = line[:200]
    found = _ISO.search(head)
    if found is not None:
        return _iso(found)
    found = _SHORT.search(head)
    if found is None:
        return None
    return _seconds([_NO_YEAR, *map(int, found.groups()[:5])], found[6])


def _iso(found: re.Match[str]) -> float | None:
    seconds = _seconds([int(found[place]) for place in range(1, 7)], found[7])
    zone = found[8] or "Z"
    if seconds is None or zone == "Z":
        return seconds
    sign, digits = (-1 if zone[0] == "-" else 1), zone[1:].replace(":", "")
    return seconds - sign * (int(digits[:2]) * 3600 + int(digits[2:]) * 60)


def _shell(found: re.Match[str]) -> float | None:
    month, day, year = found[1] or found[4], found[2] or found[3], found[5] or found[10] or str(_NO_YEAR)
    if month.lower() not in _MONTHS:
        return None
    clock = [int(found[place]) for place in (6, 7, 8)]
    return _seconds([int(year), _MONTHS.index(month.lower()) + 1, int(day), *clock], None)


def _seconds(date: list[int], fraction: str | None) -> float | None:
    year, month, day, hour, minute, second = date
    try:
        whole = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
    except ValueError:
        return None
    return whole.timestamp() + (float(f"0.{fraction}") if fraction else 0.0)
