"""The glossary: every word once, in both languages, with the noodle shop's word and where it can be seen.

One source: ``assets/glossary.toml``. The page draws it, and a test holds ``docs/glossary.md`` to it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ui.stage.show_me import Show
from ui.words.i18n import Lang

FILE = Path(__file__).resolve().parents[2] / "assets" / "glossary.toml"


@dataclass(frozen=True, slots=True)
class Term:
    """One word: what it is called, what it means, the noodle shop's word for it (or ""), where to see it."""

    name: dict[Lang, str]
    what: dict[Lang, str]
    noodle: dict[Lang, str]
    show: Show

    @property
    def slug(self) -> str:
        """How a link names it."""
        return re.sub(r"[^a-z0-9]+", "-", self.name["en"].lower()).strip("-")

    def __str__(self) -> str:
        """All that can be searched."""
        return " ".join(text for texts in (self.name, self.what, self.noodle) for text in texts.values())


@cache
def terms() -> tuple[Term, ...]:
    """All words, in teaching order."""
    return tuple(_term(entry) for entry in _data()["term"])


@cache
def breaks() -> tuple[dict[Lang, str], ...]:
    """Where the noodle shop stops being a good picture."""
    return tuple({"en": entry["en"], "zh": entry["zh"]} for entry in _data()["break"])


def search(text: str) -> list[Term]:
    """The words that have every part of ``text`` somewhere; those that carry it in their name first."""
    parts = text.casefold().split()
    found = [term for term in terms() if all(part in str(term).casefold() for part in parts)]
    return sorted(found, key=lambda term: not _named(term, parts))


def _named(term: Term, parts: Iterable[str]) -> bool:
    names = " ".join(term.name.values()).casefold()
    return all(part in names for part in parts)


@cache
def _data() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(FILE.read_text("utf-8"))


def _term(entry: dict[str, Any]) -> Term:
    show: dict[str, Any] = dict(entry["show"])
    for name in ("knobs", "args"):
        show[name] = tuple(show.get(name, {}).items())
    return Term(_both(entry), _both(entry, "what_"), _both(entry, "noodle_"), Show(**show))


def _both(entry: dict[str, Any], prefix: str = "") -> dict[Lang, str]:
    return {"en": entry.get(f"{prefix}en", ""), "zh": entry.get(f"{prefix}zh", "")}
