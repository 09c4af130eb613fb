"""GGUF files: metadata and tensors of a model in one file, read by offset, nothing executed.

magic "GGUF" | version | number of tensors | number of metadata entries
metadata: name, type, value …
tensors:  name, shape (fastest axis first), type, offset …
padding to the alignment, then the data
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from core.backends.base import Floats
from core.backends.models.entries import Entries
from core.backends.models.gguf_more_quants import form_of, name_of, readable
from core.backends.models.gguf_quants import FORMATS, dequantise
from core.backends.models.model_file import MOST_HEAD, ModelFile, in_mib
from core.backends.models.refusals import refusal
from core.errors import BackendError

MOST_AXES = 4
MOST_ENTRIES, MOST_TENSORS, MOST_TEXTS = 2**16, 2**17, 2**21
"""Some ten times what models have; each takes far more memory than its place in the file."""

MAGIC = b"GGUF"
VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor lies: ``shape`` with the fastest axis last, ``kind`` as in ``gguf_quants.FORMATS``,
    ``offset`` from the beginning of the data."""

    shape: tuple[int, ...]
    kind: int
    offset: int


class GgufFile:
    """An opened file. Metadata is read at once, tensors when they are asked for.

    Raises:
        BackendError: this is no whole GGUF file, or it says what cannot be.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = ModelFile(path)
        with self._file.opened() as stream:
            if stream.read(4) != MAGIC:
                raise refusal("unreadable", path.name)
            self.metadata, self.tensors, end = self._head(_Reader(stream, self._file.size))
        self.entries = Entries(path.name, self.metadata)
        alignment = self.entries.number("general.alignment", 32)
        self._start = -(-end // alignment) * alignment
        self._refuse_other_places(alignment)

    def _head(self, reader: _Reader) -> tuple[dict[str, Any], dict[str, Tensor], int]:
        """Metadata, tensors and where the head ends."""
        try:
            (version,) = reader.values("I")
            if version not in VERSIONS:
                raise refusal("version", self.path.name, found=version, supported="2, 3")
            return _read_head(reader)
        except _TwiceError as twice:
            raise refusal("twice", self.path.name, part=twice) from twice
        except _LargeError as large:
            raise refusal("large", self.path.name, part=large.part, most=large.most) from large
        except (struct.error, IndexError) as problem:
            raise refusal("cut_off", self.path.name, part="the head") from problem
        except (KeyError, ValueError) as problem:  # a kind that is none, a text that is none
            raise refusal("damaged", self.path.name, part="the head") from problem

    def _refuse_other_places(self, alignment: int) -> None:
        """Tensors lie inside the file, each in a place of its own: memory for them is bounded by its size."""
        room, places = self._file.size - self._start, []
        for name, place in self.tensors.items():
            form = form_of(place.kind)
            if form is None:
                raise self._other_form(name)  # of unknown size: nothing about its place can be told
            if place.shape[-1] % form.block or place.offset % alignment or 0 in place.shape:
                raise self.entries.damaged(name)
            size = form.num_bytes(math.prod(place.shape))
            if place.offset + size > room:
                raise refusal("cut_off", self.path.name, part=name)
            places.append((place.offset, place.offset + size, name))
        places.sort()
        for (_, end, _), (begin, _, name) in itertools.pairwise(places):
            if begin < end:
                raise self.entries.damaged(name)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor, the fastest axis last.

        Raises:
            BackendError: one is stored in a form that is not read here.
        """
        for name, place in self.tensors.items():
            if not readable(place.kind):
                raise self._other_form(name)
        return {name: place.shape for name, place in self.tensors.items()}

    def _other_form(self, name: str) -> BackendError:
        found, known = name_of(self.tensors[name].kind), ", ".join(each.name for each in FORMATS.values())
        return refusal("quantised", self.path.name, part=name, found=found, supported=known)

    def tensor(self, name: str) -> Floats:
        """A tensor in float32, freshly made.

        Raises:
            BackendError: it is missing, stored in a form that is not read here, or holds numbers that are
                none.
        """
        if name not in self.tensors:
            raise refusal("missing", self.path.name, part=name)
        place = self.tensors[name]
        form = form_of(place.kind)
        if form is None or not readable(place.kind):
            raise self._other_form(name)
        raw = self._file.read(self._start + place.offset, form.num_bytes(math.prod(place.shape)))
        numbers = dequantise(form, raw).reshape(place.shape)
        if not np.isfinite(numbers).all():
            raise self.entries.damaged(name)
        return numbers


class _TwiceError(ValueError):
    """A name comes twice: readers disagree about which of the two counts."""


class _LargeError(ValueError):
    """More than any model has of this part."""

    def __init__(self, part: str, most: str) -> None:
        super().__init__(part)
        self.part, self.most = part, most


class _Reader:
    """Reads little-endian values one after another; nothing is made for what does not fit into the file, or
    makes its head longer than ``MOST_HEAD``."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._size = size
        self.place = stream.tell()

    def _bytes(self, count: int) -> bytes:
        if count > self._size - self.place:
            raise IndexError
        if self.place + count > MOST_HEAD:
            raise _LargeError("the head", in_mib(MOST_HEAD))
        self.place += count
        return self._stream.read(count)

    def counts(self, **most: int) -> tuple[int, ...]:
        """Counts of what follows, each with its largest."""
        found = self.values("Q" * len(most))
        for count, (part, limit) in zip(found, most.items(), strict=True):
            if count > limit:
                raise _LargeError(f"the head: {part}", str(limit))
        return found

    def values(self, form: str) -> tuple[Any, ...]:
        """Values in struct's notation."""
        return struct.unpack("<" + form, self._bytes(struct.calcsize("<" + form)))

    def text(self) -> str:
        """A string, preceded by its length in bytes."""
        (size,) = self.values("Q")
        return self._bytes(size).decode("utf-8")

    def value(self, kind: int) -> Any:
        """A metadata value: a number, a text, a list of texts, an array of numbers."""
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            (inner,) = self.values("I")
            if inner == _STRING:
                return [self.text() for _ in range(*self.counts(texts=MOST_TEXTS))]
            form = np.dtype("<" + _SCALARS[inner])  # a list of lists no reader of the format takes
            return np.frombuffer(self._bytes(self.values("Q")[0] * form.itemsize), form)
        return self.values(_SCALARS[kind])[0]


def _read_head(reader: _Reader) -> tuple[dict[str, Any], dict[str, Tensor], int]:
    """Metadata, tensors and where the head ends; magic and version are read already."""
    num_tensors, num_entries = reader.counts(tensors=MOST_TENSORS, entries=MOST_ENTRIES)
    metadata: dict[str, Any] = {}
    for _ in range(num_entries):
        name = _new(reader.text(), metadata)
        (kind,) = reader.values("I")
        metadata[name] = reader.value(kind)
    tensors: dict[str, Tensor] = {}
    for _ in range(num_tensors):
        name = _new(reader.text(), tensors)
        (rank,) = reader.values("I")
        if not 1 <= rank <= MOST_AXES:
            raise ValueError("so many axes cannot be")
        shape = tuple(reversed(reader.values(f"{rank}Q")))
        kind, offset = reader.values("IQ")
        tensors[name] = Tensor(shape, kind, offset)
    return metadata, tensors, reader.place


def _new(name: str, known: Container[str]) -> str:
    if name in known:
        raise _TwiceError(name)
    return name
