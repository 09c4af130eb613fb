"""A file's outer layers: compression, then an encoding other than UTF-8, then lines that end with CR alone.

What comes out is a stream of UTF-8 bytes. Layers are recognised by their first bytes, never by the file's
name. Everything is unpacked while it is read, so memory stays flat; more than `MOST_UNPACKED` bytes are
refused, because a small file of packed zeros can be as long as its maker likes. The bytes at which a packed
file breaks off come as an error only after everything before them.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, BinaryIO, cast

from core.errors import TraceError
from core.traces import problems
from core.traces.packing import refusals
from core.traces.packing.kinds import Kind, encoding_of, kind_of
from core.traces.problems import Place

PEEK = 2**18
MOST_UNPACKED = 2**31
"""Bytes that one file may unpack to (2 GiB)."""
MOST_LAYERS = 4
_ROOM = 64
"""Bytes that a reader asked for fewer might exceed by a character."""
Read = Callable[[int], bytes]
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, ValueError)


@dataclass(frozen=True, slots=True)
class Content:
    """A file without its layers. `consumed`: bytes of the file read so far; None: as many as came out;
    `encoding`: what its text was before, if not UTF-8."""

    stream: BinaryIO
    kind: Kind
    consumed: Callable[[], int] | None
    encoding: str | None = None


class _Pull(io.RawIOBase):
    """A stream over a function that reads. Closing it closes nothing below."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._late: TraceError | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """As much as fits, so that a look ahead sees all of `PEEK`."""
        view, at = memoryview(buffer), 0
        while (at == 0 or len(view) - at >= _ROOM) and self._late is None:
            try:
                piece = self._read(len(view) - at)
            except TraceError as error:
                self._late = error
                break
            if not piece:
                return at
            view[at : at + len(piece)] = piece
            at += len(piece)
        if at == 0 and self._late is not None:
            raise self._late
        return at


class _Count:
    """Reads on behalf of a layer and counts. It looks like a file as far as pyarrow asks."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.num_bytes = 0

    def read(self, size: int = -1) -> bytes:
        piece = self._stream.read(size)
        self.num_bytes += len(piece)
        return piece

    def close(self) -> None:
        """Whoever opened the stream closes it."""


def peeled(name: str, stream: BinaryIO) -> Content:
    """The content of an open file that stands at its beginning: one that can be rewound, or of `unpacking`.

    Raises:
        TraceError: a kind of file that is not read here.
    """
    below = _Count(stream)
    if isinstance(stream, io.BufferedReader) and isinstance(stream.raw, _Pull):
        head = stream.peek(PEEK)
    else:
        head = stream.read(PEEK)
        stream.seek(0)
    now: BinaryIO = stream
    for _ in range(MOST_LAYERS):
        layer = next((one for magic, one in _PACKED.items() if head.startswith(magic)), None)
        if layer is None:
            break
        now = unpacking(name, layer[0], layer[1](below if now is stream else _Count(now)))
        head = cast(io.BufferedReader, now).peek(PEEK)
    if any(head.startswith(magic) for magic in _PACKED):
        raise refusals.too_deep(name, MOST_LAYERS)
    consumed = None if now is stream else lambda: below.num_bytes
    kind = kind_of(name, head)
    if kind != "text":
        return Content(now, kind, consumed)
    encoding = encoding_of(name, head)
    if encoding is not None:
        now = _buffered(_recoding(name, encoding, now))
        head = cast(io.BufferedReader, now).peek(PEEK)
    if b"\r" in head and b"\n" not in head:
        now = _buffered(_lines_of(now))
    return Content(now, "text", consumed, encoding)


def _buffered(read: Read) -> BinaryIO:
    return io.BufferedReader(_Pull(read), PEEK)


def unpacking(name: str, kind: str, inner: Any) -> BinaryIO:
    """A stream of what `inner` unpacks: within limits, and with errors that name the file."""
    total = 0

    def read(size: int) -> bytes:
        nonlocal total
        try:
            piece = bytes(inner.read1(size))  # what is whole comes out before the break is told
        except _BROKEN:
            raise refusals.damaged(name, kind) from None
        total += len(piece)
        if total > MOST_UNPACKED:
            raise refusals.too_much(name, MOST_UNPACKED)
        return piece

    return _buffered(read)


def _recoding(name: str, encoding: str, below: BinaryIO) -> Read:
    decoder = codecs.getincrementaldecoder(encoding)()

    def read(size: int) -> bytes:
        while True:
            raw = below.read(max(4, size // 4))  # one unit of an encoding is at most four bytes of UTF-8
            try:
                text = decoder.decode(raw, final=not raw).encode("utf-8")
            except UnicodeError:
                raise problems.not_text(Place(name), f"it is not whole {encoding.upper()}") from None
            if text or not raw:
                return text

    return read


def _lines_of(below: BinaryIO) -> Read:
    return lambda size: below.read(size).replace(b"\r", b"\n")


def _arrow(codec: str) -> Callable[[Any], Any]:
    def make(source: Any) -> Any:
        import pyarrow  # comes with streamlit, and takes a while to load

        return pyarrow.CompressedInputStream(pyarrow.PythonFile(source, mode="r"), codec)

    return make


_PACKED: MappingProxyType[bytes, tuple[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        b"\x1f\x8b": ("gzip", lambda source: gzip.GzipFile(fileobj=source, mode="rb")),
        b"BZh91AY&SY": ("bzip2", bz2.BZ2File),
        b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
        b"\x28\xb5\x2f\xfd": ("zstd", _arrow("zstd")),
        b"\x04\x22\x4d\x18": ("lz4", _arrow("lz4")),
    }
)
