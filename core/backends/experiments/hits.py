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
from core.backends.experiments.runs import Runs, settle, take_runs
from core.backends.experiments.standing import rates
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
    runs: int = 5,
    rounds: int = 5,
    warm_ups: int = 2,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """(total, shared) prompts with and without the hit: 640 with 512 shared, or 8,320 with 8,192."""
    table = [Case(total, shared) for total, shared in cases]
    turns = _Turns(block_size, runs, rounds, warm_ups, math.inf, seed, progress, cancelled, len(table))
    done, equality = _time(backend, table, turns)
    middle = done.middle([(_key(_cold(case)), _key(case)) for case in table])
    rows = [_pair_row(backend.spec, case, done, block_size, middle) for case in table]
    return report(
        name,
        backend,
        {"cases": [list(case) for case in cases], **turns.settings()},
        rows,
        equality=equality,
        disturbed=any(row["full"]["disturbed"] or row["hit"]["disturbed"] for row in rows),
        complete=done.complete,
    )


def saving_claim(backend: Backend, **options: Any) -> Report:
    """30 to 50 % less TTFT, says the claim: what is saved at which hit fraction, and for a short greeting."""
    return hit_pairs(backend, SAVING_CASES, name="saving", **{"rounds": 3, **options})


def long_prompt(backend: Backend, case: tuple[int, int] = (8320, 8192), **options: Any) -> Report:
    """8,192 tokens that everybody shares and 128 of one's own."""
    few = {"runs": 3, "rounds": 1, "warm_ups": 1}
    return hit_pairs(backend, (case,), name="long", **{**few, **options})


