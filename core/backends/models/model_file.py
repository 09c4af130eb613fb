"""A file's bytes, read when they are asked for and never mapped into memory: when a mapped file is cut short
by somebody else, the system ends the whole server (SIGBUS), for all its visitors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.backends.models.refusals import refusal

PIECE = 2**24
"""Bytes that ``pieces`` reads at once."""

MOST_HEAD = 64 * 2**20
"""Bytes of the largest head of a file, or settings file, that is read: four times what the largest
vocabulary that people use needs. Read values take several times their place, and a sparse file is as long as
it likes."""

MOST_TOKENIZER = 128 * 2**20
"""Bytes of the largest ``tokenizer.json`` that is read."""


def small_file(path: Path, file: str, most: int = MOST_HEAD) -> bytes | None:
    """All of a file that is read at once, None where there is none; ``file`` is what a refusal names.

    Raises:
        BackendError: it has more than ``most`` bytes (``backend.model_large``), or may not be read.
    """
    if not is_there(path):  # a pipe would be waited for
        return None
    try:
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            raw = b"" if size > most else stream.read(size)
    except OSError as problem:  # no permission
        raise refusal("unreadable", file) from problem
    if size > most:
        raise refusal("large", file, part=path.name, most=in_mib(most))
    return raw


def in_mib(count: int) -> str:
    """A limit as a refusal tells it."""
    return f"{count // 2**20} MiB"


def is_there(path: Path) -> bool:
    """Whether it is a file that may be looked at; a link to one counts, a folder or a pipe does not."""
    try:
        return path.is_file()
    except OSError:  # no permission, a name that cannot be one
        return False


class ModelFile:
    """A file of ``size`` > 0 bytes that stays as it was when it was opened here: what was checked in its head
    holds for the numbers that are read later.

    All methods raise ``BackendError``: ``backend.model_changed`` when somebody wrote to the file meanwhile,
    replaced it or took it away, ``…_unreadable`` when there is none, it is empty, or a folder or a device.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._state: tuple[int, ...] = ()
        try:
            found = is_there(path) and path.stat()  # a pipe would be waited for
        except OSError as problem:
            raise refusal("unreadable", path.name) from problem
        if not found or not found.st_size:
            raise refusal("unreadable", path.name)
        self.size, self._state = found.st_size, _state_of(found)
        with self.opened():
            pass  # no permission is told now

    @contextmanager
    def opened(self) -> Iterator[BufferedReader]:
        """For reading from the beginning on. Nothing is held open between two readings."""
        try:
            with self.path.open("rb") as stream:
                self._refuse_change(stream)
                yield stream
                self._refuse_change(stream)
        except FileNotFoundError as problem:
            raise refusal("changed", self.path.name) from problem
        except OSError as problem:
            raise refusal("unreadable", self.path.name) from problem

    def read(self, first: int, count: int) -> NDArray[np.uint8]:
        """Bytes ``first`` … ``first + count - 1``, which must lie inside, in memory of their own."""
        found = bytearray(count)
        with self.opened() as stream:
            stream.seek(first)
            if stream.readinto(found) < count:
                raise refusal("changed", self.path.name)
        return np.frombuffer(found, np.uint8)

    def pieces(self, first: int, count: int) -> Iterator[NDArray[np.uint8]]:
        """The same bytes, never many of them at once."""
        for start in range(first, first + count, PIECE):
            yield self.read(start, min(PIECE, first + count - start))

    def _refuse_change(self, stream: BufferedReader) -> None:
        if _state_of(os.fstat(stream.fileno())) != self._state:
            raise refusal("changed", self.path.name)


def _state_of(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
