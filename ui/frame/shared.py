"""Results that all visitors of a server share: computed once, whoever asks first; the others wait for it.

State belongs to a session, and this is no state: what stands here is a pure function of its key, so that no
visitor can tell whether another was there. Three rules keep it so; tests/app/test_shared.py holds them. A key
has only what the app itself offers in it (presets, numbers, samples, machines, the language), nothing of an
upload, a paste or a typed text. What is made reads nothing but its key. Nobody changes what they get.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable
from functools import partial
from threading import Lock
from typing import Generic, TypeVar, cast
from weakref import WeakValueDictionary

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


class Making(Generic[T]):
    """A result that is made in pieces, now and then, perhaps for several visitors. One thread at a time."""

    def __init__(self, pieces: Generator[None, None, T], keep: Callable[[Making[T]], None]) -> None:
        self._pieces: Generator[None, None, T] | None = pieces
        self._keep = keep
        self._made: list[T] = []
        self._error: Exception | None = None

    @property
    def done(self) -> bool:
        """Whether it is made."""
        return bool(self._made)

    @property
    def made(self) -> T:
        """The result, once it is made."""
        return self._made[0]

    def go_on(self, may: Callable[[], bool]) -> None:
        """One piece, and more as long as ``may`` says so. An error of the making is everybody's."""
        while not self.done:
            if self._error is not None:
                raise self._error.with_traceback(None)
            assert self._pieces is not None, "what is not made has pieces left"
            try:
                next(self._pieces)
            except StopIteration as end:
                self._made.append(end.value)
                self._pieces = None  # and all that it held
                self._keep(self)
            except Exception as error:
                self._error = error
                raise
            if not may():
                return


class SharedPieces(Generic[T]):
    """Like ``Shared`` for what takes long: whoever needs it takes it on a bit, and all have that. What is
    half made lives as long as somebody holds it: when the last visitor who wanted it has gone, so has it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, Making[T]] = OrderedDict()
        self._under_way: WeakValueDictionary[Hashable, Making[T]] = WeakValueDictionary()
        self._lock = Lock()

    def get(self, made_from: Hashable, start: Callable[[], Generator[None, None, T]]) -> Making[T]:
        """The result, made or in the making."""
        with self._lock:
            if made_from in self._made:
                self._made.move_to_end(made_from)
                return self._made[made_from]
            making = self._under_way.get(made_from)
            if making is None:
                making = self._under_way[made_from] = Making(start(), partial(self._keep, made_from))
            return making

    def _keep(self, made_from: Hashable, making: Making[T]) -> None:
        with self._lock:
            self._made[made_from] = making
            while len(self._made) > self._most:
                self._made.popitem(last=False)
