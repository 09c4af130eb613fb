"""Every block size with every threshold on one log: the highest hit rate, and the best after costs.

What a setting costs is a model, stated here and weighed by whoever asks. All of it in seconds of the GPU, so
that it can be taken off the prefill time that hits save:

work    each block of a prompt is hashed, looked up, taken and given back by the scheduler. Seconds a block
        grow with its size in a straight line through two measurements (``WORK``); ``waits`` is the share of
        that time for which the GPU stands still (asynchronous scheduling hides some of it).
memory  blocks that were stored and never read, from storing to eviction, at a price: 1 means a GiB costs its
        share of the GPU. Usually 0: in one pool what nobody holds is handed out when it is needed.
small   slower attention over blocks of less than 16 tokens, as a share of the prefill that is left. Not
        known: 0 until somebody measures it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from core.cost import CostModel
from core.engine.engine import Engine
from core.engine.events import BlockEvicted, BlockStored, BlockTouched, Event, RequestAdmitted
from core.replay.prefix_tree import TICKS_PER_S, ticks_of
from core.types import BlockId, EngineConfig, Request

SIZES = (4, 8, 16, 32, 64)
THRESHOLDS = (1, 2)
SMALL = 16
"""Blocks below this size bear the third charge: vLLM's own size on GPUs."""

Whose = Literal["vllm", "broth"]
MEASURED_ON = "2026-11-30"
WORK: Mapping[Whose, tuple[float, float]] = MappingProxyType(
    {"vllm": (3.20, 0.0283), "broth": (1.14, 0.0163)}
)
"""Microseconds a block, and more for each of its tokens: straight lines through the middle of what was
measured at 16 and at 512 tokens (benchmarks/README.md, beside_vllm; lists, silent, plain, 32 in flight).
vLLM 0.33: 3.6 to 3.7 µs a block of 16, 30 to 39 ns a token at 512; ours: 1.3 to 1.5 µs, 15 to 22 ns. Below 16
tokens the lines go on unmeasured."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One setting and what it does, counted. ``num_blocks`` of all prompts, full or not. ``unread_block_s``:
    blocks x seconds held by content that no later request read; None without times."""

    block_size: int
    admit_after: int
    hit_rate: float
    num_blocks: int = 0
    num_evicted: int = 0
    unread_block_s: float | None = None
    lengths: tuple[int, ...] = field(default=(), repr=False)
    hits: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Charges:
    """The weights. ``whose`` work a block costs; the other three are shares from 0 to 1."""

    whose: Whose = "vllm"
    waits: float = 1.0
    memory: float = 0.0
    small: float = 0.0

    def work_s(self, block_size: int, num_blocks: int) -> float:
        """Seconds for which the GPU waits while so many blocks are managed."""
        a_block, a_token = WORK[self.whose]
        return self.waits * num_blocks * (a_block + a_token * block_size) / 1e6


@dataclass(frozen=True, slots=True)
class Bill:
    """One setting after costs, in modelled seconds of the whole log. ``full_s``: prefill without a cache."""

    choice: Choice
    full_s: float
    saved_s: float
    work_s: float
    memory_s: float
    small_s: float

    @property
    def cost_s(self) -> float:
        """All charges."""
        return self.work_s + self.memory_s + self.small_s

    @property
    def net_share(self) -> float:
        """(saved - charges) / prefill without a cache: below 0 if the setting costs more than it saves."""
        return (self.saved_s - self.cost_s) / self.full_s if self.full_s else 0.0

    @property
    def cost_share(self) -> float:
        """Charges / prefill without a cache."""
        return self.cost_s / self.full_s if self.full_s else 0.0


def settings_grid(
    requests: Sequence[Request], room_tokens: int, times_s: Sequence[float] | None = None
) -> list[Choice]:
    """Every block size with every threshold, all with as much room, on the engine; sizes for which the room
    is too small for the largest prompt are left out. ``times_s``: when each request came, never falling."""
    return [try_setting(requests, config, times_s) for config in open_settings(requests, room_tokens)]


