"""The link: parts that features declare, read once into the session and written back whenever they change.

The frame knows what a part is, not which there are: the list of them stands at the top and is handed to
``begin``. The address bar is the only storage, so a reload or a shared link brings every part back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import streamlit as st

from ui.frame.kept import Kept, Notice, forget_told

T = TypeVar("T")
Query = Mapping[str, str]
Parts = Sequence["LinkPart[Any]"]
_PARTS, _OPENED = "link_parts", "link_opened"

LOST: Notice[list[str]] = Notice("link_lost")
"""What of an opened link could not be used, as keys of the string tables."""


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
        for part in parts():
            if part.hear is not None:
                part.hear(self, before, value)


def begin(all_parts: Parts) -> None:
    """Once per script run, before anything is drawn: read the link the first time."""
    state = st.session_state
    first = _PARTS not in state
    state[_PARTS] = all_parts
    if first:
        query = {name: value for name, value in st.query_params.items() if isinstance(value, str)}
        state[_OPENED] = True
        lost: list[str] = []
        for part in all_parts:
            state[part.key], unread = part.read(query)
            lost += [part.names[name] for name in unread]
        LOST.set(lost)


def parts() -> Parts:
    """All parts of this visitor's link, as they were handed down."""
    return cast(Parts, st.session_state.get(_PARTS, ()))


def write() -> None:
    """Once per script run, at its end: put every part into the address bar, without a rerun. What was told
    counts as told.

    What was opened is left alone until something changes: writing the query drops the part behind ``#``,
    in which the stage looks for its step, and would be a second entry of the browser's history, for nobody
    has told the browser yet that a page is one (``assets/page/address.js``).
    """
    forget_told()
    wanted: dict[str, str] = {}
    for part in parts():
        wanted |= part.write(part.get())
    if not st.session_state.pop(_OPENED, False) and dict(st.query_params.items()) != wanted:
        st.query_params.from_dict(wanted)


def write_this_time() -> None:
    """What was drawn by lot for a page just opened stands in its address at once: a reload keeps it."""
    st.session_state.pop(_OPENED, None)


# -- what a parameter may say -------------------------------------------------------------------------


def whole(text: str | None, least: int, most: int) -> int | None:
    """The whole number that it is, within its range."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 10:
        return None
    return int(text) if least <= int(text) <= most else None


def choices(
    query: Query, allowed: Mapping[str, tuple[str, Collection[str]]], lost: list[str]
) -> dict[str, Any]:
    """Fields that are one of a few words. ``allowed``: field -> its parameter, the words; ``lost`` grows."""
    lost += [short for short, words in allowed.values() if short in query and query[short] not in words]
    return {name: query[short] for name, (short, words) in allowed.items() if query.get(short) in words}
