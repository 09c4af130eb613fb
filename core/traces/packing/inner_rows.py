"""Rows out of what `follow` finds: noise is counted, pieces are joined, a record that broke off is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

from core.errors import TraceError
from core.traces import problems
from core.traces.packing.inner import (
    Found,
    Path,
    Unread,
    first_object,
    follow,
    last_text,
    may_hold_object,
)
from core.traces.packing.scanner import Say, Valued
from core.traces.packing.text import LONGEST_LINE
from core.traces.problems import Place
from core.traces.rows import Row

Claims = Callable[[Mapping[str, Any]], bool]
PIECE = 8000
"""A shorter text was not cut by a container's runtime (they cut at 16 KiB, some loggers at 8)."""
_NAME = re.compile(r'\{\s*\\?"([^"\\]{1,100})')


class InnerRows:
    """The records inside the values of one file. What was text and is no record of this kind is noise."""

    def __init__(self, path: Path, claims: Claims | None, say: Say) -> None:
        self._path = path
        self._claims = claims
        self._say = say
        self._open: tuple[Place, Unread] | None = None
        self._names: set[str] = set()

    def of(self, values: Iterable[Valued | TraceError]) -> Generator[Row | TraceError, None, None]:
        """The rows of these values in order; noise gives none."""
        for value in values:
            if isinstance(value, TraceError):
                yield value
            else:
                yield from self._of(*value)
        yield from self._close()

    def _of(self, place: Place, value: object) -> Generator[Row | TraceError, None, None]:
        if self._open is not None:
            text = last_text(value, self._path)
            if text is not None and not self._is_fresh(text):
                yield from self._joined(*self._open, text)
                return
            yield from self._close()
        found = [*follow(value, self._path)]
        if len(found) == 1 and isinstance(found[0], Unread):
            yield from self._unread(place, found[0])
        else:
            yield from self._rows(place, found)

    def _rows(self, place: Place, found: Iterable[Found | Unread]) -> Generator[Row, None, None]:
        records = [one for one in found if isinstance(one, Found) and self._is_wanted(one)]
        if not records:
            self._say("other_rows", 1)
        for one in records:
            self._names.update(list(one.record)[:1])
            yield Row(one.record, place)

    def _is_wanted(self, found: Found) -> bool:
        return not found.was_text or self._claims is None or self._claims(found.record)

    def _is_fresh(self, text: str) -> bool:
        """Whether a text begins a record and goes on with none."""
        return text.lstrip().startswith("{") or self._opens_anew(text)

    def _joined(self, first: Place, before: Unread, text: str) -> Generator[Row | TraceError, None, None]:
        """One more piece of a record."""
        text = before.text + text
        value = first_object(text)
        if value is not None:
            self._open = None
            yield from self._rows(first, follow(value, before.rest, before.time, was_text=True))
            return
        self._open = (first, Unread(text, before.time, before.rest, is_part=True))
        if len(text) > LONGEST_LINE:
            yield from self._close()

    def _unread(self, place: Place, now: Unread) -> Generator[TraceError, None, None]:
        if now.is_part or (len(now.text) >= PIECE and may_hold_object(now.text)):
            self._open = (place, now)
        elif self._opens_anew(now.text):
            yield problems.not_json(place, "it ends in the middle of a value")
        elif now.text.strip():
            self._say("other_rows", 1)

    def _opens_anew(self, text: str) -> bool:
        """Whether a record begins in it, by the name that the records so far began with."""
        match = _NAME.search(text)
        return match is not None and match[1] in self._names

    def _close(self) -> Generator[TraceError, None, None]:
        if self._open is not None:
            place, self._open = self._open[0], None
            yield problems.not_json(place, "it ends in the middle of a value")
