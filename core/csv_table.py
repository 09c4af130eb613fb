"""The one way to write CSV: rows as text that a spreadsheet shows and never runs.

What makes a cell a formula is its first visible sign. So white space, signs without width and controls are
looked past, full-width and other forms of ``= + - @`` count as those, and so does what stands behind ``;``,
a tab or a line end inside a cell, because a spreadsheet of another country begins a new cell there. An
apostrophe goes in front; nothing is taken away. Numbers stay numbers, also those that are written as text.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable

_FORMULA = frozenset("=+-@\N{MINUS SIGN}")
_UNSEEN = frozenset(
    # neither white space nor a format sign by their category, and yet nothing to see
    "\N{COMBINING GRAPHEME JOINER}\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}\N{HANGUL FILLER}"
    "\N{HALFWIDTH HANGUL FILLER}\N{BRAILLE PATTERN BLANK}\u17b4\u17b5"
    "\u180b\u180c\u180d\u180f" + "".join(map(chr, range(0xFE00, 0xFE10)))
)
_UNSEEN_KINDS = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)(e[+-]?\d+)?\s?%?", re.IGNORECASE | re.ASCII)
_BREAKS = re.compile(r"([;\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029])")
"""Where some reader of CSV begins another cell or row."""


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """The rows as CSV with a comma and CRLF. None is an empty cell.

    A byte order mark tells a spreadsheet that a file is UTF-8: whoever offers a file puts it in front.
    """
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows([defused(cell) for cell in row] for row in rows)
    return text.getvalue()


def defused(cell: object) -> object:
    """A cell as it may stand in a table; only text is ever changed.

    >>> defused("=1+1"), defused("\\u00a0＝1+1"), defused("-3.5"), defused(-3.5), defused("a-b")
    ("'=1+1", "'\\xa0＝1+1", '-3.5', -3.5, 'a-b')
    """
    if not isinstance(cell, str):
        return cell
    return "".join(f"'{part}" if _runs(part) else part for part in _BREAKS.split(cell))


def _runs(text: str) -> bool:
    """Whether a spreadsheet may take this for a formula."""
    start = next((place for place, sign in enumerate(text) if not _is_unseen(sign)), len(text))
    if unicodedata.normalize("NFKC", text[start : start + 1])[:1] not in _FORMULA:
        return False
    said = unicodedata.normalize("NFKC", text[start:]).replace("\N{MINUS SIGN}", "-").strip()
    return _NUMBER.fullmatch(said) is None


def _is_unseen(sign: str) -> bool:
    return sign in _UNSEEN or unicodedata.category(sign) in _UNSEEN_KINDS
