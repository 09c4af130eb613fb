"""What pays and what does not: the lecture's scenarios as numbers over one setting at a time.

Where a formula is exact it is used, and a test holds it against the engine; everything else is run: through
the fast replay, or through the engine where a policy is at work. All dice are seeded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.cost import CostModel
from core.replay.prefix_tree import build_tree
from core.replay.replay import replay
from core.replay.runs import replay_runs
from core.replay.ttl_curve import ttl_curve
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


@lru_cache(maxsize=8)
def _paused_log(pause_s: float, requests: int = 400) -> tuple[_Timed, ...]:
    """One conversation's prefix again and again, after exponential pauses."""
    dice = np.random.default_rng(SEED)
    times = np.cumsum(dice.exponential(pause_s, requests))
    return tuple(
        _Timed(Request(f"R{k}", (*range(64), 1000 + k)), float(at), 65) for k, at in enumerate(times)
    )


def ttl_against_pauses(ttls_s: Sequence[float], pause_s: float) -> tuple[Points, Points]:
    """(ttl, share of the possible hits), replayed and by the formula 1 - exp(-ttl / pause)."""
    curve = ttl_curve(build_tree(_paused_log(pause_s), 16))
    most = float(curve.rates[-1])
    ran = [(ttl, curve.rate_at(ttl) / most) for ttl in ttls_s]
    return ran, [(ttl, float(-np.expm1(-ttl / pause_s))) for ttl in ttls_s]