def hit_sweep(
    backend: Backend,
    *,
    total: int = 640,
    fractions: Sequence[float] = FRACTIONS,
    block_size: int = 16,
    runs: int = 5,
    rounds: int = 3,
    warm_ups: int = 1,
    budget_s: float = 10.0,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """TTFT against the hit fraction, beside the linear claim 1 / (1 - f) and the FLOP model. ``budget_s``:
    on a slow or busy machine a run takes fewer rounds, at least one."""
    table = [Case(total, round(total * part / block_size) * block_size) for part in fractions]
    turns = _Turns(block_size, runs, rounds, warm_ups, budget_s / runs, seed, progress, cancelled, least=1)
    done, equality = _time(backend, table, turns)
    middle = done.middle([(_key(_cold(case)), _key(case)) for case in table])
    rows = [_sweep_row(backend.spec, case, done, block_size, middle) for case in table]
    one = done.timing(_key(_least(table[-1], block_size)), middle)
    points = [(row["num_new"], row["hit_tokens"], row["ms"]) for row in rows]
    return report(
        "sweep",
        backend,
        {"total": total, **turns.settings()},
        rows,
        summary={"fit": fit_terms(backend.spec, points).to_json(), "one": one.to_json()},
        equality=equality,
        disturbed=any(row["timing"]["disturbed"] for row in rows),
        complete=done.complete,
    )


# -- what the experiments share ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Turns:
    """How often and how long; ``budget_s`` is a run's."""

    block_size: int
    runs: int
    rounds: int
    warm_ups: int
    budget_s: float
    seed: int
    progress: Progress
    cancelled: Cancelled
    least: int = 0
    """Behind the hits of so many cases, the last ones, one token is timed too: what a pass over that cache
    takes at least."""

    def settings(self) -> Json:
        """What a report says of it."""
        names = ("block_size", "runs", "rounds", "warm_ups", "seed")
        return {name: getattr(self, name) for name in names}


def _time(backend: Backend, cases: Sequence[Case], turns: _Turns) -> tuple[Runs, Difference]:
    """Every case, and every total without a hit, in turn, in every run; the logits once, behind the clock."""
    settle(backend)

    def one_run(number: int, progress: Progress, cancelled: Cancelled) -> Rounds:
        return take_turns(
            _Prompts(backend, cases, turns, number).works(),
            rounds=turns.rounds,
            warm_ups=turns.warm_ups,
            budget_s=turns.budget_s,
            seed=turns.seed + number,
            progress=progress,
            cancelled=cancelled,
        )

    done = take_runs(one_run, turns.runs, turns.progress, turns.cancelled)
    hits = [case for case in cases if case.shared]
    few = list(dict.fromkeys((hits[0], hits[len(hits) // 2], hits[-1]))) if hits else []
    return done, _Prompts(backend, few, turns, 0).worst() if few else worst(())


class _Prompts:
    """One run's bench. The shared prefix is in its pool from the start; what is not shared is new in every
    round, so that nothing else can be hit."""

    def __init__(self, backend: Backend, cases: Sequence[Case], turns: _Turns, number: int) -> None:
        self.block_size = turns.block_size
        self.cases = cases
        self.least = [_least(case, self.block_size) for case in cases[-turns.least or len(cases) :]]
        blocks = sum(-(-case.total // self.block_size) for case in (*cases, *self.least))
        longest = -(-max(case.total for case in cases) // self.block_size)
        self.bench = Bench(backend, 3 * blocks + 2 * longest + 1, self.block_size, turns.seed + number)
        self.prefix = self.bench.fresh(max(case.shared for case in cases))
        if self.prefix:
            self.bench.serve(self.prefix)

    def works(self) -> dict[str, Work]:
        """What to take in turn."""
        return {_key(case): self._work(case) for case in (*self.cases, *map(_cold, self.cases), *self.least)}

    def worst(self) -> Difference:
        """The largest difference between a hit's logits and those without a cache."""
        return worst(self.bench.verify(self._prompt(case)) for case in self.cases)

    def _prompt(self, case: Case) -> tuple[int, ...]:
        return self.prefix[: case.shared] + self.bench.fresh(case.total - case.shared)

    def _work(self, case: Case) -> Work:
        expected = case.hit_tokens(self.block_size)

        def work(_round: int) -> PrefillResult:
            plan, result = self.bench.serve(self._prompt(case))
            if plan.num_cached != expected:
                raise RuntimeError(f"expected a hit of {expected}, got {plan.num_cached}")
            return result

        return work


def _cold(case: Case) -> Case:
    return Case(case.total, 0)


def _least(case: Case, block_size: int) -> Case:
    """One new token behind the same hit."""
    return Case(case.hit_tokens(block_size) + 1, case.hit_tokens(block_size))


def _key(case: Case) -> str:
    return f"{case.total} {case.shared}"


def _pair_row(spec: DecoderSpec, case: Case, done: Runs, block_size: int, middle: int) -> Json:
    full, hit = done.timing(_key(_cold(case)), middle), done.timing(_key(case), middle)
    reused = case.hit_tokens(block_size)
    names, least = (_key(_cold(case)), _key(case)), _key(_least(case, block_size))
    ratio, low, high = done.ratio(*names, middle)
    flops = spec.prefill_flops(case.total) / spec.prefill_flops(case.total - reused, reused)
    return {
        "total": case.total,
        "shared": case.shared,
        "hit_tokens": reused,
        "full": full.to_json(),
        "hit": hit.to_json(),
        "one": done.timing(least, middle).to_json(),
        "ratio": ratio,
        "ratio_low": low,
        "ratio_high": high,
        "runs": [float(f"{ratio:.3g}") for ratio in done.ratios(*names)],
        "saved": 1 - 1 / ratio,
        "linear": case.total / (case.total - reused),
        "flops": flops,
        **rates(spec, case.total, reused, full.ms, hit.ms),
    }


def _sweep_row(spec: DecoderSpec, case: Case, done: Runs, block_size: int, middle: int) -> Json:
    timing, reused = done.timing(_key(case), middle), case.hit_tokens(block_size)
    ratio, low, high = done.ratio(_key(_cold(case)), _key(case), middle)
    num_new = case.total - reused
    return {
        "fraction": reused / case.total,
        "hit_tokens": reused,
        "num_new": num_new,
        "timing": timing.to_json(),
        "ms": timing.ms,
        "measured": ratio,
        "measured_low": low,
        "measured_high": high,
        "linear": case.total / num_new,
        "flops": spec.prefill_flops(case.total) / spec.prefill_flops(num_new, reused),
    }
