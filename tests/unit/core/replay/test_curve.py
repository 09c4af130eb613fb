"""The capacity curve against exact replays and the engine; the deviation where copies arise; TTL curves."""

from __future__ import annotations

from array import array
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import TraceError
from core.replay.block_chain import BlockChain, chain_of_ids
from core.replay.curve import capacity_curve, measure, spread
from core.replay.prefix_tree import PrefixTree, build_tree
from core.replay.replay import replay
from core.replay.runs import replay_runs
from core.replay.ttl_curve import absolute_ttl_hits, ttl_curve
from core.types import EngineConfig
from tests.prompt_logs import prompts, real_chains, requests_of, serve_one_by_one
from tests.strategies import examples

MOONCAKE = ("mooncake_conversation.jsonl", "mooncake_synthetic.jsonl")


def tree_of(log: list[tuple[int, ...]], block_size: int = 2) -> PrefixTree:
    return build_tree(requests_of(log), block_size)


# -- exact where it says so ---------------------------------------------------------------------------------


@examples(80)
@given(st.data(), st.sampled_from(["tail", "mixed"]))
def test_equals_the_engine_on_every_request_at_every_capacity(data: st.DataObject, ends: str) -> None:
    """All prompts with a last block that is not full, or some without, none of which comes again whole."""
    block_size = data.draw(st.integers(2 if ends == "tail" else 1, 4))
    requests = requests_of(data.draw(prompts(block_size, ends)))
    tree = build_tree(requests, block_size)
    curve = capacity_curve(tree)
    assert curve.exact
    for num_usable in range(curve.first, curve.last + 3):
        config = EngineConfig(block_size=block_size, num_blocks=num_usable + 1)
        engine = [served.hit for served in serve_one_by_one(requests, config)]
        assert (curve.hits_at(num_usable) * block_size).tolist() == engine, num_usable
        assert curve.rate_at(num_usable) == pytest.approx(sum(engine) / sum(tree.num_tokens))


@examples(100)
@given(st.data())
def test_never_falls_and_the_deviation_is_what_it_says(data: st.DataObject) -> None:
    """Any log: with repeats the curve may differ from the engine, and ``measure`` says by how much."""
    block_size = data.draw(st.integers(1, 4))
    tree = tree_of(data.draw(prompts(block_size)), block_size)
    curve = capacity_curve(tree)
    assert all(low <= high for low, high in pairwise(curve.hit_blocks.tolist()))
    capacities = spread(curve, 6)
    deviation = measure(tree, curve, capacities)
    for place, capacity in enumerate(capacities):
        exact = replay_runs(tree, capacity)
        assert deviation.exact_rates[place] == pytest.approx(exact.hit_rate)
        assert deviation.curve_rates[place] == curve.rate_at(capacity)
        different = (curve.hits_at(capacity) * block_size != exact.hit_tokens).sum()
        assert deviation.num_different[place] == different
        assert not (curve.exact and different)
    gaps = np.subtract(deviation.curve_rates, deviation.exact_rates)
    assert deviation.largest == np.abs(gaps).max()
    # With room for everything, copies change nothing.
    room = curve.last + sum(tree.num_blocks(request) for request in range(tree.num_requests))
    assert (curve.hits_at(room) * block_size == replay_runs(tree, room).hit_tokens).all()


def test_copies_push_out_what_the_stack_distance_takes_for_safe() -> None:
    """Two blocks sent four times are two blocks to the curve, but five slots to the engine."""
    chain, other = (1, 1, 2, 2), (5, 5, 6, 6, 9)
    tree = tree_of([other, chain, chain, chain, chain, other])
    curve = capacity_curve(tree)
    assert (curve.exact, curve.num_repeats, curve.first, curve.last) == (False, 3, 3, 4)
    deviation = measure(tree, curve, [3, 4, 5, 6, 7])
    assert deviation.num_different == (1, 1, 1, 1, 0)
    by_curve = [6 + 2, 6 + 4, 6 + 4, 6 + 4, 6 + 4]
    assert deviation.curve_rates == tuple(tokens / 26 for tokens in by_curve)
    assert deviation.exact_rates == tuple(tokens / 26 for tokens in (6, 6, 6, 6 + 2, 6 + 4))
    assert deviation.largest == pytest.approx(4 / 26)


@pytest.mark.parametrize("name", MOONCAKE)
def test_real_traces_at_twenty_capacities(name: str) -> None:
    tree = build_tree(real_chains(name), 512)
    curve = capacity_curve(tree)
    assert curve.exact
    assert (np.diff(curve.hit_blocks) >= 0).all()
    deviation = measure(tree, curve, spread(curve, 20))
    assert len(deviation.capacities) == 20
    assert deviation.num_different == (0,) * 20
    assert deviation.largest < 1e-12
    assert deviation.curve_rates[0] < deviation.curve_rates[-1] < 1


