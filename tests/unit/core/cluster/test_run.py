"""Runs of a cluster: one worker is today's server, N are N engines, and the shares mean what they say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cluster.card import Card
from core.cluster.jobs import Job, Recorded, recorded_jobs, stream_jobs
from core.cluster.rates import alone_s
from core.cluster.routers.catalogue import ROUTERS, plain_ttft
from core.cluster.routers.plain import RoundRobin
from core.cluster.run import ClusterRun
from core.cluster.truth import Available, difference
from core.cost import GPUS, MODELS, CostModel
from core.engine.events import Event
from core.engine.hash_chain import hash_chain
from core.errors import ConfigError, TraceError
from core.load import Burst, LoadRun, LoadSpec
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig
from tests.strategies import examples

COST = CostModel(MODELS["Llama-3-8B"], GPUS["A100"])
SPEC = LoadSpec(
    seed=11, rate=40, num_requests=160, num_prefixes=8, prefix_tokens=64, own_tokens=20, output_tokens=8,
    document_tokens=24, think_s=0.5, max_tokens=400,
)  # fmt: skip
CONFIG = EngineConfig(block_size=8, num_blocks=81, max_num_seqs=6, max_num_batched_tokens=128)

specs = st.builds(
    replace,
    st.just(SPEC),
    seed=st.integers(0, 10_000),
    rate=st.sampled_from([5.0, 40.0, 400.0]),
    num_requests=st.integers(1, 60),
    bursts=st.sampled_from([(), (Burst(0.2, 0.5, 20.0),)]),
)
configs = st.builds(
    replace,
    st.just(CONFIG),
    num_blocks=st.sampled_from([52, 81, 400]),
    max_num_batched_tokens=st.sampled_from([16, 128, 4096]),
    enable_caching=st.sampled_from([True, True, True, False]),
)
names = st.sampled_from(sorted(ROUTERS))


def cluster(jobs: list[Job], config: EngineConfig, name: str, num: int, **options: Any) -> ClusterRun:
    return ClusterRun(jobs, config, COST, ROUTERS[name](5, COST), num, **options)


def listened(card: Card) -> list[Event]:
    told: list[Event] = []
    card.server.listen_to_blocks(told.append)
    return told


@given(specs, configs, names)
@examples(25)
def test_one_worker_is_todays_server_event_for_event(spec: LoadSpec, config: EngineConfig, name: str) -> None:
    today = LoadRun(spec, config, COST)
    expected: list[Event] = []
    today.cached.listen_to_blocks(expected.append)
    today.cached.run_until(math.inf)
    run = cluster(list(stream_jobs(spec, config)), config, name, 1)
    told = listened(run.cards[0])
    run.finish()
    assert told == expected
    side = today.records.cached
    assert np.array_equal(run.rows.hit, side.hit)
    for ours, theirs in (
        (run.rows.at_s, side.arrival_s),
        (run.rows.admitted_s, side.admitted_s),
        (run.rows.first_s, side.first_s),
        (run.rows.finished_s, side.finished_s),
    ):
        assert np.array_equal(ours, theirs)


@given(specs, configs, names, st.integers(2, 5))
@examples(25)
def test_n_workers_are_n_engines_that_are_fed_what_was_routed(
    spec: LoadSpec, config: EngineConfig, name: str, num: int
) -> None:
    jobs = list(stream_jobs(spec, config))
    run = cluster(jobs, config, name, num)
    told = [listened(card) for card in run.cards]
    run.finish()
    for place, card in enumerate(run.cards):
        own = [job for row, job in enumerate(jobs) if run.rows.worker[row] == place]
        alone = ClusterRun(own, config, COST, RoundRobin(), 1)
        expected = listened(alone.cards[0])
        alone.finish()
        assert told[place] == expected
        assert take_snapshot(card.server.engine) == take_snapshot(alone.cards[0].server.engine)
        card.server.engine.check()


@given(specs, configs, names, st.integers(1, 4))
@examples(25)
def test_everybody_is_served_once_and_the_shares_hold(
    spec: LoadSpec, config: EngineConfig, name: str, num: int
) -> None:
    jobs = list(stream_jobs(spec, config))
    run = cluster(jobs, config, name, num).finish()
    rows = run.rows
    assert rows.num == len(jobs)
    assert not np.isnan(rows.finished_s).any()
    assert (rows.at_s <= rows.admitted_s).all()
    assert (rows.admitted_s < rows.first_s).all()
    assert (rows.hit >= 0).all()
    assert (rows.hit <= rows.available).all()
    assert (rows.available < rows.num_tokens).all()
    rates = run.rates(plain_ttft(jobs, config, COST, num))
    assert sum(worker.num_requests for worker in rates.workers) == len(jobs)
    assert sum(count for _, count in rates.differences) == len(jobs)
    assert (rates.delivered or 0) <= 1 + 1e-9
    if rates.net is not None and rates.missed is not None and rates.waiting is not None:
        assert rates.missed >= -1e-9
        assert rates.waiting >= -1e-9
        assert rates.net + rates.missed + rates.waiting == pytest.approx(1)
    again = cluster(jobs, config, name, num).finish()
    assert np.array_equal(again.rows.worker, rows.worker)
    assert np.array_equal(again.rows.first_s, rows.first_s)
    assert np.array_equal(again.rows.value, rows.value, equal_nan=True)


@given(specs, names, st.integers(2, 4), st.floats(0, 1.2))
@examples(25)
def test_a_dead_worker_gets_nothing_and_nobody_is_lost(
    spec: LoadSpec, name: str, num: int, at_s: float
) -> None:
    jobs = list(stream_jobs(spec, CONFIG))
    run = cluster(jobs, CONFIG, name, num, deaths=[(at_s, 0)]).finish()
    rows = run.rows
    assert not np.isnan(rows.finished_s).any()
    later = rows.at_s > at_s
    assert (rows.worker[later] != 0).all()
    assert (rows.resent <= 1).all()
    assert (rows.finished_s[rows.worker == 0] <= at_s).all()
    assert (rows.hit <= rows.available).all()
    assert not run.cards[0].alive
    assert all(worker.load == 0 for worker in run.workers)


def test_with_nobody_waiting_delivered_is_captured() -> None:
    """One request a minute: what each first token takes is what it takes alone, in the same chunks."""
    jobs = list(stream_jobs(replace(SPEC, rate=1 / 60, num_requests=40, think_s=1.0), CONFIG))
    run = cluster(jobs, CONFIG, "round_robin", 3).finish()
    rates = run.rates(plain_ttft(jobs, CONFIG, COST, 3))
    assert rates.waiting == pytest.approx(0, abs=1e-6)
    budget = CONFIG.max_num_batched_tokens
    for row, ttft in enumerate(run.rows.ttft_s):
        own = alone_s(COST, int(run.rows.num_tokens[row]), int(run.rows.hit[row]), budget)
        assert ttft == pytest.approx(own, rel=1e-6)
    assert 0 < (rates.delivered or 0) < 1
    assert rates.net == pytest.approx(rates.delivered)
    assert rates.missed == pytest.approx(1 - (rates.delivered or 0))


def test_under_load_reuse_is_delivered_although_waiting_costs_more_than_it_saves_alone() -> None:
    jobs = list(stream_jobs(replace(SPEC, rate=4000), CONFIG))
    rates = cluster(jobs, CONFIG, "oracle", 1).finish().rates(plain_ttft(jobs, CONFIG, COST, 1))
    assert 0 < (rates.delivered or 0) < 1
    assert (rates.net or 0) < 0
    assert (rates.waiting or 0) > 1


def test_delivered_is_negative_where_first_tokens_come_later_than_without_a_cache() -> None:
    """A system prompt for everybody pins all requests to the one worker that had it first."""
    jobs = list(stream_jobs(replace(SPEC, mix={"system": 1.0}, prefix_tokens=128, rate=4000), CONFIG))
    run = cluster(jobs, replace(CONFIG, num_blocks=800), "production_stack", 4).finish()
    rates = run.rates(plain_ttft(jobs, CONFIG, COST, 4))
    assert rates.balance == pytest.approx(4)
    assert (rates.delivered or 0) < 0 < (rates.captured or 0)


def test_an_endless_common_pool_gives_all_that_is_available() -> None:
    """Without a limit and one after another, one worker's hits are the available ones, request by request."""
    jobs = list(stream_jobs(replace(SPEC, rate=0.01, think_s=1.0), CONFIG))
    run = cluster(jobs, replace(CONFIG, num_blocks=20_000), "oracle", 1).finish()
    assert np.array_equal(run.rows.hit, run.rows.available)
    assert run.rates().captured == 1


