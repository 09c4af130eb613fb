"""Available, captured, delivered: how much reuse is in the traffic, how much of it the routed caches give,
and how much of that arrives as time.

    available   tokens that one endless cache for everybody would reuse / prompt tokens
    captured    tokens that the workers' caches did give / available tokens
    delivered   sum of (cold - TTFT) / sum of (cold - best)

``cold``: a prompt's time to first token on an idle worker without any hit; ``best``: on an idle worker with
all available tokens as its hit; both by the run's own time model, in the same chunks. So the denominator is
what all available reuse would save with nobody waiting, and delivered is the share of it that arrives.

Why this one: it is at most 100 %, because a hit is never more than what is available and company never
shortens a step; with nobody waiting it *is* what was captured, weighed by time instead of tokens; and what
is missing falls into two parts that add up: 1 = delivered + missed (hits not had) + waiting (queue, company
in a step). It can be negative: then waiting cost more than all reuse could save, and it says so rather than
stop at 0. The comparison with the same cluster without a cache was not taken: there a hit also shortens the
queue of those behind it, so a share of more than 100 % would be usual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.cluster.records import Rows
from core.cluster.truth import DIFFERENCES, Difference
from core.cost import StepWork, TimeModel
from core.types import EngineConfig


def alone_s(time_model: TimeModel, num_tokens: int, hit: int, budget: int) -> float:
    """Time to first token with the worker to oneself: what is not hit, at most ``budget`` tokens a step."""
    seconds, done = 0.0, hit
    while done < num_tokens:
        work = StepWork()
        work.add_prefill(min(budget, num_tokens - done), done)
        seconds += time_model.step_s(work)
        done += work.num_tokens
    return seconds


@dataclass(frozen=True, slots=True)
class WorkerCount:
    """One worker: requests whose first token came from it, their tokens, its steps' seconds."""

    name: str
    alive: bool
    num_requests: int
    prompt_tokens: int
    hit_tokens: int
    busy_s: float
    num_evicted: int

    @property
    def prefill_tokens(self) -> int:
        """Prompt tokens that it had to compute, preemptions not counted again."""
        return self.prompt_tokens - self.hit_tokens


@dataclass(frozen=True, slots=True)
class Rates:
    """A run in numbers; shares from 0 to 1, None where there is nothing to divide by. ``delivered`` +
    ``missed`` + ``waiting`` = 1. ``balance``: most / mean prompt tokens computed by a worker, 1 is even.
    ``believed_wrong``: share of chosen workers of whose cache the router had an idea that was not the
    truth."""

    num_requests: int
    prompt_tokens: int
    available: float | None
    captured: float | None
    delivered: float | None
    missed: float | None
    waiting: float | None
    ttft_p50_s: float | None
    ttft_p95_s: float | None
    ttft_mean_s: float | None
    waited_mean_s: float | None
    balance: float | None
    believed_wrong: float | None
    differences: tuple[tuple[Difference, int], ...]
    workers: tuple[WorkerCount, ...]


def rates_of(
    rows: Rows, workers: tuple[WorkerCount, ...], time_model: TimeModel, config: EngineConfig
) -> Rates:
    """Over all requests that have their first token. O(requests)."""
    done = np.flatnonzero(~np.isnan(rows.first_s[: rows.num]))
    tokens, available, hit = rows.num_tokens[done], rows.available[done], rows.hit[done]
    ttft, waited = rows.ttft_s[done], rows.waited_s[done]
    prompt, reusable = int(tokens.sum()), int(available.sum())
    delivered, missed, waiting = _shares(rows, done, time_model, config.max_num_batched_tokens)
    kinds = rows.kind[done, rows.worker[done]]
    known = kinds != DIFFERENCES.index("unknown")
    wrong = known & (kinds != DIFFERENCES.index("agrees"))
    computed = np.array([worker.prefill_tokens for worker in workers])
    return Rates(
        num_requests=len(done),
        prompt_tokens=prompt,
        available=reusable / prompt if prompt else None,
        captured=int(hit.sum()) / reusable if reusable else None,
        delivered=delivered,
        missed=missed,
        waiting=waiting,
        ttft_p50_s=float(np.quantile(ttft, 0.5)) if len(done) else None,
        ttft_p95_s=float(np.quantile(ttft, 0.95)) if len(done) else None,
        ttft_mean_s=float(ttft.mean()) if len(done) else None,
        waited_mean_s=float(waited.mean()) if len(done) else None,
        balance=float(computed.max() / computed.mean()) if computed.any() else None,
        believed_wrong=float(wrong.sum() / known.sum()) if known.any() else None,
        differences=tuple((name, int((kinds == at).sum())) for at, name in enumerate(DIFFERENCES)),
        workers=workers,
    )


def _shares(
    rows: Rows, done: np.ndarray, time_model: TimeModel, budget: int
) -> tuple[float | None, float | None, float | None]:
    """Delivered, missed, waiting: shares of what all available reuse would save."""
    most = missed = waiting = 0.0
    for row, ttft in zip(done.tolist(), rows.ttft_s[done].tolist(), strict=True):
        num, hit, available = int(rows.num_tokens[row]), int(rows.hit[row]), int(rows.available[row])
        best = alone_s(time_model, num, available, budget)
        own = best if hit == available else alone_s(time_model, num, hit, budget)
        if available:
            most += alone_s(time_model, num, 0, budget) - best
        missed += own - best
        waiting += ttft - own
    if not most:
        return None, None, None
    return 1 - (missed + waiting) / most, missed / most, waiting / most
