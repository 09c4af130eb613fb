"""Texts in one form: white space, line ends, capitals; and the units that a text is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x85]")
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200b\u202f\u3000\ufeff]+")
_AT_LINE_END = re.compile(r" +(?=\n|$)")
_EMPTY_LINES = re.compile(r"\n{3,}")
_UNIT = re.compile(r"[^\n]*?(?:[.!?](?=\s|\\n)|[。！？]|\n|\\n|\", ?\"|$)", re.DOTALL)
_SHORTEST = 8


def one_white_space(text: str) -> str:
    """One kind of line end, one blank between words, none at the end of a line, one empty line at most.

    >>> one_white_space("a \\r\\n\\r\\n\\r\\nb  c")
    'a\\n\\nb c'
    """
    text = _BLANKS.sub(" ", _LINE_ENDS.sub("\n", text))
    return _EMPTY_LINES.sub("\n\n", _AT_LINE_END.sub("", text))


def folded(text: str) -> str:
    """A text as far as white space and capitals do not count."""
    return "".join(text.split()).casefold()


def units(text: str) -> Iterator[str]:
    """Lines, and the sentences in them, also those inside JSON; short ones are passed over."""
    start = 0
    while start < len(text):
        found = _UNIT.match(text, start)
        stop = max(found.end() if found else len(text), start + 1)
        unit = text[start:stop].strip()
        if len(unit) >= _SHORTEST:
            yield unit
        start = stop


def paragraphs(text: str) -> list[str]:
    """A text cut at blank lines."""
    return [part for part in text.split("\n\n") if part.strip()]
