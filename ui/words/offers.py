"""What providers sell as prompt caching, from one dated file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.traffic.providers import WritePrices
from ui.words.i18n import LANGS, Lang

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
FILE = _ASSETS / "providers.toml"
PRICES = _ASSETS / "prices.toml"
WORDS = ("name", "how", "minimum", "step", "life", "timing", "note")


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to buy a cached prefix. Prices relative to an uncached input token. ``counts``: what the rule
    reads, up to what the caller ``marked`` or up to the first ``equal`` tokens' end; "" where the pages give
    no rule that comes to a number. ``below``: what happens below the minimum: "silent" (nothing is cached and
    no error says so), "error" (one that names the minimum), "unsaid" (the page says no more), "none" (no
    minimum is stated)."""

    offer_id: str
    provider: str
    minimums: tuple[int, ...]
    step: int
    prices: WritePrices
    storage: bool
    counts: str
    below: str
    read_on: str
    sources: tuple[str, ...]
    words: Mapping[Lang, Mapping[str, str]]


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def offers() -> tuple[Offer, ...]:
    """All rows, in the order of the file."""
    return tuple(
        Offer(
            row["id"],
            row["provider"],
            tuple(row["minimums"]),
            row["step"],
            WritePrices(row["write"], row["read"]),
            row["storage"],
            row["counts"],
            row["below"],
            row["read_on"],
            tuple(row["sources"]),
            {lang: {name: row[lang][name] for name in WORDS} for lang in LANGS},
        )
        for row in _file()["offer"]
    )


@cache
def sellers() -> tuple[Mapping[str, Any], ...]:
    """Who sells under which offers, and how a log of theirs is known: rows of ``assets/prices.toml``."""
    rows: list[Mapping[str, Any]] = tomllib.loads(PRICES.read_text(encoding="utf-8"))["rule"]
    return tuple(rows)


def plain_name(model: str) -> str:
    """A model's name as the file writes it: "us.Claude-Opus-4.5" is "us-claude-opus-4-5"."""
    return re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")


def seller_of(model: str, format_name: str) -> str | None:
    """The usual offer of whoever sells this model, or else whose tools write such logs; None if nobody."""
    name = plain_name(model)
    by_model = [row for row in sellers() if name and re.search(row["models"], name)]
    by_format = [row for row in sellers() if format_name in row["formats"]]
    found = [*by_model, *by_format]
    return str(found[0]["offers"][0]) if found else None
