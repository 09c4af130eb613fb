"""Rows out of what `follow` finds: noise is counted, parts are joined, a record that broke off is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import TraceError
from core.traces import problems
from core.traces.packing.inner import Found, Path, Unread, follow, opens_without_end
from core.traces.packing.parts import Part, may_be_marked, part_of
from core.traces.packing.scanner import Say, Valued
from core.traces.packing.text import LONGEST_LINE
from core.traces.problems import Place
from core.traces.rows import Row

Claims = Callable[[Mapping[str, Any]], bool]
_Rows = Generator[Row | TraceError, None, None]
_NAME = re.compile(r'\{\s*\\?"([^"\\]{1,100})')


@dataclass(slots=True)
class _Open:
    """A record of which more has to come. `marked`: the runtime says so; `later`: what it has taken since."""

    place: Place
    part: Part
    marked: bool
    later: list[Valued] = field(default_factory=list)


def _kind(record: Mapping[str, Any]) -> str:
    """What a value is that nothing names: the answer, its usage, or something beside."""
    if "choices" in record or ("content" in record and "role" in record) or "candidates" in record:
        return "response"
    return "usage" if any(name.lower().endswith(("tokens", "tokencount")) for name in record) else "metadata"


class InnerRows:
    """The records inside the values of one file. What was text and is no record of this kind is noise."""

    def __init__(self, path: Path, claims: Claims | None, say: Say) -> None:
        self._path = path
        self._claims = claims
        self._say = say
        self._open: dict[str, _Open] = {}
        self._names: set[str] = set()

    def of(self, values: Iterable[Valued | TraceError]) -> _Rows:
        """The rows of these values in order; noise gives none."""
        for value in values:
            if isinstance(value, TraceError):
                yield value
            else:
                yield from self._of(*value)
        for stream in list(self._open):
            yield from self._broken(stream)

    def _of(self, place: Place, value: object, may_open: bool = True) -> _Rows:
        part = part_of(value, self._path) if self._open or may_be_marked(value) else None
        if part is not None and part.stream in self._open:
            before = self._open[part.stream]
            if before.marked or not self._opens_anew(part.text):
                yield from self._joined(before, part, (place, value))
                return
            yield from self._broken(part.stream)
        if part is not None and part.goes_on and may_open:
            self._begin(place, part, marked=True)
            return
        found = [*follow(value, self._path)]
        if len(found) == 1 and isinstance(found[0], Unread):
            part = part_of(value, self._path) if part is None else part
            if part is not None and may_open and part.seems_cut:
                self._begin(place, part, marked=False)
            else:
                yield from self._unread(place, found[0])
        else:
            yield from self._rows(place, found)

    def _rows(self, place: Place, found: Iterable[Found | Unread]) -> Generator[Row, None, None]:
        there = [one for one in found if isinstance(one, Found)]
        records = [one for one in there if self._is_wanted(one)]
        if len(there) > 1 and self._claims is not None:
            records = self._put_together(there, records)
        if not records:
            self._say("other_rows", 1)
        for one in records:
            self._names.update(list(one.record)[:1])
            yield Row(one.record, place)

    def _put_together(self, there: list[Found], wanted: list[Found]) -> list[Found]:
        """The values of one line as one record, where they are not records of their own: a request and its
        usage, or the columns of a database's dump. Each stands under the name that the line gives it."""
        if len(wanted) > 1 or not there[0].was_text:
            return wanted
        first = wanted[0] if wanted else there[0]
        record = dict(first.record)
        for one in there:
            if one is first:
                continue
            if set(one.record) == {"messages"}:
                record.setdefault("messages", one.record["messages"])
            else:
                record.setdefault(one.called or _kind(one.record), one.record)
        whole = Found(record, first.time, was_text=True)
        return [whole] if self._is_wanted(whole) else wanted

    def _is_wanted(self, found: Found) -> bool:
        return not found.was_text or self._claims is None or self._claims(found.record)

    def _begin(self, place: Place, part: Part, marked: bool) -> None:
        match = _NAME.search(part.text)
        if match is not None:
            self._names.add(match[1])
        self._open[part.stream] = _Open(place, part, marked)

    def _joined(self, before: _Open, part: Part, value: Valued) -> _Rows:
        """One more part of a record; the last one where its mark, a line end or the object's end says so."""
        text = before.part.text + part.text
        before.part = replace(before.part, text=text)
        before.later.append(value)
        if part.goes_on and len(text) <= LONGEST_LINE:
            return
        is_last = before.marked or (part.of_docker and part.text.endswith("\n"))
        if not opens_without_end(text):
            del self._open[part.stream]
            yield from self._rows(before.place, self._within(before.part))
        elif is_last or len(text) > LONGEST_LINE:
            yield from self._broken(part.stream)

    @staticmethod
    def _within(part: Part) -> list[Found | Unread]:
        return [*follow(part.text, part.rest, part.time, was_text=True)]

    def _broken(self, stream: str) -> _Rows:
        """A record that never ends costs itself; what was taken for its parts is read for itself."""
        open_ = self._open.pop(stream)
        yield problems.not_json(open_.place, "it ends in the middle of a value")
        if not open_.marked:
            for place, value in open_.later:
                yield from self._of(place, value, may_open=False)

    def _unread(self, place: Place, now: Unread) -> Generator[TraceError, None, None]:
        if self._opens_anew(now.text):
            yield problems.not_json(place, "it ends in the middle of a value")
        elif now.text.strip():
            self._say("other_rows", 1)

    def _opens_anew(self, text: str) -> bool:
        """Whether a record begins in it, by the name that the records so far began with."""
        match = _NAME.search(text)
        return match is not None and match[1] in self._names