def open_settings(requests: Sequence[Request], room_tokens: int) -> list[EngineConfig]:
    """The settings that the grid tries."""
    largest = max((len(request.token_ids) for request in requests), default=0)
    return [
        EngineConfig(size, room_tokens // size + 1, admit_after=threshold)
        for size in SIZES
        if room_tokens // size * size >= largest + size
        for threshold in THRESHOLDS
    ]


def try_setting(
    requests: Sequence[Request], config: EngineConfig, times_s: Sequence[float] | None = None
) -> Choice:
    """One setting on the engine, one request after another."""
    watch = _Watch()
    engine = Engine(config, watch.note, own_clock=times_s is None)
    for number, request in enumerate(requests):
        if times_s is not None:
            watch.tick = max(watch.tick, ticks_of(times_s[number] - times_s[0]))
        watch.hits.append(0)
        engine.submit(Request(request.request_id, request.token_ids, salt=request.salt))
        engine.run()
    lengths = tuple(len(request.token_ids) for request in requests)
    return Choice(
        config.block_size,
        config.admit_after,
        sum(watch.hits) / max(sum(lengths), 1),
        sum(-(-length // config.block_size) for length in lengths),
        sum(engine.view.num_evicted.values()),
        None if times_s is None else watch.all_unread() / TICKS_PER_S,
        lengths,
        tuple(watch.hits),
    )


class _Watch:
    """Who was stored when, and never read since."""

    def __init__(self) -> None:
        self.tick = 0
        self.hits: list[int] = []
        self._stored: dict[BlockId, int] = {}
        self._unread = 0

    def note(self, event: Event) -> None:
        """An event of the engine."""
        if isinstance(event, BlockStored):
            self._stored[event.block_id] = self.tick
        elif isinstance(event, BlockTouched):
            self._stored.pop(event.block_id, None)
        elif isinstance(event, BlockEvicted):
            since = self._stored.pop(event.block_id, None)
            self._unread += 0 if since is None else self.tick - since
        elif isinstance(event, RequestAdmitted) and not event.resumed:
            self.hits[-1] = event.hit_tokens

    def all_unread(self) -> int:
        """Block ticks; what is still there counts until now."""
        return self._unread + sum(self.tick - since for since in self._stored.values())


def bill(choice: Choice, cost: CostModel, charges: Charges) -> Bill:
    """What a setting saves and costs on a machine."""
    full = sum(cost.prefill_s(length) for length in choice.lengths)
    left = sum(cost.prefill_s(n - h, h) for n, h in zip(choice.lengths, choice.hits, strict=True))
    gib_s = (choice.unread_block_s or 0.0) * cost.block_bytes(choice.block_size) / 2**30
    return Bill(
        choice,
        full,
        full - left,
        charges.work_s(choice.block_size, choice.num_blocks),
        charges.memory * gib_s / (cost.gpu.memory_gib * cost.num_gpus),
        charges.small * left if choice.block_size < SMALL else 0.0,
    )


def best_of(choices: Sequence[Choice]) -> Choice | None:
    """The highest hit rate; among equals the larger block (less to keep), then the lower threshold."""
    return max(
        choices, key=lambda one: (round(one.hit_rate, 9), one.block_size, -one.admit_after), default=None
    )


def best_after_costs(bills: Sequence[Bill]) -> Bill | None:
    """The most prefill time saved after all charges; ties as in ``best_of``."""
    return max(
        bills,
        key=lambda one: (round(one.net_share, 9), one.choice.block_size, -one.choice.admit_after),
        default=None,
    )


def front(bills: Sequence[Bill]) -> list[Bill]:
    """The Pareto front, cheapest first: settings that no other beats in one of hit rate and cost without
    being worse in the other. Of equals the larger block, then the lower threshold, stands for all."""
    found: list[Bill] = []
    order = sorted(
        bills,
        key=lambda one: (
            round(one.cost_s, 12),
            -round(one.choice.hit_rate, 9),
            -one.choice.block_size,
            one.choice.admit_after,
        ),
    )
    for one in order:
        if not found or round(one.choice.hit_rate, 9) > round(found[-1].choice.hit_rate, 9):
            found.append(one)
    return found
