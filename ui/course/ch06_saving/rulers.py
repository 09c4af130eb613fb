"""One saving on four rulers: tokens, time on an idle GPU, time with a queue, a provider's bill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.cost import CostModel, Prices
from core.load import Summary

Kind = Literal["computed", "reused", "rest", "waiting", "saved"]
TOTAL = 640
"""Tokens of the prompt that is measured."""
RULERS = ("tokens", "time", "queue", "bill")
MANY = 100_000
"""Such prompts in the bill."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """The same prompt without and with its hit, in one unit; each row from left to right, in that unit.
    ``gain``: as what the saved part is drawn."""

    without: Mapping[Kind, float]
    cached: Mapping[Kind, float]
    gain: Kind = "saved"

    @property
    def full(self) -> float:
        """All of it without the cache."""
        return sum(self.without.values())

    @property
    def left(self) -> float:
        """What is left of it with the cache."""
        return sum(self.cached.values())

    @property
    def saved(self) -> float:
        """The share that is saved; below 0 where it costs more."""
        return 1 - self.left / self.full if self.full else 0.0


def fixed_ms(cost: CostModel) -> float:
    """Milliseconds of a prefill that no hit saves: starting it, and reading the weights."""
    fixed, _, _, memory = cost.prefill_parts(1)
    return 1e3 * (fixed.seconds + memory.seconds)


def token_ruler(hit: int) -> Ruler:
    """Tokens of the prompt: computed, or reused, which costs none."""
    return Ruler({"computed": TOTAL}, {"computed": TOTAL - hit}, "reused")


def time_ruler(hit: int, cost: CostModel) -> Ruler:
    """Milliseconds to the first token on an idle GPU."""
    one, rest = cost.compare(TOTAL, hit), fixed_ms(cost)
    sides = (max(1e3 * seconds - rest, 0.0) for seconds in (one.full_s, one.hit_s))
    without, cached = ({"rest": rest, "computed": side} for side in sides)
    return Ruler(without, cached)  # type: ignore[arg-type]


def queue_ruler(hit: int, cost: CostModel, ran: Summary) -> Ruler:
    """Median milliseconds to the first token under load: the own prefill, and waiting for those in front."""
    one = cost.compare(TOTAL, hit)
    rows: list[Mapping[Kind, float]] = []
    for side, own_s in ((ran.without_cache, one.full_s), (ran.with_cache, one.hit_s)):
        median = side.ttft_p50.value or 0.0
        own = min(own_s, median)
        rows.append({"computed": 1e3 * own, "waiting": 1e3 * (median - own)})
    return Ruler(rows[0], rows[1])


def bill_ruler(hit: int, prices: Prices) -> Ruler:
    """What ``MANY`` such prompts cost at a provider: hit tokens are paid for too, only less."""
    new, cached = (price * MANY / 1e6 for price in (prices.per_million_tokens, prices.per_million_cached))
    return Ruler({"computed": TOTAL * new}, {"reused": hit * cached, "computed": (TOTAL - hit) * new})
