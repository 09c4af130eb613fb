"""What pays and what does not: the lecture's scenarios as numbers over one setting at a time.

Where a formula is exact it is used, and a test holds it against the engine; everything else is run: through
the fast replay, or through the engine where a policy is at work. All dice are seeded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor

import numpy as np

from core.cost import CostModel
from core.engine.engine import Engine
from core.engine.events import BlockHashed, BlockHit, BlockStored, Event
from core.replay.prefix_tree import PrefixTree, build_tree
from core.replay.replay import replay
from core.replay.runs import replay_runs
from core.replay.ttl_curve import held_curve, ttl_curve
from core.tradeoffs.best import Charges
from core.traffic.settings import room_for_all
from core.types import EngineConfig, Request

SEED = 11
Points = list[tuple[float, float]]


# -- shared and private length -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Saving:
    """Of one warm request: tokens reused, as a share of the prompt, and the share of modelled time saved."""

    hit_tokens: int
    token_share: float
    time_share: float


def saving(shared: int, private: int, block_size: int, cost: CostModel) -> Saving:
    """A prompt whose first ``shared`` tokens are stored: whole blocks, at most all tokens but one."""
    total = shared + private
    hit = min(shared, total - 1) // block_size * block_size
    return Saving(hit, hit / total, cost.compare(total, hit).saved_share)


@dataclass(frozen=True, slots=True)
class SizeCost:
    """What a block size costs one warm request: seconds in which the scheduler manages its blocks, and the
    modelled seconds of prefill for what stands behind the last whole shared block. A shared part ends
    anywhere in a block, so (N - 1) / 2 tokens are computed again on average."""

    block_size: int
    num_blocks: int
    work_s: float
    again_s: float


def size_costs(
    sizes: Sequence[int], shared: int, private: int, cost: CostModel, charges: Charges
) -> list[SizeCost]:
    """Both sides of the block size, for prompts of so many tokens."""
    found = []
    for size in sizes:
        blocks = -(-(shared + private) // size)
        lost = min((size - 1) / 2, shared)
        low, high = floor(lost), ceil(lost)
        base = cost.prefill_s(private, shared)
        again = sum(cost.prefill_s(private + one, shared - one) - base for one in (low, high)) / 2
        found.append(SizeCost(size, blocks, charges.work_s(size, blocks), again))
    return found


# -- turns of a conversation ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: its prompt, and what of it is computed; both also summed up to here."""

    prompt: int
    computed: int
    sum_prompt: int
    sum_computed: int


def conversation(turns: int, system: int, question: int, answer: int, block_size: int) -> list[Turn]:
    """Each prompt is all before it and a new question; answers are stored like prompts."""
    found: list[Turn] = []
    prompt = system + question
    known = sum_prompt = sum_computed = 0
    for _ in range(turns):
        computed = prompt - min(known, prompt - 1) // block_size * block_size
        sum_prompt, sum_computed = sum_prompt + prompt, sum_computed + computed
        found.append(Turn(prompt, computed, sum_prompt, sum_computed))
        known = prompt + answer - 1  # the last sampled token has no KV yet
        prompt += answer + question
    return found


# -- prefixes and room ---------------------------------------------------------------------------------


def prefix_log(count: int, prefix: int, private: int, requests: int, zipf: float) -> list[Request]:
    """Requests that begin with one of ``count`` prefixes; ``zipf`` 0: all equally popular."""
    dice = np.random.default_rng(SEED)
    weights = 1 / np.arange(1, count + 1) ** zipf
    chosen = dice.choice(count, requests, p=weights / weights.sum())
    own = count * prefix
    return [
        Request(
            f"R{k}",
            (
                *range(int(which) * prefix, (int(which) + 1) * prefix),
                *range(own + k * private, own + (k + 1) * private),
            ),
        )
        for k, which in enumerate(chosen)
    ]


def prefixes_against_room(
    counts: Sequence[int], slots: int, prefix: int = 128, private: int = 24, zipf: float = 0.0
) -> Points:
    """(number of prefixes, hit rate) with so many slots of 16 tokens; from 300 requests each."""
    found = []
    for count in counts:
        result = replay_runs(build_tree(prefix_log(count, prefix, private, 300, zipf), 16), slots)
        found.append((float(count), result.hit_rate or 0.0))
    return found


@dataclass(frozen=True, slots=True)
class RoomCost:
    """Per request: blocks that lost their content, and prompt tokens computed although they were before."""

    count: int
    evicted: float
    again_tokens: float


def costs_of_room(
    counts: Sequence[int], slots: int, prefix: int = 128, private: int = 24, zipf: float = 0.0
) -> list[RoomCost]:
    """The other side of ``prefixes_against_room``, over the same requests."""
    found = []
    for count in counts:
        tree = build_tree(prefix_log(count, prefix, private, 300, zipf), 16)
        small, ample = (replay_runs(tree, room) for room in (slots, room_for_all(tree)))
        again = int(ample.hit_tokens.sum() - small.hit_tokens.sum()) / 300
        found.append(RoomCost(count, int(small.evicted_blocks.sum()) / 300, again))
    return found


# -- threshold and noise -------------------------------------------------------------------------------


