"""Timed: prompts with and without a hit. Every experiment goes through the engine, checks the logits outside
the clock, and gives a ``Report``. All take ``progress`` (told 0 … 1) and ``cancelled`` (asked in between)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.backends.base import Difference, PrefillResult
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.experiments.bench import Bench
from core.backends.experiments.fit import fit_terms
from core.backends.experiments.measure import Rounds, Work, take_turns
from core.backends.experiments.report import Json, Report, report, worst
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress
from core.backends.spec import DecoderSpec

Backend = DecoderBackend[Any]
FRACTIONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
SAVING_CASES = ((64, 22), (640, 192), (640, 256), (640, 320), (640, 384))
"""Prompts for the claim that sharing a prefix saves 30 to 50 % of the TTFT: a greeting of 22 tokens before
a short question, and prefixes that make up 30, 40, 50 and 60 % of a long prompt."""


@dataclass(frozen=True, slots=True)
class Case:
    """A prompt of ``total`` tokens that begins with ``shared`` tokens everybody has."""

    total: int
    shared: int

    def hit_tokens(self, block_size: int) -> int:
        """What can be reused: whole blocks, and never the last token."""
        return min(self.shared, self.total - 1) // block_size * block_size


def hit_pairs(
    backend: Backend,
    cases: Sequence[tuple[int, int]] = ((640, 512),),
    *,
    name: str = "pair",
    block_size: int = 16,
    rounds: int = 9,
    warm_ups: int = 2,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """(total, shared) prompts with and without the hit: 640 with 512 shared, or 8,320 with 8,192."""
    table = [Case(total, shared) for total, shared in cases]
    turns = _Turns(block_size, rounds, warm_ups, math.inf, seed, progress, cancelled)
    rounds_done, equality = _time(backend, table, turns)
    rows = [_pair_row(backend.spec, case, rounds_done, block_size) for case in table]
    settings = {
        "cases": [list(case) for case in cases],
        "block_size": block_size,
        "rounds": rounds,
        "seed": seed,
    }
    return report(
        name,
        backend,
        settings,
        rows,
        equality=equality,
        disturbed=any(row["full"]["disturbed"] or row["hit"]["disturbed"] for row in rows),
        complete=rounds_done.complete,
    )


def saving_claim(backend: Backend, **options: Any) -> Report:
    """30 to 50 % less TTFT, says the claim: what is saved at which hit fraction, and for a short greeting."""
    return hit_pairs(backend, SAVING_CASES, name="saving", **options)


def long_prompt(backend: Backend, **options: Any) -> Report:
    """8,192 tokens that everybody shares and 128 of one's own."""
    return hit_pairs(backend, ((8320, 8192),), name="long", **{"rounds": 3, "warm_ups": 0, **options})


def hit_sweep(
    backend: Backend,
    *,
    total: int = 640,
    fractions: Sequence[float] = FRACTIONS,
    block_size: int = 16,
    rounds: int = 7,
    warm_ups: int = 1,
    budget_s: float = 8.0,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """TTFT against the hit fraction, beside the linear claim 1 / (1 - f) and the FLOP model. On a slow or
    busy machine it takes fewer rounds."""
    table = [Case(total, round(total * part / block_size) * block_size) for part in fractions]
    turns = _Turns(block_size, rounds, warm_ups, budget_s, seed, progress, cancelled)
    rounds_done, equality = _time(backend, table, turns)
    rows = [_sweep_row(backend.spec, case, rounds_done, block_size) for case in table]
    points = [(row["num_new"], row["hit_tokens"], row["ms"]) for row in rows]
    settings = {"total": total, "block_size": block_size, "rounds": rounds, "seed": seed}
    return report(
        "sweep",
        backend,
        settings,
        rows,
        summary={"fit": fit_terms(backend.spec, points).to_json()},
        equality=equality,
        disturbed=any(row["timing"]["disturbed"] for row in rows),
        complete=rounds_done.complete,
    )


# -- what the experiments share ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Turns:
    """How often and how long."""

    block_size: int
    rounds: int
    warm_ups: int
    budget_s: float
    seed: int
    progress: Progress
    cancelled: Cancelled


def _time(backend: Backend, cases: Sequence[Case], turns: _Turns) -> tuple[Rounds, Difference]:
    """Every case, and every total without a hit, in turn. The shared prefix is in the pool from the start;
    what is not shared is new in every round, so that nothing else can be hit."""
    block_size = turns.block_size
    blocks = sum(-(-case.total // block_size) for case in cases)
    longest = max(case.total for case in cases)
    bench = Bench(backend, 3 * blocks + 2 * -(-longest // block_size) + 1, block_size, turns.seed)
    prefix = bench.fresh(max(case.shared for case in cases))
    if prefix:
        bench.serve(prefix)

    def serve(case: Case) -> Work:
        def work(_round: int) -> PrefillResult:
            plan, result = bench.serve(prefix[: case.shared] + bench.fresh(case.total - case.shared))
            if plan.num_cached != case.hit_tokens(block_size):
                raise RuntimeError(f"expected a hit of {case.hit_tokens(block_size)}, got {plan.num_cached}")
            return result

        return work

    works = {_key(case): serve(case) for case in (*cases, *(Case(case.total, 0) for case in cases))}
    done = take_turns(
        works,
        rounds=turns.rounds,
        warm_ups=turns.warm_ups,
        budget_s=turns.budget_s,
        seed=turns.seed,
        progress=turns.progress,
        cancelled=turns.cancelled,
    )
    hits = [case for case in cases if case.shared]
    few = {hits[0], hits[len(hits) // 2], hits[-1]} if hits else set()
    prompts = [prefix[: case.shared] + bench.fresh(case.total - case.shared) for case in few]
    return done, worst(map(bench.verify, prompts))


def _key(case: Case) -> str:
    return f"{case.total} {case.shared}"


def _pair_row(spec: DecoderSpec, case: Case, done: Rounds, block_size: int) -> Json:
    full, hit = done.timing(_key(Case(case.total, 0))), done.timing(_key(case))
    reused = case.hit_tokens(block_size)
    median, low, high = done.ratio(_key(Case(case.total, 0)), _key(case))
    return {
        "total": case.total,
        "shared": case.shared,
        "hit_tokens": reused,
        "full": full.to_json(),
        "hit": hit.to_json(),
        "ratio": median,
        "ratio_low": low,
        "ratio_high": high,
        "saved": 1 - hit.ms / full.ms,
        "linear": case.total / (case.total - reused),
        "flops": spec.prefill_flops(case.total) / spec.prefill_flops(case.total - reused, reused),
    }


def _sweep_row(spec: DecoderSpec, case: Case, done: Rounds, block_size: int) -> Json:
    timing, reused = done.timing(_key(case)), case.hit_tokens(block_size)
    median, low, high = done.ratio(_key(Case(case.total, 0)), _key(case))
    num_new = case.total - reused
    return {
        "fraction": reused / case.total,
        "hit_tokens": reused,
        "num_new": num_new,
        "timing": timing.to_json(),
        "ms": timing.ms,
        "measured": median,
        "measured_low": low,
        "measured_high": high,
        "linear": case.total / num_new,
        "flops": spec.prefill_flops(case.total) / spec.prefill_flops(num_new, reused),
    }
