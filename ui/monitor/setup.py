"""What the monitor runs: stream, machine, policies. Frozen, kept in the session and in the link. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.load import MIXES, TICKS_PER_S, LoadSpec
from core.types import EngineConfig
from ui.frame.link import choices, whole

POOLS = (64, 256, 1024, 2048, 4096)
BLOCK_SIZES = (4, 8, 16, 32, 64)
RATES = (1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 16.0)
SPEEDS = (1, 4, 16, 64)
NUM_REQUESTS = 20_000
BURST_S, BURST_FACTOR = 20.0, 4.0


@dataclass(frozen=True, slots=True)
class LoadSetup:
    """Everything that decides a run, except knobs turned and bursts called while it goes on.

    ``pool`` and ``cache_cap`` in blocks, ``rate`` in requests per second, ``ttl_s`` in modelled seconds.
    """

    seed: int = 7
    mix: str = "mixed"
    rate: float = 6.0
    pool: int = 1024
    block_size: int = 16
    cache_cap: int | None = None
    ttl_s: int | None = None
    admit_after: int = 1

    @property
    def stream(self) -> tuple[object, ...]:
        """What cannot change without another run. Policies and the block size can."""
        return (self.seed, self.mix, self.rate, self.pool)

    def spec(self) -> LoadSpec:
        """The stream, its lengths shrunk where the pool is small."""
        spec = LoadSpec(seed=self.seed, mix=MIXES[self.mix], rate=self.rate, num_requests=NUM_REQUESTS)
        return spec.fitted_to(self.pool * self.block_size)

    def config(self) -> EngineConfig:
        """The engine's settings."""
        return EngineConfig(
            block_size=self.block_size,
            num_blocks=self.pool + 1,
            cache_cap=self.cache_cap,
            ttl=None if self.ttl_s is None else self.ttl_s * TICKS_PER_S,
            admit_after=self.admit_after,
        )


def like_stage(setup: LoadSetup, config: EngineConfig) -> LoadSetup:
    """The same stream on the machine that the stage shows: its slots, block size and policies."""
    return replace(
        setup,
        pool=max(config.num_usable, 8),
        block_size=config.block_size,
        cache_cap=config.cache_cap,
        ttl_s=config.ttl,
        admit_after=config.admit_after,
    )


# -- links --------------------------------------------------------------------------------------------

_NUMBERS = {  # field -> name in a link, least, most
    "seed": ("ls", 0, 999_999),
    "pool": ("lp", 8, 4096),
    "block_size": ("lb", 1, 128),
    "cache_cap": ("lc", 0, 4096),
    "ttl_s": ("lt", 1, 999),
    "admit_after": ("la", 1, 9),
}
NAMES = {name: short for name, (short, _, _) in _NUMBERS.items()} | {"mix": "lm", "rate": "lr"}


def to_query(setup: LoadSetup) -> dict[str, str]:
    """What differs from the default, as query parameters."""
    plain = LoadSetup()
    return {
        short: f"{getattr(setup, name):g}" if name == "rate" else str(getattr(setup, name))
        for name, short in NAMES.items()
        if getattr(setup, name) != getattr(plain, name)
    }


def from_query(query: Mapping[str, str]) -> tuple[LoadSetup, list[str]]:
    """Back, and the names of parameters that could not be used."""
    found: dict[str, Any] = {}
    lost: list[str] = []
    for name, (short, least, most) in _NUMBERS.items():
        number = whole(query.get(short), least, most)
        if number is not None:
            found[name] = number
        elif short in query:
            lost.append(short)
    found |= choices(query, {"mix": ("lm", MIXES)}, lost)
    rates = {f"{rate:g}": rate for rate in RATES}
    found |= {name: rates[text] for name, text in choices(query, {"rate": ("lr", rates)}, lost).items()}
    return LoadSetup(**found), lost
