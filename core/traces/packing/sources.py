"""Where a log comes from: an upload, a pasted text, a file that the server's owner named. Read as lines.

Everything is read once, front to back, one line at a time, so a long log never stands in memory as a whole.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.texts import text_bytes
from core.traces import problems
from core.traces.packing.layers import Content, peeled

REPORT_EVERY = 2**18
HEAD_BYTES = 2**24
"""No more is looked at to find out what a file is."""
_HEAD_CALLS = 10**5
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

    @contextmanager
    def content(self) -> Generator[Content, None, None]:
        """What the file holds, without compression and as UTF-8 (core/traces/packing/layers.py).

        Raises:
            TraceError: as `reading`; a kind of file that is not read here.
        """
        with self.reading() as stream:
            yield peeled(self.name, stream)

    def size(self) -> int:
        """Bytes in all, packed as they are."""
        with self.reading() as stream:
            return stream.seek(0, io.SEEK_END)


class OverError(Exception):
    """Enough of a file was looked at."""


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
        self.num_unpacked = 0
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


class HeadMeter(Meter):
    """Ends a look at a file where its head ends, also if that holds nothing but blanks.

    Raises:
        OverError: from `add`.
    """

    def __init__(self) -> None:
        super().__init__(0, None)
        self._calls = 0

    def add(self, num_bytes: int) -> None:
        """So many more bytes were read."""
        super().add(num_bytes)
        self._calls += 1
        if self.num_unpacked > HEAD_BYTES or self._calls > _HEAD_CALLS:
            raise OverError
