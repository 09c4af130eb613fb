"""Where a log comes from: an upload, a pasted text, a file that the server's owner named. Read as lines.

Everything is read once, front to back, one line at a time, so a long log never stands in memory as a whole.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from core.errors import TraceError
from core.texts import text_bytes
from core.traces import problems
from core.traces.problems import Place

LONGEST_LINE = 2**26
"""Bytes of one line, or of one value of a JSON array (64 MiB): one request, however long, is shorter."""
REPORT_EVERY = 2**18
_CHUNK = 2**18
_FOREIGN = {
    b"\xff\xfe": "it looks like UTF-16",
    b"\xfe\xff": "it looks like UTF-16",
    b"\x1f\x8b": "it is packed with gzip",
    b"PK": "it is a zip archive",
    b"PAR1": "it is a Parquet table",
}

Progress = Callable[[int, int], None]
"""Called with bytes read and bytes in all, about four times a MiB. Whatever it raises ends the reading."""


@dataclass(frozen=True, slots=True)
class TraceFile:
    """One log file. `data`: bytes, a pasted text (never a path), an open binary file, or a `Path`."""

    name: str
    data: bytes | str | Path | BinaryIO

    def open(self) -> BinaryIO:
        """The content from its beginning.

        Raises:
            TraceError: the file cannot be opened.
        """
        if isinstance(self.data, str):
            return io.BytesIO(text_bytes(self.data))
        if isinstance(self.data, bytes):
            return io.BytesIO(self.data)
        try:
            if isinstance(self.data, Path):
                return self.data.open("rb")
            self.data.seek(0)
        except OSError as error:
            raise problems.unreadable(self.name, error.strerror or "it cannot be opened") from None
        return self.data

    @contextmanager
    def reading(self) -> Generator[BinaryIO, None, None]:
        """The content, closed afterwards unless it was handed in open.

        Raises:
            TraceError: the file cannot be opened, or cannot be read on.
        """
        stream = self.open()
        try:
            yield stream
        except OSError as error:
            raise problems.unreadable(self.name, error.strerror or "reading failed") from None
        finally:
            if stream is not self.data:
                stream.close()

    def size(self) -> int:
        """Bytes in all."""
        with self.reading() as stream:
            return stream.seek(0, io.SEEK_END)


def files_within(folder: Path) -> dict[str, Path]:
    """The files of a folder, by name, each where its content lies; sub-folders are not entered.

    A link that leads out of the folder is left out: whoever may put a file into it could otherwise read any
    file that the server can read.
    """
    inside = os.path.realpath(folder)
    found = {path.name: Path(os.path.realpath(path)) for path in sorted(folder.iterdir())}
    return {name: path for name, path in found.items() if path.is_relative_to(inside) and path.is_file()}


class Meter:
    """Counts bytes over all files of one reading and reports them now and then."""

    def __init__(self, total: int, report: Progress | None) -> None:
        self._total = total
        self._report = report
        self.done = 0
        self._reported = 0

    def add(self, num_bytes: int) -> None:
        """So many more bytes were read."""
        self.done += num_bytes
        if self.done - self._reported >= REPORT_EVERY:
            self.flush()

    def flush(self) -> None:
        """Report where the reading stands."""
        self._reported = self.done
        if self._report is not None:
            self._report(min(self.done, self._total), self._total)


def lines(
    file: TraceFile, meter: Meter | None = None
) -> Generator[tuple[Place, str | TraceError], None, None]:
    """The lines of a file without their ends, each with its place.

    A line that is not UTF-8 comes as the error that says so, because whoever skips broken lines goes on.

    Raises:
        TraceError: the file is of another kind altogether, cannot be read, or has a line beyond all measure.
    """
    with file.reading() as stream:
        for number, raw in enumerate(_raw_lines(file, stream), 1):
            if meter is not None:
                meter.add(len(raw))
            if number == 1:
                raw = _without_mark(file, raw)
            place = Place(file.name, number)
            try:
                yield place, raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                yield place, problems.not_text(place, f"byte {error.start + 1} of the line")


def _raw_lines(file: TraceFile, stream: BinaryIO) -> Generator[bytes, None, None]:
    for number in count(1):
        raw = stream.readline(LONGEST_LINE + 1)
        if not raw:
            return
        if len(raw) > LONGEST_LINE:
            raise problems.too_long(Place(file.name, number), LONGEST_LINE)
        yield raw


def _without_mark(file: TraceFile, raw: bytes) -> bytes:
    for start, reason in _FOREIGN.items():
        if raw.startswith(start):
            raise problems.not_text(Place(file.name, 1), reason)
    return raw.removeprefix(codecs.BOM_UTF8)


def first_char(file: TraceFile) -> str:
    """The first character that is not blank, "" if there is none; an array of one line is not read for it.

    Raises:
        TraceError: the file is of another kind altogether, or cannot be read.
    """
    with file.reading() as stream:
        raw = _without_mark(file, stream.readline(_CHUNK))
        while raw:
            text = raw.decode("utf-8", "replace").strip()
            if text:
                return text[0]
            raw = stream.readline(_CHUNK)
        return ""


def chunks(file: TraceFile, meter: Meter | None = None) -> Generator[str, None, None]:
    """The text of a file in pieces of any length, for files that are one long value.

    Raises:
        TraceError: not UTF-8, or the file cannot be read.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, first = 1, True
    with file.reading() as stream:
        while True:
            raw = stream.read(_CHUNK)
            if meter is not None:
                meter.add(len(raw))
            text = _without_mark(file, raw) if first else raw
            first = False
            try:
                piece = decoder.decode(text, final=not raw)
            except UnicodeDecodeError:
                raise problems.not_text(Place(file.name, line), "a byte in or after this line") from None
            if not raw:
                return
            line += piece.count("\n")
            yield piece
