"""safetensors files: a JSON head that says where each tensor lies, then the bare data; nothing is executed.

length of the head (8 bytes)
{"name": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, …}
data
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.backends.base import Floats
from core.backends.models.gguf_quants import bfloat16
from core.backends.models.refusals import refusal


def _plain(dtype: str) -> Callable[[NDArray[np.uint8]], Floats]:
    return lambda raw: np.array(raw.view(dtype), np.float32)


FORMS = {"F32": _plain("<f4"), "F16": _plain("<f2"), "BF16": bfloat16}
"""How tensors may be stored, and how each form becomes float32."""


class SafetensorsFile:
    """An opened file: tensors are read when they are asked for.

    Raises:
        BackendError: the head cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._data: NDArray[np.uint8] = np.memmap(path, np.uint8, "r")
            size = int(self._data[:8].view("<u8")[0])
            self._head = _entries(json.loads(bytes(self._data[8 : 8 + size])))
        except (OSError, ValueError, IndexError) as problem:
            raise refusal("unreadable", path.name) from problem
        self._start = 8 + size

    def names(self) -> list[str]:
        """All tensors in the file."""
        return list(self._head)

    def tensor(self, name: str) -> Floats:
        """A tensor in float32, freshly made.

        Raises:
            BackendError: it is cut off, or stored as something else than 16 or 32 bit floats.
        """
        entry = self._head[name]
        unpack = FORMS.get(entry["dtype"])
        if unpack is None:
            found, known = entry["dtype"], ", ".join(FORMS)
            raise refusal("quantised", self.path.name, part=name, found=found, supported=known)
        first, last = (self._start + place for place in entry["data_offsets"])
        numbers = unpack(self._data[first:last]) if last <= len(self._data) else None
        if numbers is None or numbers.size != int(np.prod(entry["shape"])):
            raise refusal("cut_off", self.path.name, part=name)
        return numbers.reshape(entry["shape"])


def _entries(head: Any) -> dict[str, dict[str, Any]]:
    """The tensors in a head.

    Raises:
        ValueError: it is not what the format says.
    """
    if not isinstance(head, dict):
        raise ValueError("no object")
    entries = {name: entry for name, entry in head.items() if name != "__metadata__"}
    for entry in entries.values():
        if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= entry.keys():
            raise ValueError("no tensor")
    return entries
