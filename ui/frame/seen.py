"""Texts of prompts in Markdown, so that nothing in them stays invisible: signs for white space, frames around
hidden characters and look-alikes, bold on a ground of its own for what differs. And the same in words, for
who hears the page.
"""

from __future__ import annotations

from collections.abc import Sequence

from ui.frame.session import lang, plain, say
from ui.words.i18n import listed
from ui.words.visible import Piece, visible_diff, visible_in, visible_pieces

_FRAMED = ("invisible", "lookalike")
_MOST_NAMED = 3


def seen(text: str) -> str:
    """The text as Markdown; it stays text, whatever it holds."""
    return _markdown(visible_pieces(text))


def seen_diff(left: str, right: str) -> tuple[str, str]:
    """Two texts as Markdown, what differs marked in both."""
    one, other = visible_diff(left, right)
    return _markdown(one), _markdown(other)


def seen_in(before: str, text: str, behind: str, other: str) -> str:
    """A text in its surroundings as Markdown, what differs in it from ``other`` marked."""
    return _markdown(visible_in(before, text, behind, other))


def difference(left: str, right: str) -> str:
    """What differs, in words; empty for equal texts."""
    if left == right:
        return ""
    if left.casefold() == right.casefold():
        return say("seen.capital")
    one, other = visible_diff(left, right)
    return say("seen.differ", left=_named(one), right=_named(other))


def _markdown(pieces: Sequence[Piece]) -> str:
    return "".join(map(_drawn, pieces))


def _drawn(piece: Piece) -> str:
    shown, kind, differs = piece
    text = plain(shown)
    if kind in _FRAMED:
        text = f":violet-badge[{text}]"
    return f":orange-background[**{text}**]" if differs else text


def _named(pieces: Sequence[Piece]) -> str:
    """The marked pieces in words."""
    names = [
        say(f"seen.{kind}", shown=plain(shown), code=f"U+{ord(shown[0]):04X}")
        for shown, kind, differs in pieces
        if differs
    ]
    more = ["…"] if len(names) > _MOST_NAMED else []
    return listed([*names[:_MOST_NAMED], *more], lang()) or say("seen.nothing")