def test_available_counts_what_others_sent_before() -> None:
    available, chain = Available(4), hash_chain(range(16), 4)
    assert available.tokens(chain, 16) == 0
    available.add(chain)
    assert available.tokens(chain, 16) == 12  # the last token is always computed
    assert available.tokens(chain, 17) == 16
    assert available.tokens([*chain[:2], b"x", chain[3]], 17) == 8


ROWS = [
    Recorded(0.0, 1200, 5, [7, 8, 9]),
    Recorded(60.0, 1536, 3, [7, 8, 50]),
    Recorded(120.0, 1300, 3, [99, 98, 97]),
    Recorded(180.0, 2100, 3, [7, 8, 9, 10, 11]),
]


def test_recorded_ids_become_tokens_that_share_what_the_ids_share() -> None:
    jobs = recorded_jobs(ROWS, 512, most_output=1)
    prompts = [np.asarray(job.arrival.request().token_ids) for job in jobs]
    assert [len(prompt) for prompt in prompts] == [1200, 1536, 1300, 2100]
    assert np.array_equal(prompts[0], prompts[3][:1200])
    assert np.array_equal(prompts[0][:1024], prompts[1][:1024])
    assert not set(prompts[1][1024:]) & set(prompts[0])
    config = EngineConfig(block_size=512, num_blocks=65)
    run = cluster(jobs, config, "oracle", 2).finish()
    assert run.rows.available.tolist() == [0, 1024, 0, 1024]
    assert run.rows.hit.tolist() == [0, 1024, 0, 1024]
    assert [job.session for job in jobs] == ["s1", "s1", "s2", "s1"]


