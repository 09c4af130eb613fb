"""The files inside a zip or tar archive, each as a log file of its own.

An Excel file is a zip archive too and is told apart by what lies in it. Hidden files and folders, and what
macOS adds, are no logs. An archive's own word on how long its files are is checked before anything is
unpacked, and holds while it is: whatever is longer breaks off.
"""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast

from core.texts import escaped
from core.traces import problems
from core.traces.packing import refusals
from core.traces.packing.layers import MOST_UNPACKED, Content, peeled, unpacking
from core.traces.packing.sources import TraceFile

MOST_FILES = 1000
_MOST_HELD = 2**28
_DIGITS = re.compile(r"([0-9]{1,15})")
_EXCEL = "xl/workbook.xml"
_BROKEN = (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Member(TraceFile):
    """A file inside an archive; `data` is the archive's."""

    archive: TraceFile
    kind: str
    inside: str
    length: int

    @contextmanager
    def reading(self) -> Generator[BinaryIO, None, None]:
        """The member's content."""
        with self.archive.content() as content:
            try:
                with _opened(self.archive, content, self.kind, self.inside) as stream:
                    yield stream
            except RuntimeError as error:
                if "password" in str(error) or "encrypted" in str(error):
                    raise refusals.locked(self.name) from None
                raise
            except _BROKEN:
                raise refusals.damaged(self.name, self.kind) from None

    @contextmanager
    def content(self) -> Generator[Content, None, None]:
        """The member without layers of its own."""
        with self.reading() as stream:
            yield peeled(self.name, unpacking(self.name, self.kind, stream))

    def size(self) -> int:
        """Bytes once unpacked."""
        return self.length


def _by_number(member: tuple[str, int]) -> list[tuple[int, int, str]]:
    """Names with their numbers as numbers: part-10 comes after part-2."""
    return [(1, int(piece), "") if piece.isdecimal() else (0, 0, piece) for piece in _DIGITS.split(member[0])]


@contextmanager
def _opened(file: TraceFile, content: Content, kind: str, inside: str) -> Generator[BinaryIO, None, None]:
    stream = _seekable(file, content)
    if kind == "zip":
        with zipfile.ZipFile(stream) as zipped, zipped.open(inside) as found:
            yield cast(BinaryIO, found)
    else:
        with tarfile.open(fileobj=stream, mode="r:") as tarred:
            member = tarred.extractfile(inside)
            if member is None:
                raise problems.unreadable(file.name, "it is no file")
            yield cast(BinaryIO, member)


def _seekable(file: TraceFile, content: Content) -> BinaryIO:
    """An archive that is packed once more (tar.gz) has to be in memory: its files are looked up."""
    if content.stream.seekable():
        return content.stream
    data = content.stream.read(_MOST_HELD + 1)
    if len(data) > _MOST_HELD:
        raise refusals.too_much(file.name, _MOST_HELD)
    return io.BytesIO(data)


def kind_of_file(file: TraceFile) -> str:
    """text, parquet, arrow, zip, tar, or xlsx.

    Raises:
        TraceError: the file cannot be opened, or is of a kind that is not read here.
    """
    with file.content() as content:
        if content.kind != "zip":
            return content.kind
        try:
            with zipfile.ZipFile(_seekable(file, content)) as archive:
                if _EXCEL not in archive.namelist():
                    return "zip"
                if sum(one.file_size for one in archive.infolist()) > MOST_UNPACKED // 4:
                    raise refusals.too_much(file.name, MOST_UNPACKED // 4)
                return "xlsx"
        except _BROKEN:
            raise refusals.damaged(file.name, "zip") from None


def parts_of(file: TraceFile) -> list[TraceFile]:
    """The file itself, or the files of the archive that it is, by name and number.

    Raises:
        TraceError: the archive is damaged, empty, locked, or unpacks to far too much.
    """
    kind = kind_of_file(file)
    if kind not in ("zip", "tar"):
        return [file]
    with file.content() as content:
        try:
            found = _listed(_seekable(file, content), kind)
        except _BROKEN:
            raise refusals.damaged(file.name, kind) from None
    there = found
    found = sorted(((name, size) for name, size in found if not _is_hidden(name)), key=_by_name)
    if not found:
        hidden = ", ".join(escaped(name) for name, _ in there[:3])
        reason = (
            f"its files are hidden ones ({hidden}), which are no logs"
            if there
            else "the archive holds no file"
        )
        raise problems.empty(file.name, reason)
    if len(found) > MOST_FILES:
        raise refusals.too_many(file.name, len(found), MOST_FILES)
    if sum(size for _, size in found) > MOST_UNPACKED:
        raise refusals.too_much(file.name, MOST_UNPACKED)
    return [Member(f"{file.name}/{name}", file.data, file, kind, name, size) for name, size in found]


def _listed(stream: BinaryIO, kind: str) -> list[tuple[str, int]]:
    if kind == "zip":
        with zipfile.ZipFile(stream) as archive:
            return [(one.filename, one.file_size) for one in archive.infolist() if not one.is_dir()]
    with tarfile.open(fileobj=stream, mode="r:") as archive:
        return [(one.name, one.size) for one in archive if one.isfile()]


def _by_name(found: tuple[str, int]) -> tuple[list[tuple[int, str]], str]:
    """As people count: part-2 comes before part-10."""
    runs = re.findall(r"[0-9]+|[^0-9]+", found[0])
    digits = [run.lstrip("0") if "0" <= run[0] <= "9" else None for run in runs]
    return [(len(n), n) if n is not None else (1, run) for n, run in zip(digits, runs, strict=True)], found[0]


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part.strip(".") for part in name.split("/"))
