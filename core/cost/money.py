"""Prices, and what saved time or saved tokens are worth at them. A price is an input, never a fact."""

from __future__ import annotations

from dataclasses import dataclass

from core.cost.figures import Figure
from core.cost.specs import positive


@dataclass(frozen=True, slots=True)
class Prices:
    """What one pays: per GPU hour (own machines), or per million prompt tokens (a provider), new and cached.

    The defaults are round examples to be edited, not anybody's price list.

    Raises:
        ConfigError: a price that is negative or not finite.
    """

    per_gpu_hour: float = 2.0
    per_million_tokens: float = 1.0
    per_million_cached: float = 0.1
    currency: str = "$"

    def __post_init__(self) -> None:
        for name in ("per_gpu_hour", "per_million_tokens", "per_million_cached"):
            positive(f"price.{name}", getattr(self, name), or_zero=True)

    def of_gpu_time(self, seconds: float, num_gpus: int) -> Figure:
        """What so many seconds of all GPUs together cost; negative if seconds are."""
        value = seconds * num_gpus / 3600 * self.per_gpu_hour
        return Figure(value, self.currency, "modelled", "formula.money_hours")

    def of_cached_tokens(self, hit_tokens: int) -> Figure:
        """What a provider would charge less because so many tokens were read from a cache."""
        value = hit_tokens * (self.per_million_tokens - self.per_million_cached) / 1e6
        return Figure(value, self.currency, "counted", "formula.money_tokens")
