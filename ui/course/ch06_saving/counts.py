"""What chapter 6 counts and models: users on one prefix, long prefixes, a day under load, the bill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.cost import CostModel, Prices
from core.load import LoadRun, LoadSpec, Summary
from core.tradeoffs.tradeoffs import saving
from core.types import EngineConfig

BLOCK_SIZE = 16
LOAD_REQUESTS = 100
LOAD_OUTPUT = 16
LOAD_SLOTS = 4096
OWNER_MINUTES = (15, 6)
"""What the noodle shop's owner reports: the first bite before and after."""


@dataclass(frozen=True, slots=True)
class Users:
    """Users one after another on one prefix: prompt tokens computed, and modelled seconds on an idle GPU."""

    plain_prefix: int
    cached_prefix: int
    own: int
    plain_s: float
    cached_s: float

    @property
    def plain(self) -> int:
        """Tokens computed without the cache: all of them."""
        return self.plain_prefix + self.own

    @property
    def cached(self) -> int:
        """Tokens computed with it."""
        return self.cached_prefix + self.own

    @property
    def token_ratio(self) -> float:
        """How many times fewer tokens."""
        return self.plain / self.cached

    @property
    def hit_rate(self) -> float:
        """Share of all tokens that were reused."""
        return 1 - self.cached / self.plain

    @property
    def time_ratio(self) -> float:
        """How many times less modelled time."""
        return self.plain_s / self.cached_s


def count_users(users: int, shared: int, own: int, cost: CostModel) -> Users:
    """The first one computes everything; the others what whole blocks leave."""
    hit = saving(shared, own, BLOCK_SIZE, cost).hit_tokens
    one = cost.compare(shared + own, hit)
    return Users(
        users * shared,
        shared + (users - 1) * (shared - hit),
        users * own,
        users * one.full_s,
        one.full_s + (users - 1) * one.hit_s,
    )


def ratios(shared: Sequence[int], own: int, cost: CostModel) -> tuple[list[float], list[float]]:
    """For each prefix length: times faster by counting tokens, and modelled."""
    found = [
        cost.compare(length + own, saving(length, own, BLOCK_SIZE, cost).hit_tokens) for length in shared
    ]
    return [one.linear_ratio for one in found], [one.ratio for one in found]


def first_above(limit: float, own: int, cost: CostModel, most: int = 1 << 20) -> int | None:
    """The shortest prefix, in whole blocks, that makes the first token ``limit`` times faster, modelled;
    None if none up to ``most`` does."""
    low, high = 0, most // BLOCK_SIZE

    def reached(blocks: int) -> bool:
        return cost.compare(blocks * BLOCK_SIZE + own, blocks * BLOCK_SIZE).ratio >= limit

    if not reached(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low * BLOCK_SIZE


def under_load(rate: float, cost: CostModel, shared: int = 512, own: int = 128) -> Summary:
    """A hundred requests, one system prompt of about ``shared`` tokens, so many a second, on both servers."""
    spec = LoadSpec(
        seed=6,
        mix={"system": 1.0},
        rate=rate,
        num_requests=LOAD_REQUESTS,
        prefix_tokens=shared,
        own_tokens=own,
        output_tokens=LOAD_OUTPUT,
    )
    load = LoadRun(spec, EngineConfig(num_blocks=LOAD_SLOTS + 1), cost)
    while load.advance(requests=LOAD_REQUESTS):
        pass
    return load.summary()


@dataclass(frozen=True, slots=True)
class Bill:
    """A day's prompts, without the cache and with it: at a provider's prices, and as hours of own GPUs."""

    provider_plain: float
    provider_cached: float
    gpu_plain: float
    gpu_cached: float


def bill(requests: int, shared: int, own: int, cost: CostModel, prices: Prices) -> Bill:
    """All requests but the first hit. A provider charges hit tokens too, only less."""
    hit = saving(shared, own, BLOCK_SIZE, cost).hit_tokens
    users = count_users(requests, shared, own, cost)
    plain = users.plain * prices.per_million_tokens / 1e6
    hours = [prices.of_gpu_time(seconds, cost.num_gpus).value for seconds in (users.plain_s, users.cached_s)]
    saved = prices.of_cached_tokens((requests - 1) * hit).value
    return Bill(plain, plain - (saved or 0.0), hours[0] or 0.0, hours[1] or 0.0)