def noisy_log(noise: float, requests: int = 240) -> list[Request]:
    """A share ``noise`` of prompts never comes again; the others are one of four, five blocks each."""
    dice = np.random.default_rng(SEED)
    found = []
    for k in range(requests):
        base = 10_000 + 100 * k if dice.random() < noise else 100 * int(dice.integers(4))
        found.append(Request(f"R{k}", tuple(range(base, base + 21))))
    return found


def threshold_against_noise(noises: Sequence[float], admit_after: int, slots: int = 26) -> Points:
    """(share of one-off prompts, hit rate of the others) on the engine, blocks of 4 tokens."""
    found = []
    for noise in noises:
        log = noisy_log(noise)
        result = replay(log, EngineConfig(4, slots + 1, admit_after=admit_after), count_evicted=False)
        wanted = np.array([request.token_ids[0] < 10_000 for request in log])
        tokens = int(result.num_tokens[wanted].sum())
        found.append((noise, int(result.hit_tokens[wanted].sum()) / max(tokens, 1)))
    return found


@dataclass(frozen=True, slots=True)
class Lost:
    """Tokens of the prompts that come again, as shares of all their tokens: computed although seen before.
    ``not_stored``: the threshold had kept them out so far. ``evicted``: they had been stored once."""

    noise: float
    not_stored: float
    evicted: float


def lost_to_threshold(noises: Sequence[float], admit_after: int, slots: int = 26) -> list[Lost]:
    """The other side of ``threshold_against_noise``: why those prompts miss, from the engine's events."""
    return [_lost(noise, EngineConfig(4, slots + 1, admit_after=admit_after)) for noise in noises]


def _lost(noise: float, config: EngineConfig) -> Lost:
    stored: set[bytes] = set()
    seen: set[bytes] = set()
    missed: list[bytes] = []

    def note(event: Event) -> None:
        if isinstance(event, BlockStored):
            stored.add(event.hash)
        elif isinstance(event, BlockHashed):
            missed.append(event.hash)
        elif isinstance(event, BlockHit):
            missed.remove(event.hash)

    engine = Engine(config, note)
    total = kept_out = evicted = 0
    for request in noisy_log(noise):
        missed.clear()
        before = stored.copy()
        engine.submit(request)
        engine.run()
        if request.token_ids[0] < 10_000:
            total += len(request.token_ids)
            evicted += sum(one in before for one in missed)
            kept_out += sum(one in seen and one not in before for one in missed)
        seen.update(missed)
    size = config.block_size / max(total, 1)
    return Lost(noise, kept_out * size, evicted * size)


# -- time to live and pauses ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Timed:
    """A prompt with a time, as the tree takes it."""

    request_: Request
    arrival_s: float
    num_tokens: int
    block_ids: None = None
    block_size: None = None
    tail_id: None = None
    scope: str = ""

    def request(self) -> Request:
        return self.request_


PREFIX_TOKENS, OWN_TOKENS, BLOCK = 1024, 256, 16


@lru_cache(maxsize=8)
def _paused_log(pause_s: float, requests: int = 400) -> tuple[_Timed, ...]:
    """One conversation's prefix again and again, after exponential pauses; each time with tokens of its own
    that nobody asks for again."""
    dice = np.random.default_rng(SEED)
    times = np.cumsum(dice.exponential(pause_s, requests))
    own = [PREFIX_TOKENS + k * (OWN_TOKENS + 1) for k in range(requests)]
    return tuple(
        _Timed(
            Request(f"R{k}", (*range(PREFIX_TOKENS), *range(own[k], own[k] + OWN_TOKENS + 1))),
            float(at),
            PREFIX_TOKENS + OWN_TOKENS + 1,
        )
        for k, at in enumerate(times)
    )


@lru_cache(maxsize=8)
def _paused_tree(pause_s: float) -> PrefixTree:
    return build_tree(_paused_log(pause_s), BLOCK)


def ttl_against_pauses(ttls_s: Sequence[float], pause_s: float) -> tuple[Points, Points]:
    """(ttl, share of the possible hits), replayed and by the formula 1 - exp(-ttl / pause)."""
    curve = ttl_curve(_paused_tree(pause_s))
    most = float(curve.rates[-1])
    ran = [(ttl, curve.rate_at(ttl) / most) for ttl in ttls_s]
    return ran, [(ttl, float(-np.expm1(-ttl / pause_s))) for ttl in ttls_s]


def held_against_pauses(ttls_s: Sequence[float], pause_s: float) -> tuple[Points, Points]:
    """(ttl, blocks that one conversation holds on average): all of them, and what nobody asks for again."""
    curve = held_curve(_paused_tree(pause_s))
    shared = held_curve(build_tree([_cut(one) for one in _paused_log(pause_s)], BLOCK))
    every = [(ttl, curve.mean_blocks(ttl)) for ttl in ttls_s]
    return every, [(ttl, blocks - shared.mean_blocks(ttl)) for ttl, blocks in every]


def _cut(one: _Timed) -> _Timed:
    """The shared part alone, and one token more, so that all of it can hit."""
    return _Timed(
        Request(one.request_.request_id, one.request_.token_ids[: PREFIX_TOKENS + 1]),
        one.arrival_s,
        PREFIX_TOKENS + 1,
    )
