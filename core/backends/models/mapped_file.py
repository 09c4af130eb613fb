"""A file's bytes without reading them: only what is asked for comes into memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.backends.models.refusals import refusal


def is_there(path: Path) -> bool:
    """Whether it is a file that may be looked at; a link to one counts, a folder or a pipe does not."""
    try:
        return path.is_file()
    except OSError:  # no permission, a name that cannot be one
        return False


def mapped(path: Path) -> NDArray[np.uint8]:
    """All bytes of a file, shape [n], n > 0, read-only.

    Raises:
        BackendError: there is no such file, it is empty, or it is a folder or a device.
    """
    try:
        if is_there(path):  # a pipe would be waited for
            return np.memmap(path, np.uint8, "r")
        problem: Exception = FileNotFoundError(path)
    except (OSError, ValueError) as found:
        problem = found
    raise refusal("unreadable", path.name) from problem
