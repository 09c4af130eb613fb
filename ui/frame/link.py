"""The link: parts that features declare, read once into the session and written back whenever they change.

The frame knows what a part is, not which there are: the list of them stands at the top and is handed to
``begin``. The address bar is the only storage, so a reload or a shared link brings every part back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import streamlit as st

T = TypeVar("T")
Query = Mapping[str, str]
Parts = Sequence["LinkPart[Any]"]
_PARTS, _LOST, _OPENED = "link_parts", "link_lost", "link_opened"


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


@dataclass(frozen=True, eq=False)
class LinkPart(Kept[T]):
    """A kept value that stands in the link.

    ``names``: its parameters, and the key of the word that a person knows each by when it is lost. ``read``
    takes the value from a query, with the names of what could not be used; it never raises, for links are
    typed, cut off and forwarded by people. ``write`` gives the parameters back. ``hear`` is told when any
    part was set: which, what it was, what it is. ``personal``: parameters that are the visitor's own, so that
    an address that is handed on is without them. ``only_on``: the one page to which they mean anything.
    """

    names: Mapping[str, str]
    read: Callable[[Query], tuple[T, list[str]]]
    write: Callable[[T], dict[str, str]]
    hear: Callable[[LinkPart[Any], Any, Any], None] | None = None
    personal: frozenset[str] = frozenset()
    only_on: str | None = None

    def set(self, value: T) -> None:
        """Replace it; every part of this visitor's link hears of it."""
        before = self.get()
        super().set(value)
        for part in cast(Parts, st.session_state.get(_PARTS, ())):
            if part.hear is not None:
                part.hear(self, before, value)


def begin(parts: Parts) -> None:
    """Once per script run, before anything is drawn: read the link the first time."""
    state = st.session_state
    first = _PARTS not in state
    state[_PARTS] = parts
    if first:
        query = {name: value for name, value in st.query_params.items() if isinstance(value, str)}
        state[_OPENED], state[_LOST] = bool(query), []
        for part in parts:
            state[part.key], unread = part.read(query)
            state[_LOST] += [part.names[name] for name in unread]


def lost() -> list[str]:
    """What of an opened link could not be used, as keys of the string tables. Told once."""
    return cast("list[str]", st.session_state.pop(_LOST, []))


def write() -> None:
    """Once per script run, at its end: put every part into the address bar, without a rerun.

    An opened link is left alone until something changes: writing the query drops the part behind ``#``,
    in which the stage looks for its step.
    """
    wanted: dict[str, str] = {}
    for part in cast(Parts, st.session_state[_PARTS]):
        wanted |= part.write(part.get())
    if not st.session_state.pop(_OPENED, False) and dict(st.query_params.items()) != wanted:
        st.query_params.from_dict(wanted)
