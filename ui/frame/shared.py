"""Results that all visitors of a server share: computed once, whoever asks first; the others wait for it.

State belongs to a session, and this is no state: what stands here is a pure function of its key, so that no
visitor can tell whether another was there. Three rules keep it so; tests/app/test_shared.py holds them. A key
has only what the app itself offers in it (presets, numbers, samples, machines, the language), nothing of an
upload, a paste or a typed text. What is made reads nothing but its key. Nobody changes what they get.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar, cast

T = TypeVar("T")


class Shared:
    """Results of one kind, each under what it was made from; the ``most`` that were asked for last stay."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Hashable, object] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, made_from: Hashable, make: Callable[[], T]) -> T:
        """The result. Who comes while it is made waits; if the making fails, the next one tries."""
        with self._lock:
            if made_from in self._found:
                self._found.move_to_end(made_from)
                return cast(T, self._found[made_from])
            alone = self._making.setdefault(made_from, Lock())
        with alone:
            with self._lock:
                if made_from in self._found:  # made while we waited
                    return cast(T, self._found[made_from])
            try:
                made = make()
                self._keep(made_from, made)
            finally:
                self._making.pop(made_from, None)
        return made

    def _keep(self, made_from: Hashable, made: object) -> None:
        with self._lock:
            self._found[made_from] = made
            while len(self._found) > self._most:
                self._found.popitem(last=False)
