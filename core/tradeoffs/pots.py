"""The owner's rule: at most so many pots, only of what is ordered often, poured out when nobody orders it.

A pot is a whole prefix, kept warm block by block. Orders come over days; some are for recipes that nobody
orders twice. Everything runs on the engine: a cap on cached blocks, storing at the k-th order within a while,
a time to live since the last order; beside it the same cap with plain LRU.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.engine.engine import Engine
from core.engine.events import Event, RequestAdmitted
from core.types import EngineConfig, Request

SEED = 11
BLOCK = 16
POT_TOKENS = 256
OWN_TOKENS = 24
DAY_TICKS = 24_000
"""A thousand ticks an hour."""
LOOKS_A_DAY = 12
ORDERS_A_DAY = 20
DAYS = 20


@dataclass(frozen=True, slots=True)
class Rule:
    """What is kept. ``pots``: at most so many, None: as many as there is room for. ``sightings``: kept at
    that order within ``within_days``. ``ttl_days``: poured out so long after its last order; None: never."""

    pots: int | None = None
    sightings: int = 1
    within_days: int = 3
    ttl_days: int | None = None

    def config(self, num_slots: int) -> EngineConfig:
        """The engine's settings."""
        blocks = POT_TOKENS // BLOCK
        return EngineConfig(
            BLOCK,
            num_slots + 1,
            cache_cap=None if self.pots is None else self.pots * blocks,
            admit_after=self.sightings,
            admit_window=self.within_days * DAY_TICKS if self.sightings > 1 else None,
            ttl=None if self.ttl_days is None else self.ttl_days * DAY_TICKS,
        )


@dataclass(frozen=True, slots=True)
class Kitchen:
    """Counted. ``mean_pots``: pots' worth of blocks that stood warm between orders, on average over time;
    ``poured``: blocks that lost their content, for room, for the cap or for age; ``cooked``: prompt tokens
    computed."""

    orders: int
    prompt_tokens: int
    hit_tokens: int
    mean_pots: float
    poured: int

    @property
    def hit_rate(self) -> float:
        """Hit tokens / prompt tokens."""
        return self.hit_tokens / max(self.prompt_tokens, 1)

    @property
    def cooked(self) -> int:
        """Prompt tokens computed."""
        return self.prompt_tokens - self.hit_tokens


@dataclass(frozen=True, slots=True)
class Order:
    """When, in ticks, and what: a recipe's number, or one that nobody else ever orders (-1)."""

    at: int
    recipe: int


def order_book(recipes: int, zipf: float, once: float, seed: int = SEED) -> list[Order]:
    """Orders at random moments of ``DAYS`` days; a share ``once`` is for something nobody orders again."""
    dice = np.random.default_rng(seed)
    count = DAYS * ORDERS_A_DAY
    times = np.sort(dice.integers(0, DAYS * DAY_TICKS, count))
    weights = 1 / np.arange(1, recipes + 1) ** zipf
    chosen = dice.choice(recipes, count, p=weights / weights.sum())
    strange = dice.random(count) < once
    return [
        Order(int(at), -1 if odd else int(which))
        for at, which, odd in zip(times, chosen, strange, strict=True)
    ]


def cook(orders: list[Order], rule: Rule, num_slots: int) -> Kitchen:
    """Serve all orders under a rule, one after another; the clock is that of the orders."""
    hits, tokens, warm = [0], 0, 0

    def note(event: Event) -> None:
        if isinstance(event, RequestAdmitted):
            hits[0] += event.hit_tokens

    engine = Engine(rule.config(num_slots), note, block_events=False, own_clock=False)
    look = DAY_TICKS // LOOKS_A_DAY
    looks, due = 0, look
    for number, order in enumerate(orders):
        while due <= order.at:
            _wait(engine, due)
            warm += len(engine.view.cached_hashes())
            looks, due = looks + 1, due + look
        _wait(engine, order.at)
        prompt = _prompt(order.recipe, number)
        tokens += len(prompt)
        engine.submit(Request(f"R{number}", prompt))
        engine.run()
    poured = sum(engine.view.num_evicted.values())
    mean = warm / max(looks, 1) / (POT_TOKENS // BLOCK)
    return Kitchen(len(orders), tokens, hits[0], mean, poured)


def _wait(engine: Engine, until: int) -> None:
    ticks = until - engine.view.clock
    if ticks > 0:
        engine.wait(ticks)


def _prompt(recipe: int, number: int) -> tuple[int, ...]:
    """A recipe's tokens, then the guest's own, which occur nowhere else."""
    own = 10_000_000 + number * (POT_TOKENS + OWN_TOKENS)
    base = own if recipe < 0 else recipe * POT_TOKENS
    return (*range(base, base + POT_TOKENS), *range(own + POT_TOKENS, own + POT_TOKENS + OWN_TOKENS))
