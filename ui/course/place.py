"""A place on a page: ``open=ch11.hash`` in a link opens chapter 11 on that belief, and after a reload again.

The page says which places it has; a link to it names one. Wherever the visitor goes on the page, the link
follows, so that what one sees is what one hands on.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import streamlit as st

from ui.frame.kept import Kept
from ui.frame.link import LinkPart, Query
from ui.stage.show_me import OPEN, place_of

_PLACE = re.compile(r"([a-z]+\d{0,2})\.([A-Za-z0-9_-]{1,40})", re.ASCII)


def _read(query: Query) -> tuple[str, list[str]]:
    if OPEN not in query:
        return "", []
    found = _PLACE.fullmatch(query[OPEN])
    return (query[OPEN], []) if found else ("", [OPEN])


PLACE = LinkPart("place", str, {OPEN: "link.place"}, _read, lambda place: {OPEN: place} if place else {})
"""``page.name``, or "" where a page is enough."""


TAKEN: Kept[str] = Kept("place_taken", str)
"""The place at which a page was opened last: by it a test sees whether a link keeps its promise."""


_SEEN: Kept[str] = Kept("place_seen", str)
"""What the address last said."""


def _named() -> str:
    """The place that is meant now. The address can name another one in the middle of a visit: a link from
    page to page, or the browser's way back."""
    said = st.query_params.get(OPEN, "")
    if said != _SEEN.get():
        _SEEN.set(said)
        if (place := _read({OPEN: said})[0]) != PLACE.get() and place:
            PLACE.set(place)
    return PLACE.get()


def opened_at(page: str, names: Collection[str]) -> str | None:
    """The one of ``names`` at which the link opens this page; None: the link says nothing, or no place that
    the page has."""
    where, _, name = _named().partition(".")
    if where != page or name not in names:
        return None
    TAKEN.set(PLACE.get())
    return name


def stands_at(page: str, name: str) -> None:
    """The visitor is at this place now: a reload comes back to it."""
    _SEEN.set(st.query_params.get(OPEN, ""))  # what the address says by now is older than this
    if PLACE.get() != place_of(page, name):
        PLACE.set(place_of(page, name))
