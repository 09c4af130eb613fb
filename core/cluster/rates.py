"""Available, captured, delivered: how much reuse is in the traffic, how much of it the routed caches give,
and how much of that arrives as time.

    available   tokens that one endless cache for everybody would reuse / prompt tokens
    captured    tokens that the workers' caches did give / available tokens
    delivered   sum of (plain - TTFT) / sum of (plain - best)

``plain``: the same request's time to first token on as many workers without any cache, each request sent to
the least loaded; ``best``: on an idle worker, with all available tokens as its hit. So the denominator is all
that reuse and routing could take off, and delivered is the share of it that they do.

Why this one: it is at most 100 %, because no hit is more than what is available and company never shortens
a step. It is negative only where the first tokens come later than without any cache. With nobody waiting it
*is* what was captured, weighed by time instead of tokens. Under load it counts that a hit also shortens the
queue of those behind it, and that a hot worker lengthens it.

Another one was examined, and is told as ``net``: of the time that all available reuse would save with
nobody waiting, sum of (cold - best), the share that arrives, sum of (cold - TTFT), ``cold`` being an idle
worker without a hit. It falls into parts that add up: 1 = net + missed (hits not had) + waiting (queue, and
company in a step). But all waiting counts against it, the waiting too that was there without a cache: in
bursts or at high load it is minus some hundred percent for every policy, however well it routes. Against a
plain run, in these units, more than 100 % would be usual. So it serves to say where the loss is, at light
load, and not as the share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.cluster.records import Floats, Rows
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
    """A run in numbers; shares from 0 to 1, None where there is nothing to divide by. ``delivered`` needs
    the plain run; ``net`` + ``missed`` + ``waiting`` = 1. ``balance``: most / mean prompt tokens computed
    by a worker, 1 is even. ``believed_wrong``: share of chosen workers of whose cache the router had an
    idea that was not the truth."""

    num_requests: int
    prompt_tokens: int
    available: float | None
    captured: float | None
    delivered: float | None
    net: float | None
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
    rows: Rows,
    workers: tuple[WorkerCount, ...],
    time_model: TimeModel,
    config: EngineConfig,
    plain_s: Floats | None = None,
) -> Rates:
    """Over all requests that have their first token; ``plain_s``: every request's time to first token without
    any cache. O(requests)."""
    done = np.flatnonzero(~np.isnan(rows.first_s[: rows.num]))
    tokens, available, hit = rows.num_tokens[done], rows.available[done], rows.hit[done]
    ttft, waited = rows.ttft_s[done], rows.waited_s[done]
    prompt, reusable = int(tokens.sum()), int(available.sum())
    times = _Times(rows, done, time_model, config.max_num_batched_tokens)
    kinds = rows.kind[done, rows.worker[done]]
    known = kinds != DIFFERENCES.index("unknown")
    wrong = known & (kinds != DIFFERENCES.index("agrees"))
    computed = np.array([worker.prefill_tokens for worker in workers])
    return Rates(
        num_requests=len(done),
        prompt_tokens=prompt,
        available=reusable / prompt if prompt else None,
        captured=int(hit.sum()) / reusable if reusable else None,
        delivered=None if plain_s is None else times.delivered(plain_s[done]),
        net=times.of_savings((times.cold - ttft).sum()),
        missed=times.of_savings((times.own - times.best).sum()),
        waiting=times.of_savings((ttft - times.own).sum()),
        ttft_p50_s=float(np.quantile(ttft, 0.5)) if len(done) else None,
        ttft_p95_s=float(np.quantile(ttft, 0.95)) if len(done) else None,
        ttft_mean_s=float(ttft.mean()) if len(done) else None,
        waited_mean_s=float(waited.mean()) if len(done) else None,
        balance=float(computed.max() / computed.mean()) if computed.any() else None,
        believed_wrong=float(wrong.sum() / known.sum()) if known.any() else None,
        differences=tuple((name, int((kinds == at).sum())) for at, name in enumerate(DIFFERENCES)),
        workers=workers,
    )


class _Times:
    """What each first token takes alone: without a hit, with all that is available, with the hit it had."""

    def __init__(self, rows: Rows, done: NDArray[np.int64], time_model: TimeModel, budget: int) -> None:
        tokens, available, hit = (one[done].tolist() for one in (rows.num_tokens, rows.available, rows.hit))

        def alone(hits: Iterable[int]) -> Floats:
            return np.array(
                [alone_s(time_model, num, one, budget) for num, one in zip(tokens, hits, strict=True)]
            )

        self.ttft = rows.ttft_s[done]
        self.cold, self.best, self.own = alone([0] * len(tokens)), alone(available), alone(hit)

    def delivered(self, plain_s: Floats) -> float | None:
        """Of what could be taken off a run without a cache, what was."""
        most = float((plain_s - self.best).sum())
        return float((plain_s - self.ttft).sum()) / most if most > 0 else None

    def of_savings(self, seconds: float) -> float | None:
        """As a share of what all available reuse saves with nobody waiting."""
        most = float((self.cold - self.best).sum())
        return float(seconds) / most if most > 0 else None