# -- reading the curve ------------------------------------------------------------------------------------

THREE = [(1, 1, 2, 2, 9), (3, 3, 4, 4, 9), (5, 5, 6, 6, 9)]


def test_a_cycle_falls_off_a_cliff() -> None:
    """Three prompts of two blocks, in turn. While all six blocks fit, and a tail beside them, all hit; with
    one slot fewer the end of each goes just before it is needed, and with two fewer nothing is left."""
    tree = tree_of(THREE * 10)
    curve = capacity_curve(tree)
    assert (curve.first, curve.last) == (3, 7)
    assert curve.hit_blocks.tolist() == [0, 0, 0, 27, 54]
    assert curve.capacities.tolist() == [3, 4, 5, 6, 7]
    assert curve.rate_at(7) == curve.rate_at(1000) == 54 * 2 / 150
    assert curve.enough_for(0.1) == 6
    assert curve.enough_for(curve.rate_at(7)) == 7
    assert curve.enough_for(0.9) is None
    assert curve.cliff() == (4, 8)


def test_a_curve_begins_where_the_largest_prompt_fits() -> None:
    curve = capacity_curve(tree_of(THREE))
    assert curve.cliff() is None
    for ask in (curve.rate_at, curve.hits_at):
        with pytest.raises(TraceError, match="begins at 3 slots") as caught:
            ask(2)
        assert caught.value.code == "trace.capacity"


def test_an_empty_log_has_an_empty_curve() -> None:
    curve = capacity_curve(build_tree([], 16))
    assert (curve.rates.tolist(), curve.cliff(), curve.exact) == ([0.0], None, True)
    assert spread(curve, 5) == (0,)


def test_progress_of_the_curve() -> None:
    told: list[tuple[int, int | None]] = []
    capacity_curve(tree_of(THREE * 30), lambda done, total: told.append((done, total)))
    assert told == [(0, 90), (64, 90)]


# -- time to live -----------------------------------------------------------------------------------------


class Timed:
    """A prompt with an arrival time, for the engine and for the tree."""

    def __init__(self, tokens: tuple[int, ...], arrival_s: float) -> None:
        self.block_ids: array[int] | None = None
        self.block_size: int | None = None
        self.tail_id: int | None = None
        self.scope = ""
        self.num_tokens = len(tokens)
        self.arrival_s: float | None = arrival_s
        self._tokens = tokens

    def request(self) -> object:
        return requests_of([self._tokens])[0]


@examples(60)
@given(st.data(), st.lists(st.integers(0, 5), min_size=30, max_size=30), st.integers(0, 12))
def test_ttl_is_what_the_engine_does(data: st.DataObject, pauses: list[int], ttl: int) -> None:
    """At any capacity that holds everything; more in test_one_clock.py."""
    block_size = data.draw(st.integers(1, 3))
    times = np.cumsum(pauses).tolist()
    log = [Timed(tokens, time) for tokens, time in zip(data.draw(prompts(block_size)), times, strict=False)]
    tree = build_tree(log, block_size)  # type: ignore[arg-type]
    for kind in ("idle", "absolute"):
        config = EngineConfig(block_size, 400, ttl=ttl * 1000, ttl_kind=kind)  # type: ignore[arg-type]
        engine = replay(log, config).hit_tokens  # type: ignore[arg-type]
        if kind == "idle":
            assert ttl_curve(tree).rate_at(ttl) == pytest.approx(engine.sum() / sum(tree.num_tokens))
        else:
            assert absolute_ttl_hits(tree, ttl).tolist() == engine.tolist()


def chain_at(time: float) -> BlockChain:
    return chain_of_ids([1, 2, 3], 9, 4, arrival_s=time)


def test_idle_and_absolute_ttl_differ() -> None:
    """Pauses of 240, 240, 240 and 301 seconds; a TTL of 300 seconds."""
    tree = build_tree([chain_at(time) for time in (0, 240, 480, 720, 1021)], 4)
    curve = ttl_curve(tree)
    assert (curve.pauses_s.tolist(), curve.hit_tokens.tolist()) == ([240, 301], [24, 32])
    rates = [curve.rate_at(ttl) for ttl in (239.9, 240, 300, 301)]
    assert rates == [0, 24 / 45, 24 / 45, 32 / 45]
    assert absolute_ttl_hits(tree, 300).tolist() == [0, 8, 0, 8, 0]


def test_no_times_no_ttl() -> None:
    tree = build_tree([chain_at(0), chain_of_ids([1, 2, 3], 9, 4)], 4)
    with pytest.raises(TraceError) as caught:
        ttl_curve(tree)
    assert caught.value.code == "trace.no_times"
