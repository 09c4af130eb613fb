"""What the monitor runs: stream, machine, policies. Frozen, kept in the session and in the link. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from core.load import MIXES, TICKS_PER_S, LoadSpec
from core.types import EngineConfig
from ui.frame.link import choices, whole

POOLS = (64, 256, 1024, 2048, 4096)
BLOCK_SIZES = (4, 8, 16, 32, 64)
PREFIX_TOKENS = (128, 512, 2048)
OUTPUT_TOKENS = (8, 32, 128, 256, 512)
MOST_CLIENTS, MOST_THINK_S = 256, 600
CLIENTS, THINK_S = 16, 2
"""What a closed loop begins with when somebody chooses it."""
RATES = (1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 16.0)
SPEEDS = (1, 4, 16, 64)
NUM_REQUESTS = 20_000
BURST_S, BURST_FACTOR = 20.0, 4.0


@dataclass(frozen=True, slots=True)
class LoadSetup:
    """Everything that decides a run, except knobs turned and bursts called while it goes on.

    ``pool`` and ``cache_cap`` in blocks, ``rate`` in requests per second, ``ttl_s`` in modelled seconds.
    ``clients``: None, and requests come at ``rate``; or so many clients wait for their answers and then think
    for ``think_s`` seconds. ``prefix_tokens`` and ``output_tokens``: means of shared beginnings and answers.
    """

    seed: int = 7
    mix: str = "mixed"
    rate: float = 6.0
    pool: int = 1024
    block_size: int = 16
    cache_cap: int | None = None
    ttl_s: int | None = None
    admit_after: int = 1
    clients: int | None = None
    think_s: int = 20
    prefix_tokens: int = 512
    output_tokens: int = 32

    @property
    def stream(self) -> tuple[object, ...]:
        """What cannot change without another run. Policies and the block size can."""
        arrivals = (self.rate if self.clients is None else 0.0, self.clients, self.think_s)
        return (self.seed, self.mix, arrivals, self.pool, self.prefix_tokens, self.output_tokens)

    @property
    def can_rush(self) -> bool:
        """Whether rush hour changes anything. Clients who never pause already ask as often as they can."""
        return self.clients is None or self.think_s > 0 or self.mix == "agents"

    def spec(self) -> LoadSpec:
        """The stream, its lengths shrunk where the pool is small."""
        spec = LoadSpec(
            seed=self.seed,
            mix=MIXES[self.mix],
            rate=self.rate,
            num_requests=NUM_REQUESTS,
            clients=self.clients,
            think_s=self.think_s,
            prefix_tokens=self.prefix_tokens,
            output_tokens=self.output_tokens,
        )
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


LESSONS = MappingProxyType(
    {
        "little": LoadSetup(
            seed=34, mix="system", pool=4096, clients=5, think_s=2, prefix_tokens=2048, output_tokens=256
        ),
        "much": LoadSetup(
            seed=34, mix="system", pool=4096, clients=24, think_s=0, prefix_tokens=2048, output_tokens=8
        ),
    }
)
"""Two loads with the same prompts and hit rate: few clients with long answers, for whom the cache changes the
requests per second by some 6 %, and many with short ones, for whom it multiplies them
(``python -m benchmarks.loop``)."""


def arrival_words(setup: LoadSetup, say: Callable[..., str]) -> str:
    """How requests come: so many a second, or from so many clients who wait and pause."""
    if setup.clients is None:
        return say("monitor.arrive.open", rate=f"{setup.rate:g}")
    kind = "closed" if setup.think_s else "closed.at_once"
    return say(f"monitor.arrive.{kind}", n=setup.clients, pause=setup.think_s)


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
    "clients": ("ln", 1, MOST_CLIENTS),
    "think_s": ("lk", 0, MOST_THINK_S),
}
_LENGTHS = {"prefix_tokens": ("lx", PREFIX_TOKENS), "output_tokens": ("lo", OUTPUT_TOKENS)}
NAMES = {name: short for name, (short, _, _) in _NUMBERS.items()} | {"mix": "lm", "rate": "lr"}
NAMES |= {name: short for name, (short, _) in _LENGTHS.items()}


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
    for name, (short, allowed) in _LENGTHS.items():
        for text in choices(query, {name: (short, tuple(map(str, allowed)))}, lost).values():
            found[name] = int(text)
    return LoadSetup(**found), lost
