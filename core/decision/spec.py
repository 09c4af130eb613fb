"""What a decision sheet is asked: a load, a machine, sizes of KV room, numbers of servers, seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from core.cost import CostModel
from core.cost.model import GIB
from core.errors import ConfigError
from core.load import LoadSpec
from core.types import EngineConfig

SEEDS = (1, 2, 3, 4, 5)
RESERVE_SHARE = 0.1
"""Share of a GPU's memory kept for activations and the rest, as vLLM's gpu_memory_utilization of 0.9 does."""

WARM_SHARE = 0.4
"""The first requests of a run, by number, are not counted: the cache is still empty and chats are short. With
the usual mix hit rate and lengths settle after some 600 requests; ``Sheet.still_warming`` asks each time."""

UNLIMITED = float("inf")
"""The size of a cache that never has to forget: what could be gained at most."""


@dataclass(frozen=True)
class SheetSpec:
    """A sheet in full: equal specs give equal sheets.

    ``load``: kinds and lengths of requests; its seed, rate and number of requests are replaced by those
    here. ``config``: block size and policies; its number of blocks and ``enable_caching`` are replaced.
    ``sizes_gib``: GiB of KV room on each GPU, ascending; those without room beside the weights are left out
    (``sizes``). ``gpus``: how many GPUs; where ``cost`` spreads one copy of the model over several, so many
    of those groups (``cards`` counts single GPUs). ``rate``: requests a second of all of them together. The
    load's ``clients``, if it has any, are those of all together too. ``ceiling_s``: a run stops once its p95
    is known to be at least this.

    Raises:
        ConfigError: a list that is empty or holds something that is no size, count or seed.
    """

    load: LoadSpec
    config: EngineConfig
    cost: CostModel
    sizes_gib: tuple[float, ...]
    rate: float
    gpus: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    seeds: tuple[int, ...] = SEEDS
    num_requests: int = 1500
    ceiling_s: float = 10.0

    def __post_init__(self) -> None:
        for name in ("sizes_gib", "gpus", "seeds"):
            values = getattr(self, name)
            whole = name != "sizes_gib"
            least = 0 if name == "seeds" else 1 if whole else 1e-6
            right = all(_is_number(value, whole) and value >= least for value in values)
            if not values or not right or list(values) != sorted(set(values)):
                kind = "whole numbers" if whole else "numbers"
                raise _bad(name, values, f"different {kind}, at least {least:g}, from small to large")
        for name, low in (("rate", 1e-3), ("ceiling_s", 1e-3), ("num_requests", 50)):
            if not _is_number(getattr(self, name), name == "num_requests") or getattr(self, name) < low:
                raise _bad(name, getattr(self, name), f"a number from {low:g} on")

    # -- memory ---------------------------------------------------------------------------------------------

    @property
    def free_gib(self) -> float:
        """Room for KV on each GPU: its memory less weights and reserve. Not above 0: no fit."""
        return free_gib(self.cost)

    @cached_property
    def sizes(self) -> tuple[float, ...]:
        """The sizes that there is room for."""
        return tuple(gib for gib in self.sizes_gib if gib <= self.free_gib)

    def blocks(self, gib: float) -> int:
        """Blocks of one server that has so many GiB on each of its GPUs."""
        return int(gib * GIB * self.cost.num_gpus // self.cost.block_bytes(self.config.block_size))

    def cards(self, gpus: int) -> int:
        """Single GPUs: one copy of the model may be spread over several."""
        return gpus * self.cost.num_gpus

    # -- one server's part ----------------------------------------------------------------------------------

    def share_of(self, gpus: int, seed: int) -> LoadSpec:
        """The stream of one of so many servers: its part of the rate (or of the clients, of whom the fullest
        server has one more where they do not divide). Sessions stay on their server."""
        clients = None if self.load.clients is None else -(-self.load.clients // gpus)
        part = {"rate": self.rate / gpus, "clients": clients, "num_requests": self.num_requests}
        return replace(self.load, seed=seed, **part)  # type: ignore[arg-type]

    @property
    def num_warm(self) -> int:
        """How many of a run's first requests are not counted."""
        return int(self.num_requests * WARM_SHARE)


def free_gib(cost: CostModel) -> float:
    """Room for KV on each GPU, in GiB: its memory less its part of the weights and a reserve. Not above 0:
    the model does not fit."""
    return (1 - RESERVE_SHARE) * cost.gpu.memory_gib - cost.weights_gib / cost.num_gpus


def sizes_for(load: LoadSpec, cost: CostModel, num_requests: int = 1500, count: int = 7) -> tuple[float, ...]:
    """Sizes worth looking at, in GiB a GPU: powers of two and what lies halfway, up to what the machine has
    room for, or up to all that so many requests bring if that is less. Empty: the model does not fit."""
    own = num_requests * load.longest_new // 4  # the longest is four times the mean
    common = load.num_prefixes * (2 * load.prefix_tokens + load.document_tokens) + 2 * load.prefix_tokens
    all_gib = (own + common) * cost.model.kv_bytes_per_token / GIB / cost.num_gpus
    free = free_gib(cost)
    ladder = [step * 2.0**power for power in range(-6, 12) for step in (1.0, 1.5)]
    fitting = [gib for gib in ladder if gib <= free and gib < 2 * all_gib]
    return tuple(fitting[::-2][:count][::-1])


def _is_number(value: object, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return False
    return math.isfinite(value)


def _bad(name: str, value: object, expected: str) -> ConfigError:
    message = f"Decision sheet: {name} is {value!r}; expected {expected}. Change it and try again."
    return ConfigError(f"sheet.{name}", message, field=name, value=str(value), expected=expected)
