"""What a prefix costs at a provider's prices."""

from __future__ import annotations

from dataclasses import dataclass

from core.traffic.providers import with_minimum
from ui.words.offers import Offer


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
