"""A teacher's own sequence of stops: in a link, in a file."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass, replace
from typing import Any

from core.errors import BrothError
from core.texts import showable
from ui.frame import link
from ui.frame.link import LinkPart, Parts, Query
from ui.teacher.address import Address, AddressError, read_address

SEQ = "seq"
MAX_STOPS = 24
MAX_TITLE, MAX_NOTE, MAX_MINUTES = 80, 600, 90
MAX_SEQ_LINK = 2_000
"""Characters of a packed sequence that a link may carry; longer ones are saved as a file."""

MAX_UNPACKED = 200_000
FILE_VERSION = 1


class SequenceError(BrothError):
    """A sequence that is full, or a file that holds none."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop: what to open, what it is called, what the teacher wants to remember, and how many minutes it
    may take (0: none planned)."""

    address: Address
    title: str = ""
    note: str = ""
    minutes: int = 0


@dataclass(frozen=True, slots=True)
class Sequence:
    """Stops in order."""

    stops: tuple[Stop, ...] = ()

    def with_stop(self, stop: Stop) -> Sequence:
        """One stop more, at the end.

        Raises:
            SequenceError: there are as many as a sequence may have.
        """
        if len(self.stops) >= MAX_STOPS:
            message = f"A sequence has at most {MAX_STOPS} stops. Delete one first."
            raise SequenceError("teacher.full", message, limit=MAX_STOPS)
        return replace(self, stops=(*self.stops, tidy(stop)))

    def changed(self, index: int, **what: Any) -> Sequence:
        """Title, note or minutes of one stop changed."""
        stops = list(self.stops)
        stops[index] = tidy(replace(stops[index], **what))
        return replace(self, stops=tuple(stops))

    def without(self, index: int) -> Sequence:
        """One stop less."""
        return replace(self, stops=self.stops[:index] + self.stops[index + 1 :])

    def moved(self, index: int, by: int) -> Sequence:
        """One stop up (-1) or down (+1), if there is room."""
        other = index + by
        if not 0 <= other < len(self.stops):
            return self
        stops = list(self.stops)
        stops[index], stops[other] = stops[other], stops[index]
        return replace(self, stops=tuple(stops))


def tidy(stop: Stop) -> Stop:
    """Within its limits, a title on one line, no control signs and no halves of surrogate pairs."""
    title = " ".join(_readable(stop.title).split())[:MAX_TITLE]
    minutes = max(0, min(stop.minutes, MAX_MINUTES))
    return Stop(stop.address, title, _readable(stop.note)[:MAX_NOTE], minutes)


def _readable(text: str) -> str:
    return "".join(one for one in showable(text) if one.isprintable() or one == "\n")


# -- in a link ----------------------------------------------------------------------------------------


def pack(sequence: Sequence) -> str:
    """The stops as a short text of letters that a link can carry."""
    rows = [
        [stop.address.text, stop.title, stop.note, *([stop.minutes] if stop.minutes else [])]
        for stop in sequence.stops
    ]  # without minutes a stop is packed as it always was, so that its lecture keeps its key
    data = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(data.encode(), 9)).decode().rstrip("=")


def unpack(text: str, parts: Parts) -> Sequence | None:
    """Back from ``pack``; None if the text was damaged, holds too much, or leads elsewhere. ``parts``: all
    that the address of a stop may have."""
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacker = zlib.decompressobj()
        rows = json.loads(unpacker.decompress(packed, MAX_UNPACKED).decode())
        if not unpacker.eof or not isinstance(rows, list) or not 0 < len(rows) <= MAX_STOPS:
            return None
        return Sequence(tuple(_stop(parts, *row) for row in rows))
    except (binascii.Error, zlib.error, ValueError, TypeError, RecursionError, AddressError):
        return None


def _stop(parts: Parts, address: object, title: object, note: object, minutes: object = 0) -> Stop:
    """``minutes``: older links and files have none."""
    if not (isinstance(address, str) and isinstance(title, str) and isinstance(note, str)):
        raise TypeError("a stop is three texts")
    if not isinstance(minutes, int) or isinstance(minutes, bool):
        raise TypeError("minutes are a whole number")
    return tidy(Stop(read_address(address, parts), title, note, minutes))


def fits_link(sequence: Sequence) -> bool:
    """Whether a link can carry it."""
    return len(pack(sequence)) <= MAX_SEQ_LINK


def to_query(sequence: Sequence) -> dict[str, str]:
    """The sequence as query parameters, unless it is empty or long."""
    return {SEQ: pack(sequence)} if sequence.stops and fits_link(sequence) else {}


def from_query(query: Query, parts: Parts) -> tuple[Sequence, list[str]]:
    """The sequence a link carries, and the names of parameters that could not be read."""
    if SEQ not in query:
        return Sequence(), []
    found = unpack(query[SEQ], parts)
    return (Sequence(), [SEQ]) if found is None else (found, [])


_NAMES = {SEQ: "teacher.part.own"}

SEQUENCE = LinkPart(
    "sequence",
    Sequence,
    _NAMES,
    lambda query: from_query(query, link.parts()),
    to_query,
    personal=frozenset(_NAMES),
)


# -- as a file ----------------------------------------------------------------------------------------


def to_file(sequence: Sequence) -> str:
    """The sequence as a JSON file, for what is too long for a link."""
    stops = [
        {"open": stop.address.text, "title": stop.title, "note": stop.note, "minutes": stop.minutes}
        for stop in sequence.stops
    ]
    return json.dumps({"broth_sequence": FILE_VERSION, "stops": stops}, ensure_ascii=True, indent=2) + "\n"


def from_file(name: str, data: bytes, parts: Parts) -> Sequence:
    """Back from ``to_file``; ``name`` is what the messages call it.

    Raises:
        SequenceError: no JSON, another kind of file, a stop that cannot be read, or too many.
    """
    try:
        found: Any = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise SequenceError("teacher.file_json", f"{name} is no JSON file.", file=name) from None
    rows = found.get("stops") if isinstance(found, dict) else None
    if not isinstance(rows, list) or found.get("broth_sequence") != FILE_VERSION or not rows:
        raise SequenceError("teacher.file_kind", f"{name} holds no sequence of stops.", file=name)
    if len(rows) > MAX_STOPS:
        message = f"{name} has {len(rows)} stops; a sequence has at most {MAX_STOPS}."
        raise SequenceError("teacher.file_long", message, file=name, size=len(rows), limit=MAX_STOPS)
    stops = []
    for number, row in enumerate(rows, 1):
        try:
            said = (row.get("title", ""), row.get("note", ""), row.get("minutes", 0))
            stops.append(_stop(parts, row["open"], *said))
        except (AddressError, TypeError, KeyError, AttributeError):
            message = f"{name}: stop {number} cannot be read."
            raise SequenceError("teacher.file_stop", message, file=name, number=number) from None
    return Sequence(tuple(stops))
