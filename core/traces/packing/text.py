"""A file's text: line by line with places, or in pieces where the whole file is one value."""

from __future__ import annotations

import codecs
from collections.abc import Generator
from contextlib import closing
from typing import BinaryIO

from core.errors import TraceError
from core.traces import problems
from core.traces.packing import refusals
from core.traces.packing.layers import Content
from core.traces.packing.sources import HeadMeter, Meter, OverError, TraceFile
from core.traces.problems import Place

LONGEST_LINE = 2**26
"""Bytes of one line, or of one value of a JSON array (64 MiB): one request, however long, is shorter."""
_CHUNK = 2**18
_LONG = 2**22
_MOST_BLANK = 10**5


class _Gauge:
    """Tells a meter how far a file was read, in bytes of the file itself, however it is packed."""

    def __init__(self, content: Content, meter: Meter | None) -> None:
        self._consumed = content.consumed
        self._meter = meter
        self._told = 0

    def add(self, num_bytes: int) -> None:
        if self._meter is None:
            return
        self._meter.num_unpacked += num_bytes
        if self._consumed is not None:
            num_bytes = self._consumed() - self._told
            self._told += num_bytes
        self._meter.add(num_bytes)


def lines(
    file: TraceFile, meter: Meter | None = None
) -> Generator[tuple[Place, str | TraceError], None, None]:
    """The lines of a file without their ends, each with its place.

    A line that is not UTF-8 or beyond all measure, and the end of a packed file that breaks off, come as the
    error that says so, because whoever skips broken lines goes on.

    Raises:
        TraceError: the file is of another kind altogether, or cannot be read.
    """
    with file.content() as content:
        gauge = _Gauge(content, meter)
        for number, raw in enumerate(_raw_lines(file, text_of(file, content), gauge), 1):
            place = Place(file.name, number)
            if isinstance(raw, TraceError):
                yield place, raw
                continue
            gauge.add(len(raw))
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            try:
                yield place, raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                yield place, problems.not_text(place, _what_stands(raw, error.start))


def _what_stands(raw: bytes, at: int) -> str:
    """A byte that is not UTF-8, by its place and what it would be in a table from Excel."""
    letter = raw[at : at + 1].decode("cp1252", "replace")
    also = f"; in Windows-1252 it is {letter}" if letter.isprintable() and letter != "\ufffd" else ""
    return f"byte {at + 1} of the line{also}"


def text_of(file: TraceFile, content: Content) -> BinaryIO:
    """The stream of a file that holds text.

    Raises:
        TraceError: it holds a table or an archive.
    """
    if content.kind != "text":
        raise refusals.foreign(file.name, content.kind)
    return content.stream


def _raw_lines(file: TraceFile, stream: BinaryIO, gauge: _Gauge) -> Generator[bytes | TraceError, None, None]:
    number = 0
    while True:
        number += 1
        try:
            raw = stream.readline(LONGEST_LINE + 1)
            if not raw:
                return
            if len(raw) > LONGEST_LINE:
                while raw and not raw.endswith(b"\n"):
                    gauge.add(len(raw))
                    raw = stream.readline(_CHUNK)
                yield problems.too_long(Place(file.name, number), LONGEST_LINE)
                continue
        except TraceError as error:
            yield error
            return
        yield raw


def first_lines(file: TraceFile, most: int) -> list[tuple[Place, str | TraceError]]:
    """The first lines with anything on them, as far as they stand in the file's head."""
    found: list[tuple[Place, str | TraceError]] = []
    with closing(lines(file, HeadMeter())) as every:
        try:
            for place, line in every:
                if isinstance(line, TraceError) or line.strip():
                    found.append((place, line))
                    if len(found) >= most:
                        break
        except OverError:
            pass
    return found


def first_char(file: TraceFile) -> str:
    """The first character that is not blank, "" if there is none; an array of one line is not read for it.

    Raises:
        TraceError: the file is of another kind altogether, or cannot be read.
    """
    with file.content() as content:
        stream = text_of(file, content)
        raw = stream.readline(_CHUNK).removeprefix(codecs.BOM_UTF8)
        for _ in range(_MOST_BLANK):
            text = raw.decode("utf-8", "replace").strip()
            if text:
                return text[0]
            raw = stream.readline(_CHUNK)
            if not raw:
                break
        return ""


def is_long(file: TraceFile) -> bool:
    """Whether the first line is longer than nearly any request: a whole log, perhaps."""
    with file.content() as content:
        return len(text_of(file, content).readline(_LONG)) >= _LONG


def chunks(file: TraceFile, meter: Meter | None = None) -> Generator[str, None, None]:
    """The text of a file in pieces of any length, for files that are one long value. A byte that is not UTF-8
    comes as a lone surrogate (Python's surrogateescape), so that it costs only the value in which it stands.

    Raises:
        TraceError: the file cannot be read, or it is packed and breaks off here.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
    with file.content() as content:
        stream, gauge = text_of(file, content), _Gauge(content, meter)
        while True:
            raw = stream.read(_CHUNK)
            gauge.add(len(raw))
            piece = decoder.decode(raw, final=not raw)
            if not raw:
                return
            yield piece