def test_ids_that_do_not_cover_a_prompt_are_refused() -> None:
    with pytest.raises(TraceError) as told:
        recorded_jobs([Recorded(0.0, 1025, 1, [1, 2])], 512)
    assert told.value.code == "trace.ids_count"


def test_belief_and_truth_and_what_lies_between() -> None:
    assert difference(None, 8, "", None, 99) == "unknown"
    assert difference(8, 8, "headless", None, 99) == "agrees"
    assert difference(16, 8, "headless", 999, 99) == "headless"
    assert difference(16, 8, "", 100, 99) == "over_capacity"
    assert difference(16, 8, "", 99, 99) == "stale"
    assert difference(0, 8, "head_lost", 5, 99) == "head_lost"
    assert difference(0, 8, "", 5, 99) == "never_told"


def test_a_router_that_listens_believes_what_was_there_when_the_last_step_ended() -> None:
    """One request a minute: nothing is on its way, so belief is truth for every candidate."""
    jobs = list(stream_jobs(replace(SPEC, rate=1 / 60, num_requests=60, think_s=1.0), CONFIG))
    run = cluster(jobs, CONFIG, "llm_d_precise", 3).finish()
    assert np.array_equal(run.rows.believed, run.rows.held)
    assert dict(run.rates().differences)["agrees"] == 60
    assert run.rates().believed_wrong == 0


def test_a_character_router_believes_more_than_there_is() -> None:
    jobs = list(stream_jobs(replace(SPEC, rate=1 / 60), replace(CONFIG, num_blocks=52)))
    run = cluster(jobs, replace(CONFIG, num_blocks=52), "sglang", 2).finish()
    assert dict(run.rates().differences)["over_capacity"] > 10
    assert (run.rows.believed >= run.rows.held).mean() > 0.9


def test_what_was_said_can_be_kept() -> None:
    jobs = list(stream_jobs(replace(SPEC, num_requests=20), CONFIG))
    run = cluster(jobs, CONFIG, "dynamo", 3, keep=[7]).finish()
    assert list(run.choices) == [7]
    choice = run.choices[7]
    assert choice.worker == run.rows.worker[7]
    assert [score.value for score in choice.scores] == run.rows.value[7].tolist()
    assert {name for score in choice.scores for name, _ in score.parts} == {"prefill", "decode"}


@pytest.mark.parametrize("deaths", [[(1.0, 0), (2.0, 1)], [(1.0, 5)]])
def test_somebody_must_live(deaths: list[tuple[float, int]]) -> None:
    with pytest.raises(ConfigError):
        cluster([], CONFIG, "random", 2, deaths=deaths)
    with pytest.raises(ConfigError):
        cluster([], CONFIG, "random", 0)
    with pytest.raises(ConfigError):
        cluster([], replace(CONFIG, version="v2"), "random", 2)
