"""safetensors files: a JSON head that says where each tensor lies, then the bare data; nothing is executed.

length of the head (8 bytes)
{"name": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, …}
data
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.backends.base import Floats
from core.backends.models.gguf_quants import bfloat16
from core.backends.models.json_file import parse_json
from core.backends.models.model_file import MOST_HEAD, ModelFile, in_mib
from core.backends.models.refusals import refusal
from core.errors import BackendError


def _plain(dtype: str) -> Callable[[NDArray[np.uint8]], Floats]:
    return lambda raw: np.array(raw.view(dtype), np.float32)


FORMS = {"F32": _plain("<f4"), "F16": _plain("<f2"), "BF16": bfloat16}
"""How tensors may be stored, and how each form becomes float32."""


_WIDTHS = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}
"""Bytes of a number, for the forms whose places can be checked."""

MOST_AXES = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tensor lies: from ``first`` to ``last``, in bytes from the beginning of the data."""

    dtype: str
    shape: tuple[int, ...]
    first: int
    last: int


class SafetensorsFile:
    """An opened file: tensors are read when they are asked for.

    Raises:
        BackendError: the head cannot be read, or says what cannot be. The tensors must fill the file, one
            after another, as the format demands: memory for them is bounded by its size.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = ModelFile(path)
        if self._file.size < 8:
            raise refusal("unreadable", path.name)
        size = int(self._file.read(0, 8).view("<u8")[0])
        self._start = 8 + size
        if self._start > self._file.size:
            raise refusal("cut_off", path.name, part="the head")
        if size > MOST_HEAD:
            raise refusal("large", path.name, part="the head", most=in_mib(MOST_HEAD))
        try:
            head = parse_json(self._file.read(8, size).tobytes())
        except ValueError as problem:
            raise refusal("unreadable", path.name) from problem
        self._places = {name: self._place(name, one) for name, one in head.items() if name != "__metadata__"}
        self._refuse_holes()

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor, matrices as [out, in]."""
        return {name: place.shape for name, place in self._places.items()}

    def names(self) -> list[str]:
        """All tensors in the file."""
        return list(self._places)

    def refuse_other_form(self, name: str) -> None:
        """Before a long loading.

        Raises:
            BackendError: the tensor is stored as something else than 16 or 32 bit floats.
        """
        found = self._places[name].dtype
        if found not in FORMS:
            known = ", ".join(FORMS)
            raise refusal("quantised", self.path.name, part=name, found=found, supported=known)

    def pieces(self, name: str) -> Iterator[NDArray[np.uint8]]:
        """A tensor's bytes, a part at a time."""
        place = self._places[name]
        return self._file.pieces(self._start + place.first, place.last - place.first)

    def tensor(self, name: str) -> Floats:
        """A tensor in float32, freshly made.

        Raises:
            BackendError: it is stored as something else than 16 or 32 bit floats, or holds numbers that are
                none.
        """
        self.refuse_other_form(name)
        place = self._places[name]
        numbers = FORMS[place.dtype](
            self._file.read(self._start + place.first, place.last - place.first)
        ).reshape(place.shape)
        if not np.isfinite(numbers).all():
            raise self._damaged(name)
        return numbers

    def _place(self, name: str, entry: Any) -> Place:
        """A tensor's entry in the head."""
        match entry:
            case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [first, last]}:
                counts = [first, last, *shape]
                if len(shape) > MOST_AXES or any(type(one) is not int or one < 0 for one in counts):
                    raise self._damaged(name)
                if self._start + last > self._file.size:
                    raise refusal("cut_off", self.path.name, part=name)
                width = _WIDTHS.get(dtype)
                if first > last or (width and last - first != width * math.prod(shape)):
                    raise self._damaged(name)
                return Place(dtype, tuple(shape), first, last)
        raise self._damaged(name)

    def _refuse_holes(self) -> None:
        end = 0
        for name, place in sorted(self._places.items(), key=lambda item: (item[1].first, item[1].last)):
            if place.first != end:
                raise self._damaged(name)
            end = place.last
        if self._start + end != self._file.size:
            raise self._damaged("the end")

    def _damaged(self, part: str) -> BackendError:
        return refusal("damaged", self.path.name, part=part)
