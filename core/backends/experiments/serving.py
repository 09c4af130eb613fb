"""Timed: many users on one prefix, and the next token with and without the request's own K/V. Both go through
the engine, check the logits outside the clock and give a ``Report``."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from core.backends.base import Difference, PrefillResult, compare
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.experiments.bench import Bench
from core.backends.experiments.measure import Rounds, Work, seconds_of, take_turns
from core.backends.experiments.report import Json, Report, report, worst
from core.backends.experiments.runs import Runs, middle_of, settle, take_runs
from core.backends.plan import Plan
from core.backends.progress import Cancelled, Progress, never_cancelled, no_progress
from core.backends.spec import DecoderSpec

Backend = DecoderBackend[Any]


def many_users(
    backend: Backend,
    *,
    users: int = 100,
    shared: int = 512,
    own: int = 128,
    block_size: int = 16,
    runs: int = 3,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """Users one after another, all with the same prefix: once reading the cache and once not, in turn. Each
    run begins with an empty cache: its first user pays for the prefix, so there is no warm-up but one other
    prompt."""
    settle(backend)
    benches = []

    def one_run(number: int, progress: Progress, cancelled: Cancelled) -> Rounds:
        benches.append(_Users(backend, shared, own, block_size, seed + number))
        works = benches[-1].works()
        return take_turns(
            works, rounds=users, warm_ups=0, seed=seed + number, progress=progress, cancelled=cancelled
        )

    done = take_runs(one_run, runs, progress, cancelled)
    served, computed = len(done.each[0].results["none"]), benches[0].computed
    ratio, middle = _users_ratio(done)
    rows = [{**_users_row(done, side, middle), "computed_tokens": computed[side]} for side in computed]
    spec, total = backend.spec, shared + own
    hits = spec.prefill_flops(total) + (served - 1) * spec.prefill_flops(own, shared)
    settings = {
        "users": users,
        "shared": shared,
        "own": own,
        "block_size": block_size,
        "runs": runs,
        "seed": seed,
    }
    return report(
        "users",
        backend,
        settings,
        rows,
        summary={
            **ratio,
            "tokens_ratio": computed["none"] / computed["cache"],
            "hit_rate": 1 - computed["cache"] / computed["none"],
            "flops": served * spec.prefill_flops(total) / hits,
        },
        equality=benches[-1].worst(),
        disturbed=any(row["timing"]["disturbed"] for row in rows),
        complete=done.complete,
    )


def decoding(
    backend: Backend,
    *,
    positions: Sequence[int] = (16, 128, 512, 1024),
    block_size: int = 16,
    runs: int = 5,
    rounds: int = 2,
    warm_ups: int = 1,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """The next token at several positions: with the request's own K/V, and by computing it all again."""
    settle(backend)
    num_blocks = sum(-(-(place + 1) // block_size) for place in positions) + 1
    differences: list[Difference] = []

    def one_run(number: int, progress: Progress, cancelled: Cancelled) -> Rounds:
        bench = Bench(backend, num_blocks, block_size, seed + number)
        works: dict[str, Work] = {}
        for place in positions:
            _, plan = bench.plan(bench.fresh(place + 1))
            with_kv, without = _decode_works(backend, plan, place)
            works[f"with {place}"], works[f"without {place}"] = with_kv, without
            first = without(0)  # fills the blocks
            if not number:
                differences.append(_compare(first, with_kv(0)))
        return take_turns(works, rounds=rounds, warm_ups=warm_ups, seed=seed + number, progress=progress,
                          cancelled=cancelled)  # fmt: skip

    done = take_runs(one_run, runs, progress, cancelled)
    middle = done.middle([(f"without {place}", f"with {place}") for place in positions])
    rows = [_decode_row(backend.spec, done, place, middle) for place in positions]
    settings = {"positions": list(positions), "block_size": block_size, "runs": runs, "rounds": rounds,
                "warm_ups": warm_ups, "seed": seed}  # fmt: skip
    return report(
        "decode",
        backend,
        settings,
        rows,
        equality=worst(differences),
        disturbed=any(row["with"]["disturbed"] or row["without"]["disturbed"] for row in rows),
        complete=done.complete,
    )


class _Users:
    """One run: a bench of its own, everybody's prefix, and how many tokens each side computed."""

    def __init__(self, backend: Backend, shared: int, own: int, block_size: int, seed: int) -> None:
        blocks = -(-(shared + own) // block_size)
        self.bench = Bench(backend, 6 * blocks + 1, block_size, seed)
        self.prefix, self.own = self.bench.fresh(shared), own
        self.computed = {"cache": 0, "none": 0}
        backend.recompute(self.bench.fresh(shared + own))  # warm-up, in blocks of its own

    def works(self) -> dict[str, Work]:
        """What to take in turn."""
        return {side: self._work(side) for side in self.computed}

    def worst(self) -> Difference:
        """The largest difference between a hit's logits and those without a cache."""
        return worst(self.bench.verify(self.prefix + self.bench.fresh(self.own)) for _ in range(3))

    def _work(self, side: str) -> Work:
        def work(_round: int) -> PrefillResult:
            plan, result = self.bench.serve(self.prefix + self.bench.fresh(self.own), private=side == "none")
            self.computed[side] += plan.num_new
            return result

        return work


def _users_row(done: Runs, side: str, middle: int) -> Json:
    """Of the middle run: all users, the first one, a later one; CPU time where there is one, and the wall."""
    results = done.each[middle].results[side]
    seconds = [seconds_of(result) for result in results]
    return {
        "side": side,
        "timing": done.timing(side, middle).to_json(),
        "total_ms": sum(seconds) * 1e3,
        "total_wall_ms": sum(result.wall_s for result in results) * 1e3,
        "first_ms": seconds[0] * 1e3,
        "later_ms": statistics.median(seconds[1:] or seconds) * 1e3,
    }


def _users_ratio(done: Runs) -> tuple[Json, int]:
    """Sum without ÷ sum with, of the middle run, and which run that is; a single run has no interval."""
    sums = [[sum(map(seconds_of, run.results[side])) for side in ("none", "cache")] for run in done.each]
    ratios = [none / cache for none, cache in sums]
    middle = middle_of(ratios)
    return {"ratio": ratios[middle], "ratio_low": min(ratios), "ratio_high": max(ratios)}, middle


def _decode_works(backend: Backend, plan: Plan, place: int) -> tuple[Work, Work]:
    token = plan.token_ids[place]

    def with_kv(_round: int) -> PrefillResult:
        return backend.decode(token, place, plan.block_table)

    def without(_round: int) -> PrefillResult:
        return backend.prefill(plan)

    return with_kv, without


def _decode_row(spec: DecoderSpec, done: Runs, place: int, middle: int) -> Json:
    names = f"without {place}", f"with {place}"
    without, with_kv = (done.timing(name, middle) for name in names)
    ratio, low, high = done.ratio(*names, middle)
    return {
        "position": place,
        "with": with_kv.to_json(),
        "without": without.to_json(),
        "ratio": ratio,
        "ratio_low": low,
        "ratio_high": high,
        "flops": spec.prefill_flops(place + 1) / spec.prefill_flops(1, place),
    }


def _compare(one: PrefillResult, other: PrefillResult) -> Difference:
    assert one.logits is not None
    assert other.logits is not None
    return compare(one.logits, other.logits)
