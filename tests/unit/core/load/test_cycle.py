"""What a cache can gain at most where clients wait, and what is told while a run is young."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from core.cost import GPUS, MODELS, CostModel, StepWork
from core.load import KNOWN_AFTER, MIXES, LoadRun, LoadSpec
from core.types import EngineConfig

H100 = CostModel(MODELS["Llama-3-8B"], GPUS["H100"])
MACHINES = (
    H100,
    CostModel(MODELS["Llama-3-8B"], GPUS["RTX 4090"]),
    CostModel(MODELS["Llama-2-7B"], GPUS["A100"]),
    CostModel(MODELS["Llama-2-70B"], GPUS["H100"], 2),
    CostModel(MODELS["DeepSeek-V3"], GPUS["H200"], 8),
)


def check_bound(run: LoadRun) -> None:
    """Nothing exceeds the bound; neither server's answers take less than the least they can take."""
    loop = run.loop()
    assert loop is not None
    assert loop.gain <= loop.ceiling
    assert loop.ceiling >= 1
    for cycle in (loop.with_cache, loop.without_cache):
        assert cycle.answer_s >= cycle.least_s
    assert loop.with_cache.think_s == loop.without_cache.think_s


@pytest.mark.parametrize("seed", range(24))
def test_no_cache_exceeds_the_bound(seed: int) -> None:
    """Any machine, mix, block size and length; rush hours, policies and other blocks while it runs; at any
    moment. Once the first token was charged a decode step, dearer than a prefill of one token, and a rush
    hour gave the faster server shorter pauses."""
    dice = random.Random(seed)
    size, pool = dice.choice([4, 16, 32]), dice.choice([64, 256, 2048])
    spec = LoadSpec(
        seed=seed,
        mix=dice.choice(list(MIXES.values())),
        clients=dice.choice([1, 2, 12]),
        think_s=dice.choice([0.0, 0.3, 5.0]),
        tool_s=dice.choice([0.1, 6.0]),
        num_requests=100,
        prefix_tokens=dice.choice([64, 1024]),
        own_tokens=dice.choice([1, 96]),
        output_tokens=dice.choice([1, 8, 64]),
    )
    config = EngineConfig(size, pool + 1, long_prefill_token_threshold=dice.choice([0, 0, 64]))
    run = LoadRun(spec.fitted_to(pool * size), config, MACHINES[seed % len(MACHINES)])
    while run.advance(requests=20):
        if run.loop() is not None:
            check_bound(run)
        deed = dice.choice(["burst", "cap", "blocks", "", ""])
        if deed == "burst":
            run.burst(seconds=3.0, factor=5.0)
        elif deed == "cap":
            run.set_policy("cache_cap", dice.choice([None, pool // 4]))
        elif deed == "blocks" and not any(knob.name == "block_size" for knob in run.knobs):
            run.restart(size // 2)
    check_bound(run)


def test_the_bound_is_reached_by_one_client_who_sends_the_same_again() -> None:
    """All reused but what no cache can reuse, nobody else there: the bound is no wider than it must be."""
    spec = LoadSpec(
        seed=5, mix=MIXES["system"], clients=1, think_s=0.0, num_requests=150, prefix_tokens=2048,
        own_tokens=1, output_tokens=1,
    )  # fmt: skip
    for machine in MACHINES[:4]:
        run = LoadRun(spec, EngineConfig(4, 4097), machine)
        while run.advance(requests=50):
            pass
        check_bound(run)
        loop = run.loop()
        assert loop is not None
        assert loop.gain > 0.9 * loop.ceiling


def test_reading_a_token_is_cheaper_than_computing_it_on_every_machine() -> None:
    """What the bound rests on: the shortest first step is the one with most of the prompt reused."""
    for model in MODELS.values():
        for gpu in GPUS.values():
            cost, steps = CostModel(model, gpu), []
            for cached in (0, 1, 1000, 4000, 8190):
                work = StepWork()
                work.add_prefill(8191 - cached, cached)
                steps.append(cost.step_s(work))
            assert steps == sorted(steps, reverse=True)


@pytest.mark.parametrize(
    ("spec", "until_s", "known_s"),
    [
        (LoadSpec(seed=7, clients=50, think_s=20.0), (2, 20, 50, 60, 120), 60),
        (LoadSpec(seed=7, clients=16, think_s=2.0), (2, 5, 8, 10, 20), 10),
        (LoadSpec(seed=7, mix=MIXES["agents"], clients=40, think_s=20.0), (5, 10, 40, 60), 40),
    ],
)
def test_a_young_run_tells_nothing_or_what_was_finished_over_time(
    spec: LoadSpec, until_s: tuple[float, ...], known_s: float
) -> None:
    """Once 67 requests a second were told after two seconds in which 3 a second were finished: of pauses only
    the short ones were over."""
    run = LoadRun(replace(spec, num_requests=4000).fitted_to(1024 * 16), EngineConfig(16, 1025), H100)
    for moment in until_s:
        run.advance(seconds=moment - run.now_s)
        loop = run.loop()
        both = ~np.isnan(run.records.cached.finished_s) & ~np.isnan(run.records.plain.finished_s)
        assert (loop is None) == (both.sum() < KNOWN_AFTER * run.spec.num_clients)
        assert loop is not None or moment < known_s
        if loop is None:
            continue
        for cycle, side in ((loop.with_cache, run.records.cached), (loop.without_cache, run.records.plain)):
            ends = side.finished_s[side.finished_s <= run.now_s]
            assert cycle.per_s == pytest.approx(len(ends) / run.now_s, rel=0.06)
            inside = np.minimum(side.finished_s, run.now_s) - side.arrival_s
            inside[np.isnan(side.finished_s)] = run.now_s - side.arrival_s[np.isnan(side.finished_s)]
            assert cycle.inside == pytest.approx(np.nansum(np.maximum(inside, 0)) / run.now_s, rel=0.12)
