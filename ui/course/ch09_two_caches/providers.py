"""What providers sell, from one dated file, and what a prefix costs at their prices."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.traffic.providers import WritePrices, with_minimum
from ui.words.i18n import LANGS, Lang

FILE = Path(__file__).resolve().parents[3] / "assets" / "providers.toml"
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


@dataclass(frozen=True, slots=True)
class Bill:
    """What some requests with one prefix cost, in the currency of the price; ``cached`` tokens each."""

    cached: int
    without: float
    with_cache: float

    @property
    def saved(self) -> float:
        """Share saved; below 0 where the cache costs more than it saves."""
        return 1 - self.with_cache / self.without


def bill(
    offer: Offer,
    minimum: int,
    shared: int,
    private: int,
    uses: int,
    per_million: float,
    storage: float = 0.0,
) -> Bill:
    """``uses`` requests within the time to live: the first writes, the others read. ``storage``: what it
    costs to keep a million tokens for the time, where the offer asks for it."""
    cached = with_minimum(shared, minimum, offer.step)
    rest = uses * (shared - cached + private)
    tokens = offer.prices.cost(uses) * cached + rest if cached else float(rest)
    kept = storage * cached / 1e6 if offer.storage else 0.0
    plain = uses * (shared + private)
    return Bill(cached, plain * per_million / 1e6, tokens * per_million / 1e6 + kept)
