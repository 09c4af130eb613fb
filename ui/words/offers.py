"""What providers sell as prompt caching, from one dated file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.traffic.providers import WritePrices
from ui.words.i18n import LANGS, Lang

FILE = Path(__file__).resolve().parents[2] / "assets" / "providers.toml"
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
