"""What kind of text a changing span is, and dates with less in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

Kind = Literal["date_time", "date", "time", "id", "number", "white_space", "letter_case", "words"]
KINDS: tuple[Kind, ...] = get_args(Kind)
VALUES: frozenset[Kind] = frozenset(("date_time", "date", "time", "id", "number"))
"""What a prompt can often do without."""

_DAYS = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_MONTHS = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)\.?"
)
_DATE = (
    r"(?:(?<![\d.])(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?![\d]|\.\d)"
    rf"|(?:(?:{_DAYS}),?\s+)?(?:{_MONTHS}\s+\d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTHS})"
    r"(?:,?\s+\d{4})?|\d{4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号])"
)
_TIME = r"\d{1,2}[:.]\d{2}(?::\d{2}(?:[.,]\d+)?)?\s?(?:[AaPp]\.?[Mm]\.?)?"
_ZONE = r"(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
_DATE_TIME = re.compile(rf"(?P<day>{_DATE})(?P<time>(?:[T ,]|,\s|\s+at\s+)\s*{_TIME}{_ZONE})", re.ASCII)
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("date_time", _DATE_TIME),
    ("date", re.compile(_DATE)),
    ("time", re.compile(rf"(?<![\w:]){_TIME}{_ZONE}(?![\w:])", re.ASCII)),
    ("time", re.compile(r"\d{1,2}\s?[时時点點]\s?\d{1,2}\s?分(?:\s?\d{1,2}\s?秒)?")),
    ("time", re.compile(r"(?<!\d)1\d{9}(?:\d{3}|\.\d+)?(?!\d)", re.ASCII)),
    ("id", re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
    ("id", re.compile(r"(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{8,}|\b[0-9a-f]{7,}\b", re.ASCII)),
    ("id", re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-fA-F]{1,4}:){3,}[0-9a-fA-F:]+", re.ASCII)),
    ("number", re.compile(r"(?:[+-]?\d[\d.,]*)", re.ASCII)),
)
_SHORTEST_ID = 8
_EDGES = re.compile(r"^[\s.,;:=]+|[\s.,;:=]+$")
_HOUR = re.compile(r"(\d{1,2}):\d{2}(?::\d{2}(?:[.,]\d+)?)?")


def kind_of(spans: Iterable[str]) -> Kind:
    """What most of these texts are. A form fits where it covers more than half of a text.

    >>> kind_of(["2026-03-02T09:00:00", "2026-03-02T16:13:17"])
    'date_time'
    """
    texts = list(spans)
    counts: Counter[Kind] = Counter(map(_kind, texts))
    kind = counts.most_common(1)[0][0] if counts else "words"
    return "id" if kind == "words" and _are_ids(texts) else kind


def kinds_in(spans: Iterable[str]) -> tuple[Kind, ...]:
    """What most of these texts hold, in order.

    >>> kinds_in(["9时05分，编号83920117", "10时15分，编号99120345"])
    ('time', 'id')
    """
    texts = list(spans)
    kind = kind_of(texts)
    if kind not in VALUES:
        return (kind,)
    found = Counter(map(_values_in, texts)).most_common(1)[0][0]
    return found if len(found) > 1 else (kind,)


def _values_in(text: str) -> tuple[Kind, ...]:
    found: list[tuple[int, Kind]] = []
    for kind, form in _FORMS:
        for one in form.finditer(text):
            found.append((one.start(), kind))
        text = form.sub(lambda one: "\0" * len(one[0]), text)
    return tuple(dict.fromkeys(kind for _, kind in sorted(found)))


def _are_ids(texts: Sequence[str]) -> bool:
    """Single words, all equally long and seldom twice, one with a digit: letters by chance."""
    lengths = {len(text) for text in texts}
    one_word = all(len(text.split()) == 1 and "/" not in text for text in texts)
    random = 2 * len(set(texts)) > len(texts) ** 0.5 and any(re.search(r"\d", text) for text in texts)
    return one_word and random and len(lengths) == 1 and min(lengths) >= _SHORTEST_ID


def _kind(span: str) -> Kind:
    if not span.strip():
        return "white_space"
    text = _EDGES.sub("", span)
    for kind, form in _FORMS:
        covered = sum(len(found[0]) for found in form.finditer(text))
        if covered * 2 > len(text):
            return kind
    return "words"


def cut_to_day(text: str) -> str:
    """The dates of a text without their time of day.

    >>> cut_to_day("Current time: 2026-03-02T09:00:00+00:00")
    'Current time: 2026-03-02'
    """
    return _DATE_TIME.sub(lambda found: found["day"], text)


def cut_to_hour(text: str) -> str:
    """The dates of a text with their hour only."""
    return _DATE_TIME.sub(lambda found: found["day"] + _HOUR.sub(r"\1:00", found["time"]), text)
