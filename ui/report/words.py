"""Sentences and tables of the report as HTML: what people wrote stays text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ui.traffic.words import bounded, rate_words, verdict_words
from ui.words.i18n import Lang, t
from ui.words.visible import Piece, visible_in

Json = dict[str, Any]


def bold(text: str) -> str:
    """A sentence of the tables: **strong** words become bold, everything else is text."""
    pieces = escape(text).split("**")
    return "".join(f"<b>{piece}</b>" if place % 2 else piece for place, piece in enumerate(pieces))


@dataclass(frozen=True, slots=True)
class Words:
    """One language."""

    lang: Lang

    def text(self, key: str, **args: object) -> str:
        """A sentence as text."""
        return t(key, self.lang, **args)

    def say(self, key: str, **args: object) -> str:
        """A sentence, ready for HTML; what people wrote stays text."""
        plain = {
            name: value.replace("**", "* *") if isinstance(value, str) else value
            for name, value in args.items()
        }
        return bold(t(key, self.lang, **plain))

    def rate(self, rate: float | None, lower_bound: bool, places: int = 1) -> str:
        """A hit rate: "≥" where the true one may be higher."""
        return escape(rate_words(rate, lower_bound, self.lang, places))

    def marked(self, one: Json, name: str, shown: str) -> str:
        """A number of ``one`` as text, with ≥, ≤ or ≈ where it is a bound."""
        return bounded(shown, one.get("bounds", {}).get(name), self.lang)

    def verdict(self, one: Json) -> str:
        """Whether it is worth it, of a run or a source."""
        return escape(verdict_words(one["verdict"], one.get("bounds", {}).get("verdict"), self.lang))

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
        """Cells are HTML already."""
        top = "".join(f"<th>{cell}</th>" for cell in head)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"

    def heading(self, key: str) -> str:
        """Of a part."""
        return f"<h2>{self.say(key)}</h2>"

    def columns(self, *names: str) -> list[str]:
        """Titles of a table."""
        return [self.say(f"traffic.column.{name}") for name in names]


def quoted(words: Words, one: Json | None, other: Json | None) -> str:
    """A place in a prompt; what differs in its token from the other prompt's is marked."""
    if one is None:
        return "–"
    token = "" if other is None else other["token"]
    pieces = visible_in(one["before"], one["token"], one["behind"], token)
    return f"<code>…{''.join(_drawn(words, piece) for piece in pieces)}…</code>"


def _drawn(words: Words, piece: Piece) -> str:
    """A piece of a prompt; a sign has its name, for who hears the page."""
    shown, kind, differs = piece
    if kind == "text":
        text = escape(shown)
    else:
        name = words.text(f"seen.{kind}", shown=shown, code=f"U+{ord(shown[0]):04X}")
        text = f'<span class="seen" role="img" aria-label="{escape(name)}">{escape(shown)}</span>'
    return f"<mark>{text}</mark>" if differs else text
