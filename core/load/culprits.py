"""Who is behind one bin of a run: top evictors, worst misses, slowest first tokens. Read off what was
counted, at once; ``hindsight`` tells the reasons, which need a part of the run again.

A request's evictions in the bin are those of its steps that began there: cached blocks whose place its own
took, or that had to go under the cap for what it stored. Misses are of those admitted in the bin, first
tokens of those answered in it. Ties: who came first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.engine.events import EvictionCause
from core.types import RequestId

if TYPE_CHECKING:
    from core.load.run import LoadRun

TOP = 5


@dataclass(frozen=True, slots=True)
class Evictor:
    """A request that pushed ``blocks`` cached blocks out within the bin."""

    request_id: RequestId
    blocks: int


@dataclass(frozen=True, slots=True)
class Miss:
    """A request admitted in the bin: of ``num_tokens`` looked up it reused ``hit``."""

    request_id: RequestId
    num_tokens: int
    hit: int
    at_s: float

    @property
    def missed(self) -> int:
        """Tokens that had to be computed."""
        return self.num_tokens - self.hit


@dataclass(frozen=True, slots=True)
class Slow:
    """A request that got its first token in the bin, ``ttft_s`` modelled seconds after it arrived.
    ``plain_ttft_s``: without the cache, once known."""

    request_id: RequestId
    ttft_s: float
    waiting_s: float
    computing_s: float
    plain_ttft_s: float | None


@dataclass(frozen=True, slots=True)
class Culprits:
    """The bin (begin, end] and the first few of each list; the counts are of all. ``evicted``: blocks by
    cause; ``by_nobody``: those pushed out by no request, because the cap was lowered."""

    begin_s: float
    end_s: float
    evictors: tuple[Evictor, ...]
    misses: tuple[Miss, ...]
    slowest: tuple[Slow, ...]
    num_evictors: int
    num_admitted: int
    num_answered: int
    evicted: dict[EvictionCause, int]
    by_nobody: int


def culprits_of(run: LoadRun, end_s: float, width_s: float, top: int = TOP) -> Culprits:
    """The bin of that width that ends at ``end_s``. O(requests)."""
    begin_s = end_s - width_s
    after_s = begin_s if begin_s > 0 else -1.0  # moment 0 belongs to the first bin
    pushed = _pushed(run, after_s, end_s)
    evicted = _evicted(run, begin_s, end_s)
    misses = _misses(run, after_s, end_s)
    answered = _answered(run, after_s, end_s)
    return Culprits(
        begin_s,
        end_s,
        tuple(Evictor(f"R{number}", blocks) for number, blocks in pushed[:top]),
        tuple(misses[:top]),
        tuple(_slow(run, number) for number in answered[:top]),
        len(pushed),
        len(misses),
        len(answered),
        evicted,
        evicted["reused"] + evicted["cap"] - sum(blocks for _, blocks in pushed),
    )


def _pushed(run: LoadRun, after_s: float, end_s: float) -> list[tuple[int, int]]:
    """(request, blocks), most blocks first."""
    ledger = run.records.pushed
    rows = ledger.between(after_s, end_s)
    numbers, place = np.unique(ledger.number[rows], return_inverse=True)
    blocks = np.bincount(place, ledger.column("blocks")[rows], len(numbers)).astype(int)
    return sorted(zip(numbers.tolist(), blocks.tolist(), strict=True), key=lambda row: (-row[1], row[0]))


def _evicted(run: LoadRun, begin_s: float, end_s: float) -> dict[EvictionCause, int]:
    bins = run.bins
    part = slice(round(begin_s / bins.width_s), round(end_s / bins.width_s))
    causes: tuple[EvictionCause, ...] = ("reused", "cap", "ttl", "forced")
    return {cause: int(bins.sums[f"evicted.{cause}"][part].sum()) for cause in causes}


def _misses(run: LoadRun, after_s: float, end_s: float) -> list[Miss]:
    """Most tokens to compute first."""
    ledger = run.records.admissions
    rows = ledger.between(after_s, end_s)
    columns = (ledger.number, ledger.column("num_tokens"), ledger.column("hit"), ledger.at_s)
    found = [
        Miss(f"R{number}", tokens, hit, at_s)
        for number, tokens, hit, at_s in zip(*(column[rows].tolist() for column in columns), strict=True)
    ]
    found.sort(key=lambda miss: -miss.missed)
    # Sent again for blocks of another size, a request is let in twice: the worse of the two speaks for it.
    worst = {miss.request_id: miss for miss in reversed(found)}
    return [miss for miss in found if worst[miss.request_id] is miss]


def _answered(run: LoadRun, after_s: float, end_s: float) -> list[int]:
    """Longest wait for the first token first."""
    records, count = run.records, run.records.reach
    first = records.cached.first_s[:count]
    inside = np.flatnonzero((first > after_s) & (first <= end_s))
    waits = first[inside] - records.cached.arrival_s[inside]
    numbers: list[int] = inside[np.argsort(-waits, kind="stable")].tolist()
    return numbers


def _slow(run: LoadRun, number: int) -> Slow:
    cached, without = run.records.cached, run.records.plain
    arrival, admitted, first = (
        float(column[number]) for column in (cached.arrival_s, cached.admitted_s, cached.first_s)
    )
    plain = float(without.first_s[number] - without.arrival_s[number])
    return Slow(
        f"R{number}",
        first - arrival,
        admitted - arrival,
        first - admitted,
        None if np.isnan(plain) else plain,
    )
