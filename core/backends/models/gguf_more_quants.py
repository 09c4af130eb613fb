"""Packed forms that we do not unpack ourselves: the ``gguf`` package does, where it is installed.

It is optional, and none of it is used for the forms of ``gguf_quants.FORMATS``.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache, partial
from typing import Any

import numpy as np

from core.backends.base import Floats
from core.backends.models.gguf_quants import FORMATS, Bytes, Format
from core.extras import how_to_add

_SIZES = {
    9: ("Q8_1", 32, 40),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66),
    17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18),
    21: ("IQ3_S", 256, 110),
    22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1),
    25: ("I16", 1, 2),
    26: ("I32", 1, 4),
    27: ("I64", 1, 8),
    28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56),
    34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
}
"""Number in the file -> name, numbers in a block, bytes of a block."""

PACKED = (10, 11, 16, 17, 18, 19, 20, 21, 22, 23, 29, 34, 35, 39)
"""Those that the package unpacks. Whole numbers and the forms of activations hold no weights."""


def form_of(kind: int) -> Format | None:
    """A form by its number in the file, whether it can be unpacked here or not; None: nobody knows it."""
    if kind in FORMATS:
        return FORMATS[kind]
    if kind not in _SIZES:
        return None
    return Format(*_SIZES[kind], partial(_unpack, kind))


def readable(kind: int) -> bool:
    """Whether weights of this form can be unpacked here."""
    return kind in FORMATS or (kind in PACKED and _is_there() and _package_unpacks(kind))


def name_of(kind: int) -> str:
    """The form as people call it, and how to read it where a package would."""
    form = form_of(kind)
    if form is None:
        return f"type {kind}"
    return f"{form.name} ({how_to_add('gguf')})" if kind in PACKED else form.name


def _is_there() -> bool:
    """Asked each time: a server that runs on finds what is added meanwhile."""
    return importlib.util.find_spec("gguf") is not None


@cache
def _package_unpacks(kind: int) -> bool:
    """Tried on one block: the package may be missing, lack what it needs, or be too old for this form."""
    _, _, size = _SIZES[kind]
    try:
        _unpack(kind, np.zeros((1, size), np.uint8))
    except Exception:  # noqa: BLE001 - whatever another's package says, it does not unpack this here
        return False
    return True


def _unpack(kind: int, blocks: Bytes) -> Floats:
    gguf: Any = importlib.import_module("gguf")  # only now: importing takes a while
    numbers = gguf.quants.dequantize(np.ascontiguousarray(blocks), gguf.GGMLQuantizationType(kind))
    found: Floats = np.asarray(numbers, np.float32).reshape(len(blocks), -1)
    return found
