"""GGUF files: metadata and tensors of a model in one file, read by offset, nothing executed.

magic "GGUF" | version | number of tensors | number of metadata entries
metadata: name, type, value …
tensors:  name, shape (fastest axis first), type, offset …
padding to the alignment, then the data
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.backends.base import Floats
from core.backends.models.gguf_entries import Entries
from core.backends.models.gguf_quants import FORMATS, dequantise
from core.backends.models.refusals import refusal

MOST_AXES = 4
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
        try:
            self._data: NDArray[np.uint8] = np.memmap(path, np.uint8, "r")
        except (OSError, ValueError) as problem:
            raise refusal("unreadable", path.name) from problem
        if bytes(self._data[:4]) != MAGIC:
            raise refusal("unreadable", path.name)
        reader = _Reader(self._data.data)
        try:
            (version,) = reader.values("4xI")
            if version not in VERSIONS:
                raise refusal("version", path.name, found=version, supported="2, 3")
            self.metadata, self.tensors, end = _read_head(reader)
        except (struct.error, IndexError) as problem:
            raise refusal("cut_off", path.name, part="the head") from problem
        except (KeyError, ValueError) as problem:  # a kind that is none, a text that is none
            raise refusal("damaged", path.name, part="the head") from problem
        self.entries = Entries(path.name, self.metadata)
        alignment = self.entries.number("general.alignment", 32)
        self._start = -(-end // alignment) * alignment
        self._refuse_more_than_there_is()

    def _refuse_more_than_there_is(self) -> None:
        """Tensors lie inside the file, each in a place of its own: memory for them is bounded by its size."""
        rest = room = len(self._data) - self._start
        for name, place in self.tensors.items():
            form = FORMATS.get(place.kind)
            if form is None:
                continue  # refused when it is asked for
            size = form.num_bytes(math.prod(place.shape))
            if place.offset + size > room:
                raise refusal("cut_off", self.path.name, part=name)
            rest -= size
            if rest < 0:
                raise self.entries.damaged(name)

    def tensor(self, name: str) -> Floats:
        """A tensor in float32, freshly made.

        Raises:
            BackendError: it is missing, cut off, stored in a form that is not read here, or holds numbers
                that are none.
        """
        if name not in self.tensors:
            raise refusal("missing", self.path.name, part=name)
        place = self.tensors[name]
        form = FORMATS.get(place.kind)
        if form is None:
            known = ", ".join(each.name for each in FORMATS.values())
            raise refusal("quantised", self.path.name, part=name, found=f"type {place.kind}", supported=known)
        size = math.prod(place.shape)
        first = self._start + place.offset
        raw = self._data[first : first + form.num_bytes(size)]
        if len(raw) < form.num_bytes(size):
            raise refusal("cut_off", self.path.name, part=name)
        if size % form.block:
            raise self.entries.damaged(name)
        numbers = dequantise(form, raw).reshape(place.shape)
        if not np.isfinite(numbers).all():
            raise self.entries.damaged(name)
        return numbers


class _Reader:
    """Reads little-endian values one after another."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self.place = 0

    def values(self, form: str) -> tuple[Any, ...]:
        """Values in struct's notation."""
        values = struct.unpack_from("<" + form, self._data, self.place)
        self.place += struct.calcsize("<" + form)
        return values

    def text(self) -> str:
        """A string, preceded by its length in bytes."""
        (size,) = self.values("Q")
        raw = bytes(self._data[self.place : self.place + size])
        if len(raw) < size:
            raise IndexError
        self.place += size
        return raw.decode("utf-8")

    def value(self, kind: int) -> Any:
        """A metadata value: a number, a text, or a list of either."""
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            inner, count = self.values("IQ")
            if count > len(self._data):
                raise IndexError
            if inner == _ARRAY:
                raise ValueError("a list of lists, which no reader of the format takes")
            if inner in _SCALARS:
                return list(self.values(f"{count}{_SCALARS[inner]}"))
            return [self.value(inner) for _ in range(count)]
        return self.values(_SCALARS[kind])[0]


def _read_head(reader: _Reader) -> tuple[dict[str, Any], dict[str, Tensor], int]:
    """Metadata, tensors and where the head ends; magic and version are read already."""
    num_tensors, num_entries = reader.values("QQ")
    metadata: dict[str, Any] = {}
    for _ in range(num_entries):
        name = reader.text()
        (kind,) = reader.values("I")
        metadata[name] = reader.value(kind)
    tensors: dict[str, Tensor] = {}
    for _ in range(num_tensors):
        name = reader.text()
        (rank,) = reader.values("I")
        if not 1 <= rank <= MOST_AXES:
            raise ValueError("so many axes cannot be")
        shape = tuple(reversed(reader.values(f"{rank}Q")))
        kind, offset = reader.values("IQ")
        tensors[name] = Tensor(shape, kind, offset)
    return metadata, tensors, reader.place
