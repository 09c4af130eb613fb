"""The one way to write CSV: rows as text that a spreadsheet shows and never runs.

What makes a cell a formula is its first visible sign. So white space, signs without width, controls and
quotes, which a reader may drop, are looked past, and full-width and other forms of ``= + - @`` count as
those. A reader may cut at another sign than the comma, or heed no quotes: so what stands behind ``, ; |``, a
tab or a line end inside a cell counts as the beginning of one, whichever of them ends it. An apostrophe goes
in front; nothing is taken away. Numbers stay numbers, also those that are written as text.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable
from itertools import dropwhile, pairwise

_FORMULA = frozenset("=+-@\N{MINUS SIGN}")
_UNSEEN = frozenset(
    # letters and symbols by their category, and yet nothing to see; a quote may be dropped
    "\N{HANGUL CHOSEONG FILLER}\N{HANGUL JUNGSEONG FILLER}\N{HANGUL FILLER}\N{HALFWIDTH HANGUL FILLER}"
    '\N{BRAILLE PATTERN BLANK}"'
)
_UNSEEN_KINDS = frozenset({"Cc", "Cf", "Cn", "Mn", "Zl", "Zp", "Zs"})
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)(e[+-]?\d+)?\s?%?[\])}]*", re.IGNORECASE | re.ASCII)
_CUTS = ",;\t|"
"""What some reader takes for the end of a cell."""
_LINE_ENDS = "\r\n\v\f\x1c-\x1e\x85\u2028\u2029"
_ANY = re.compile(f"[{_CUTS}{_LINE_ENDS}]")
_NEXT = {cut: re.compile(f"[{re.escape(cut)}{_LINE_ENDS}]") for cut in _CUTS}


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
    starts = [0, *(cut.end() for cut in _ANY.finditer(cell))]
    parts = [cell[start:end] for start, end in pairwise([*starts, len(cell)])]
    return "".join(
        f"'{part}" if _runs(cell, start) else part for start, part in zip(starts, parts, strict=True)
    )


def _runs(cell: str, start: int) -> bool:
    """Whether some reader finds a formula that begins there."""
    if not _may_run(cell, start):
        return False
    before = cell[start - 1 : start]
    ways = [_ANY, *(_NEXT[cut] for cut in (before if before and before in _CUTS else _CUTS))]
    found = {way.search(cell, start) for way in ways}
    ends = {len(cell) if cut is None else cut.start() for cut in found}
    return any(not _is_number(cell[start:end]) for end in ends)


def _may_run(cell: str, start: int) -> bool:
    """Whether the first sign to be seen from there on begins a formula."""
    place = start
    while place < len(cell) and _is_unseen(cell[place]) and not _ANY.match(cell, place):
        place += 1  # behind a cut another cell begins
    return unicodedata.normalize("NFKC", cell[place : place + 1])[:1] in _FORMULA


def _is_number(text: str) -> bool:
    shown = "".join(dropwhile(_is_unseen, text))
    said = unicodedata.normalize("NFKC", shown).replace("\N{MINUS SIGN}", "-").strip(' "')
    return not said or _NUMBER.fullmatch(said) is not None


def _is_unseen(sign: str) -> bool:
    return sign in _UNSEEN or unicodedata.category(sign) in _UNSEEN_KINDS
