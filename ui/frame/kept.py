"""What the session keeps of one visitor, each value behind one accessor that its room declares."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

import streamlit as st

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Kept(Generic[T]):
    """A value of one visitor that lives as long as the session. ``key``: its name there, once in the house;
    ``usual`` makes what it is before anybody has set it."""

    key: str
    usual: Callable[[], T]

    def get(self) -> T:
        """This visitor's."""
        if self.key not in st.session_state:
            st.session_state[self.key] = self.usual()
        return cast(T, st.session_state[self.key])

    def set(self, value: T) -> None:
        """Replace it."""
        st.session_state[self.key] = value


_TOLD = "notices_told"


@dataclass(frozen=True)
class Notice(Generic[T]):
    """Something to tell this visitor once, where the page next has a place for it.

    A run of the script that stops in the middle (``st.rerun``, a click meanwhile) leaves nothing on screen:
    so a notice is forgotten only when a run that drew it has come to its end (``forget_told``).
    """

    key: str

    def set(self, value: T) -> None:
        """To be told from now on."""
        st.session_state[self.key] = value
        st.session_state.get(_TOLD, set()).discard(self.key)

    def tell(self) -> T | None:
        """What is to be drawn now, if there is anything."""
        if self.key not in st.session_state:
            return None
        st.session_state.setdefault(_TOLD, set()).add(self.key)
        return cast(T, st.session_state[self.key])


def forget_told() -> None:
    """Once per script run, at its end: what was drawn has been told."""
    for key in st.session_state.pop(_TOLD, ()):
        st.session_state.pop(key, None)


@dataclass(frozen=True)
class LastFew:
    """Results of one visitor, each under what it was made from; the last ``most`` of them are kept."""

    key: str
    most: int

    def get(self, made_from: Hashable, make: Callable[[], T]) -> T:
        """The result; it is made if it is not among the last few."""
        known: dict[Hashable, object] = st.session_state.setdefault(self.key, {})
        if made_from not in known:
            known[made_from] = make()
            while len(known) > self.most:
                del known[next(iter(known))]
        return cast(T, known[made_from])
