"""How many threads numpy's linear algebra uses. torch has a switch of its own.

Environment variables come too late once numpy is imported, so the library inside numpy's wheel is asked
itself. Where that is another one (Apple's Accelerate) nothing can be set, and results say so.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

_PREFIXES = ("scipy_openblas_", "openblas_")
_SUFFIXES = ("64_", "")


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL | None:
    """The OpenBLAS that numpy has loaded already."""
    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs", package / ".libs"):
        for path in sorted(folder.glob("*openblas*")):
            return ctypes.CDLL(str(path))
    return None


@lru_cache(maxsize=2)
def _function(name: str) -> Any:
    library = _library()
    names = (f"{prefix}{name}{suffix}" for prefix in _PREFIXES for suffix in _SUFFIXES)
    return next((getattr(library, full) for full in names if hasattr(library, full)), None)


def use_numpy_threads(count: int) -> bool:
    """Let numpy compute with so many threads from now on; False if it does not.

    The number belongs to the process and is not put back: everybody here asks for the same one, and putting
    it back while another visitor's thread computes would change the other's number.
    """
    switch = _function("set_num_threads")
    if switch is None:
        return False
    switch(ctypes.c_int(count))
    return numpy_threads() == count


def numpy_threads() -> int | None:
    """How many threads numpy computes with; None if nobody can tell."""
    question = _function("get_num_threads")
    return None if question is None else int(question())
