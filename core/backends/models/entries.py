"""What a model says of itself (GGUF's metadata, a config.json), by kind: what is of another kind, or cannot
be, is refused, never computed with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.backends.models.refusals import refusal
from core.errors import BackendError

_MOST = 2**31 - 1
"""No count of a model is larger, and products of a few of them stay exact everywhere."""

_LARGEST = 1e30
"""No base, factor or epsilon is larger, and float32 holds it."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Name -> value as read from ``file``, which calls it ``prefix + name``. Methods raise
    ``BackendError`` for a value that cannot be, and, without a default, for a missing one."""

    file: str
    values: Mapping[str, Any]
    prefix: str = ""

    def number(self, name: str, default: int | None = None, least: int = 1) -> int:
        """A whole number from ``least`` on."""
        value = self._get(name, default)
        if type(value) is not int or not least <= value <= _MOST:
            raise self.damaged(name)
        return value

    def index(self, name: str, count: int) -> int | None:
        """A place in a list of so many, None if the entry is missing."""
        if name not in self.values:
            return None
        value = self.number(name, least=0)
        if value >= count:
            raise self.damaged(name)
        return value

    def real(self, name: str, default: float | None = None) -> float:
        """A finite number above 0."""
        value = self._get(name, default)
        if type(value) not in (int, float) or not 0 < value < math.inf or value > _LARGEST:
            raise self.damaged(name)
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """Yes or no."""
        value = self._get(name, default)
        if type(value) is not bool:
            raise self.damaged(name)
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        value = self._get(name, default)
        if type(value) is not str:
            raise self.damaged(name)
        return value

    def texts(self, name: str) -> list[str]:
        """A list of texts; a missing one is refused."""
        value = self._get(name, None)
        if type(value) is not list or not all(isinstance(one, str) for one in value):
            raise self.damaged(name)
        return value

    def numbers(self, name: str, like: Sequence[object]) -> list[float]:
        """Finite numbers out of an array, as many as ``like`` has; zeros if it is missing."""
        found = self._get(name, np.zeros(len(like)))
        if not isinstance(found, np.ndarray) or len(found) != len(like) or not np.isfinite(found).all():
            raise self.damaged(name)
        numbers: list[float] = found.tolist()
        return numbers

    def _get(self, name: str, default: Any) -> Any:
        value = self.values.get(name, default)
        if value is None:
            raise refusal("missing", self.file, part=self.prefix + name)
        return value

    def damaged(self, part: str) -> BackendError:
        """The refusal of a part that cannot be."""
        return refusal("damaged", self.file, part=self.prefix + part)
