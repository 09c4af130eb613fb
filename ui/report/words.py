"""Sentences and tables of the report as HTML: what people wrote stays text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ui.words.i18n import Lang, t

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


def quoted(words: Json | None) -> str:
    """A place in a prompt; the differing token is marked."""
    if words is None:
        return "–"
    before, token, behind = (
        escape(words[name].replace("\n", " ⏎ ")) for name in ("before", "token", "behind")
    )
    return f"<code>…{before}<mark>{token}</mark>{behind}…</code>"
