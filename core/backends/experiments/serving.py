"""Timed: many users on one prefix, and the next token with and without the request's own K/V. Both go through
the engine, check the logits outside the clock and give a ``Report``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.backends.base import Difference, PrefillResult, compare
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.experiments.bench import Bench
from core.backends.experiments.measure import Rounds, Work, seconds_of, take_turns
from core.backends.experiments.report import Json, Report, report, worst
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
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """Users one after another, all with the same prefix: once reading the cache and once not, in turn."""
    blocks = -(-(shared + own) // block_size)
    bench = Bench(backend, 6 * blocks + 1, block_size, seed)
    prefix = bench.fresh(shared)
    computed = {"cache": 0, "none": 0}

    def serve(side: str) -> Work:
        def work(_round: int) -> PrefillResult:
            plan, result = bench.serve(prefix + bench.fresh(own), private=side == "none")
            computed[side] += plan.num_new
            return result

        return work

    backend.recompute(bench.fresh(shared + own))  # warm-up
    works = {side: serve(side) for side in computed}
    done = take_turns(works, rounds=users, warm_ups=0, seed=seed, progress=progress, cancelled=cancelled)
    checked = [bench.verify(prefix + bench.fresh(own)) for _ in range(3)]
    rows = [{"side": side, **_users_row(done, side), "computed_tokens": computed[side]} for side in computed]
    settings = {"users": users, "shared": shared, "own": own, "block_size": block_size, "seed": seed}
    return report(
        "users",
        backend,
        settings,
        rows,
        summary={
            "ratio": rows[1]["total_ms"] / rows[0]["total_ms"],
            "tokens_ratio": computed["none"] / computed["cache"],
            "hit_rate": 1 - computed["cache"] / computed["none"],
        },
        equality=worst(checked),
        disturbed=any(row["timing"]["disturbed"] for row in rows),
        complete=done.complete,
    )


def decoding(
    backend: Backend,
    *,
    positions: Sequence[int] = (16, 128, 512, 1024),
    block_size: int = 16,
    rounds: int = 5,
    seed: int = 0,
    progress: Progress = no_progress,
    cancelled: Cancelled = never_cancelled,
) -> Report:
    """The next token at several positions: with the request's own K/V, and by computing it all again."""
    num_blocks = sum(-(-(place + 1) // block_size) for place in positions) + 1
    bench = Bench(backend, num_blocks, block_size, seed)
    works: dict[str, Work] = {}
    differences: list[Difference] = []
    for place in positions:
        _, plan = bench.plan(bench.fresh(place + 1))
        works[f"with {place}"], works[f"without {place}"] = _decode_works(backend, plan, place)
        without, with_kv = works[f"without {place}"](0), works[f"with {place}"](0)
        differences.append(_compare(without, with_kv))
    done = take_turns(works, rounds=rounds, warm_ups=1, seed=seed, progress=progress, cancelled=cancelled)
    rows = [_decode_row(backend.spec, done, place) for place in positions]
    settings = {"positions": list(positions), "block_size": block_size, "rounds": rounds, "seed": seed}
    return report(
        "decode",
        backend,
        settings,
        rows,
        equality=worst(differences),
        disturbed=any(row["with"]["disturbed"] or row["without"]["disturbed"] for row in rows),
        complete=done.complete,
    )


def _users_row(done: Rounds, side: str) -> Json:
    results = done.results[side]
    seconds = [seconds_of(result) for result in results]
    later = sorted(seconds[1:]) or seconds
    return {
        "timing": done.timing(side).to_json(),
        "total_ms": sum(seconds) * 1e3,
        "first_ms": seconds[0] * 1e3,
        "later_ms": later[len(later) // 2] * 1e3,
    }


def _decode_works(backend: Backend, plan: Plan, place: int) -> tuple[Work, Work]:
    token = plan.token_ids[place]

    def with_kv(_round: int) -> PrefillResult:
        return backend.decode(token, place, plan.block_table)

    def without(_round: int) -> PrefillResult:
        return backend.prefill(plan)

    return with_kv, without


def _decode_row(spec: DecoderSpec, done: Rounds, place: int) -> Json:
    names = f"without {place}", f"with {place}"
    without, with_kv = map(done.timing, names)
    median, low, high = done.ratio(*names)
    return {
        "position": place,
        "with": with_kv.to_json(),
        "without": without.to_json(),
        "ratio": median,
        "ratio_low": low,
        "ratio_high": high,
        "flops": spec.prefill_flops(place + 1) / spec.prefill_flops(1, place),
    }


def _compare(one: PrefillResult, other: PrefillResult) -> Difference:
    assert one.logits is not None
    assert other.logits is not None
    return compare(one.logits, other.logits)
