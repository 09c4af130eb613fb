"""Replays: the fast way equals the engine on every request, and everything else runs on the engine."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.errors import RequestError, TraceError
from core.replay.block_chain import chain_of_ids
from core.replay.grid import replay_grid
from core.replay.prefix_tree import build_tree
from core.replay.replay import needs_engine, replay
from core.replay.runs import ReplayResult, replay_runs
from core.traces.model import Segment, TraceRequest
from core.traces.prompts.blocks import BlockNumbers
from core.types import EngineConfig, MultiModalItem, Request
from tests.prompt_logs import Served, Tokens, prompts, requests_of, serve_one_by_one
from tests.strategies import HALVES, examples

BLOCK_SIZES = st.sampled_from([2, 1, 3, 4])


def rows(result: ReplayResult) -> list[Served]:
    columns = (result.hit_tokens.tolist(), result.evicted_blocks.tolist(), result.admitted.tolist())
    return [Served(*row) for row in zip(*columns, strict=True)]


@dataclass(frozen=True)
class Prompt:
    """A log's prompt by its block ids, as trace readers yield it."""

    num_tokens: int
    block_ids: array[int] | None = None
    block_size: int | None = 2
    tail_id: int | None = None
    scope: str = ""
    arrival_s: float | None = None
    tokens: Tokens = ()

    def request(self) -> Request:
        stand_ins = [i for i in self.block_ids or () for _ in range(self.block_size or 1)]
        tokens = (*stand_ins, 99)[: self.num_tokens] if self.block_ids is not None else self.tokens
        return Request("one after another", tokens, salt=self.scope or None)


# -- equal to the engine ----------------------------------------------------------------------------------


def check_every_pool_size(data: st.DataObject) -> None:
    """One drawn log at 12 pool sizes: aligned prompts, repeats, refusals included."""
    block_size = data.draw(BLOCK_SIZES)
    requests = requests_of(data.draw(prompts(block_size)))
    tree = build_tree(requests, block_size)
    for num_usable in range(1, 13):
        config = EngineConfig(block_size=block_size, num_blocks=num_usable + 1)
        assert rows(replay_runs(tree, num_usable)) == serve_one_by_one(requests, config), num_usable


@examples(40)
@given(st.data())
def test_equals_the_engine_on_every_request_at_every_pool_size(data: st.DataObject) -> None:
    check_every_pool_size(data)


@pytest.mark.slow
@examples(400)
@given(st.data())
def test_equals_the_engine_in_thousands_of_runs(data: st.DataObject) -> None:
    """400 logs of up to 30 prompts, 4,800 runs."""
    check_every_pool_size(data)


@examples(60)
@given(st.data())
def test_settings_that_do_not_matter_one_by_one(data: st.DataObject) -> None:
    """Budgets, chunks, watermark and the like change steps, not hits, while nobody else runs."""
    block_size = data.draw(BLOCK_SIZES)
    requests = requests_of(data.draw(prompts(block_size)))
    config = EngineConfig(
        block_size=block_size,
        num_blocks=data.draw(st.integers(2, 13)),
        watermark=data.draw(st.sampled_from([0.0, 0.5])),
        max_num_seqs=data.draw(st.integers(1, 3)),
        max_num_batched_tokens=data.draw(st.integers(1, 9)),
        policy=data.draw(st.sampled_from(["fcfs", "priority"])),
        reserve_full_prompt=data.draw(st.booleans()),
        long_prefill_token_threshold=data.draw(st.integers(0, 3)),
        version=data.draw(st.sampled_from(["", "v1"])),
    )
    result = replay(requests, config)
    assert (result.way, result.reasons) == ("runs", ())
    assert rows(result) == serve_one_by_one(requests, config)


def hits_and_evictions(log: list[Tokens], block_size: int, num_usable: int) -> list[tuple[int, int]]:
    config = EngineConfig(block_size=block_size, num_blocks=num_usable + 1)
    result = replay(requests_of(log), config)
    assert rows(result) == serve_one_by_one(requests_of(log), config)
    return [(row.hit, row.evicted) for row in rows(result)]


def test_a_last_block_that_is_not_full_takes_a_slot_and_leaves_it_empty() -> None:
    """3 blocks and a tail in 4 slots: the next prompt takes the tail's slot first, then the chain's end."""
    long, other = (1, 1, 2, 2, 3, 3, 4), (5, 5, 6)
    assert hits_and_evictions([long, other, long], 2, 4) == [(0, 0), (0, 1), (4, 1)]


def test_an_aligned_prompt_that_repeats_fills_the_pool_with_copies() -> None:
    """Each repeat computes the last block again, into a slot of its own."""
    chain, other = (1, 1, 2, 2), (5, 5, 6, 6)
    log = [chain, chain, chain, other, chain]
    # Two blocks, two copies; then 2 evictions: the first block 2 and its first copy, so one copy serves.
    assert hits_and_evictions(log, 2, 4) == [(0, 0), (2, 0), (2, 0), (0, 2), (2, 1)]


def test_a_copy_serves_when_the_older_one_is_gone() -> None:
    chain, longer = (1, 1, 2, 2), (1, 1, 2, 2, 9)
    log = [chain, chain, (5, 5, 6), longer]
    assert hits_and_evictions(log, 2, 4) == [(0, 0), (2, 0), (0, 1), (4, 0)]


def test_the_third_copy_keeps_its_own_place_in_the_queue() -> None:
    """Two copies are older than the block of another prompt, the third is younger: that block goes first."""
    chain, other, longer = (1, 1, 2, 2), (5, 5, 6), (1, 1, 2, 2, 9)
    log = [chain, chain, other, chain, (6, 6, 7), (7, 7, 8), longer]
    expected = [(0, 0), (2, 0), (0, 0), (2, 0), (0, 2), (0, 1), (4, 0)]
    assert hits_and_evictions(log, 2, 5) == expected


def test_a_prompt_of_one_block_never_hits() -> None:
    assert hits_and_evictions([(1, 1)] * 4, 2, 2) == [(0, 0), (0, 0), (0, 1), (0, 1)]


def test_a_prompt_larger_than_the_pool_changes_nothing() -> None:
    result = replay(requests_of([(1, 1, 2), (1, 1, 2, 2, 3), (1, 1, 2)]), EngineConfig(2, 3))
    assert result.admitted.tolist() == [True, False, True]
    assert result.num_refused == 1
    assert result.query_tokens == 6
    assert result.hit_rate == 2 / 6


def test_nothing_admitted_has_no_hit_rate() -> None:
    assert replay(requests_of([(1, 1, 2)]), EngineConfig(2, 2)).hit_rate is None
    assert replay([], EngineConfig(2, 2)).hit_rate is None


# -- what else a log may come as ---------------------------------------------------------------------------


def test_salts_and_adapters_keep_contents_apart() -> None:
    tokens = (1, 1, 2, 2, 3)
    requests = [
        Request("a", tokens),
        Request("b", tokens, salt="x"),
        Request("c", tokens, lora=("x", "y")),
        Request("d", tokens, salt="x"),
    ]
    config = EngineConfig(2, 40)
    assert rows(replay(requests, config)) == serve_one_by_one(requests, config)
    assert replay(requests, config).hit_tokens.tolist() == [0, 0, 0, 4]


@examples(60)
@given(st.data())
def test_images_are_part_of_the_blocks_they_touch(data: st.DataObject) -> None:
    """The same tokens with other images, or the same image elsewhere, are other contents from there on; with
    another salt or adapter, from the first block on."""
    block_size = data.draw(st.integers(1, 4))
    items = st.builds(MultiModalItem, st.sampled_from("xy"), st.integers(0, 6), st.integers(1, 4))
    requests = [
        replace(
            request,
            mm=tuple(data.draw(st.lists(items, max_size=2))),
            salt=data.draw(st.sampled_from([None, None, "", "x", HALVES[0]])),
            lora=data.draw(st.sampled_from([None, None, ("x", ""), (HALVES[0], HALVES[1])])),
        )
        for request in requests_of(data.draw(prompts(block_size)))
    ]
    config = EngineConfig(block_size, data.draw(st.integers(2, 30)))
    assert rows(replay(requests, config)) == serve_one_by_one(requests, config)


@examples(40)
@given(st.data())
def test_ids_and_tokens_give_the_same(data: st.DataObject) -> None:
    """Ids that name a block's own content only, in blocks of the log's size and of twice that."""
    log = data.draw(prompts(2))
    by_id = [
        Prompt(len(tokens), array("I", [3 * a + b for a, b in zip(tokens[::2], tokens[1::2], strict=False)]))
        for tokens in log
    ]
    by_token = [Request("r", tokens) for tokens in log]
    ids_of_all = replay(by_id, EngineConfig(2, 9))
    assert rows(ids_of_all) == rows(replay(by_token, EngineConfig(2, 9)))
    forced = replace(EngineConfig(2, 9), verify_tokens=True)
    assert rows(replay(by_id, forced)) == rows(ids_of_all)


@examples(60)
@given(st.data(), st.booleans())
def test_a_log_of_blocks_can_be_cut_anew(data: st.DataObject, lists_tails: bool) -> None:
    """Smaller and larger blocks made from the log's own numbers equal what its stand-in tokens give."""
    log, numbers = [], BlockNumbers()
    for place, tokens in enumerate(data.draw(prompts(1, max_size=12))):
        num_tokens = 4 * len(tokens) - data.draw(st.integers(0, 3))
        ids = numbers.chain(tokens)[: num_tokens // 4 + (lists_tails and num_tokens % 4 > 0)]
        tail = None if len(ids) * 4 >= num_tokens else numbers.private()
        log.append(TraceRequest(str(place), num_tokens, block_ids=ids, block_size=4, tail_id=tail))
    for block_size in (1, 2, 4, 8, 12, 3, 5):
        tree = build_tree(log, block_size)
        assert tree.matched == build_tree([entry.request() for entry in log], block_size).matched


def test_larger_blocks_are_put_together_from_the_logs_own() -> None:
    """The number of a chain's block stands for all before it; the last block may be one that is not full."""
    log = [Prompt(7, array("I", [1, 2, 3, 4])), Prompt(7, array("I", [1, 2, 3, 5]))]
    tree = build_tree(log, 4)
    assert (tree.matched, tree.tail_matched) == ([0, 1], [False, False])
    assert build_tree([log[0], log[0]], 4).tail_matched == [False, True]
    assert build_tree(log, 1).matched == [0, 6]
    assert build_tree(log, 3).matched == [0, 2]


def test_the_answers_of_a_log_are_left_out_either_way() -> None:
    """Only a request of our own decodes what it brings along."""
    part = Segment("user", None, array("I", (1, 1, 2)))
    log = [
        TraceRequest(name, 3, segments=(part,), output_ids=array("I", (5, 6))) for name in ("first", "again")
    ]
    longer = TraceRequest("longer", 5, segments=(Segment("user", None, array("I", (1, 1, 2, 5, 6))),))
    for config in (EngineConfig(2, 9), EngineConfig(2, 9, verify_tokens=True)):
        assert replay([*log, longer], config).hit_tokens.tolist() == [0, 2, 2]
    assert replay([entry.request() for entry in (*log, longer)], EngineConfig(2, 9)).hit_tokens[2] == 4


def test_scopes_share_nothing() -> None:
    ids = array("I", [1, 2])
    log = [Prompt(5, ids, scope=scope) for scope in ("", "x", "y", "x", "")]
    assert replay(log, EngineConfig(2, 40)).hit_tokens.tolist() == [0, 0, 0, 4, 4]
    as_tokens = [prompt.request() for prompt in log]
    assert replay(as_tokens, EngineConfig(2, 4)).evicted_blocks.tolist() == [0, 2, 2, 2, 2]
    assert replay(log, EngineConfig(2, 4)).evicted_blocks.tolist() == [0, 2, 2, 2, 2]


def test_a_log_that_can_be_read_only_once() -> None:
    config = EngineConfig(2, 9)
    log = requests_of([(1, 1, 2), (1, 1, 3)])
    assert replay(iter(log), config).hit_tokens.tolist() == [0, 2]
    late = [*log, Request("late", (1, 1, 4), outputs=(5,))]
    assert replay(iter(late), config).hit_tokens.tolist() == [0, 2, 2]


def test_ids_must_cover_the_prompt() -> None:
    with pytest.raises(TraceError, match="1 block ids") as caught:
        chain_of_ids([1], 5, 2)
    assert caught.value.code == "trace.ids_count"
    with pytest.raises(TraceError, match="at most 64 bits"):
        chain_of_ids([2**63], 2, 2)
    assert chain_of_ids([1, 2], 5, 2).tail == b""
    assert len(chain_of_ids([1, 2, 3], 5, 2).tail) == 8


def test_a_log_is_cut_with_one_block_size() -> None:
    with pytest.raises(TraceError, match="blocks of 2 tokens need 16") as caught:
        build_tree([chain_of_ids([1, 2], 4, 2), chain_of_ids([1], 4, 4)], 2)
    assert caught.value.code == "trace.block_size"


def test_progress_is_told_and_can_end_the_work() -> None:
    class StopHereError(Exception):
        pass

    def tell(done: int, total: int | None) -> None:
        told.append((done, total))
        if done:
            raise StopHereError

    told: list[tuple[int, int | None]] = []
    log = requests_of([(1, 1, 2)] * 100)
    for config in (EngineConfig(2, 9), EngineConfig(2, 9, ttl=5)):
        with pytest.raises(StopHereError):
            replay(log, config, progress=tell)
    assert told == [(0, 100), (64, 100)] * 2


# -- what runs on the engine -------------------------------------------------------------------------------

ON_THE_ENGINE: dict[str, dict[str, Any]] = {
    "caching_off": {"enable_caching": False},
    "queue_rule": {"queue_rule": "all_to_back"},
    "weak_hash": {"hash_name": "weak"},
    "token_check": {"verify_tokens": True},
    "cap": {"cache_cap": 3},
    "admission": {"admit_after": 2},
    "ttl": {"ttl": 7, "ttl_kind": "absolute"},
}


@pytest.mark.parametrize("reason", ON_THE_ENGINE)
def test_other_settings_run_on_the_engine_and_say_so(reason: str) -> None:
    config = EngineConfig(block_size=2, num_blocks=9, **ON_THE_ENGINE[reason])
    log = requests_of([(1, 1, 2, 2, 3), (1, 1, 2, 2), (4, 4, 5), (1, 1, 2, 2), (1, 1, 2, 2, 3)] * 2)
    result = replay(log, config)
    assert (result.way, result.reasons) == ("engine", (reason,)) == ("engine", needs_engine(config))
    assert rows(result) == serve_one_by_one(log, config)


def test_two_reasons_are_both_named() -> None:
    config = EngineConfig(2, 9, cache_cap=3, ttl=4)
    assert needs_engine(config, in_flight=2) == ("in_flight", "cap", "ttl")


@pytest.mark.parametrize(("field", "value"), [("outputs", (7, 8)), ("skip_read", True)])
def test_one_request_can_send_the_log_to_the_engine(field: str, value: object) -> None:
    odd = Request("odd", (1, 1, 2), **{field: value})  # type: ignore[arg-type]
    log = [*requests_of([(1, 1, 2), (1, 1, 3)]), odd, Request("last", (1, 1, 2, 7, 9))]
    result = replay(log, EngineConfig(2, 9))
    assert (result.way, result.reasons) == ("engine", (field,))
    # The first sampled token fills block 1, which the last prompt then finds.
    assert result.hit_tokens.tolist() == ([0, 2, 2, 4] if field == "outputs" else [0, 2, 0, 2])


@pytest.mark.parametrize(("kind", "hits"), [("idle", [0, 8, 8, 8, 0]), ("absolute", [0, 8, 0, 8, 0])])
def test_a_tick_is_a_millisecond_of_the_log(kind: str, hits: list[int]) -> None:
    """Pauses of 240, 240, 240 and 301 seconds under a time to live of 300 seconds."""
    log = [
        Prompt(9, array("I", [1, 2]), block_size=4, arrival_s=float(at)) for at in (0, 240, 480, 720, 1021)
    ]
    config = EngineConfig(4, 20, ttl=300_000, ttl_kind=kind)  # type: ignore[arg-type]
    assert replay(log, config).hit_tokens.tolist() == hits


# -- requests in flight ------------------------------------------------------------------------------------


def test_requests_in_flight_hold_their_blocks() -> None:
    """Two prompts of 3 blocks in 6 slots. One by one the third takes the first one's end; with two in
    flight it takes it too, but the second's blocks are held and stay whole."""
    a, b, c = (1, 1, 2, 2, 3), (4, 4, 5, 5, 6), (7, 7, 8, 8, 9)
    log = requests_of([a, b, c, b])
    result = replay(log, EngineConfig(2, 7), in_flight=2)
    assert (result.way, result.reasons) == ("engine", ("in_flight",))
    assert result.hit_tokens.tolist() == [0, 0, 0, 4]
    assert result.evicted_blocks.tolist() == [0, 0, 2, 0]


@examples(60)
@given(st.data())
def test_in_flight_is_start_and_free_by_hand(data: st.DataObject) -> None:
    block_size, in_flight = data.draw(BLOCK_SIZES), data.draw(st.integers(2, 4))
    log = requests_of(data.draw(prompts(block_size)))
    config = EngineConfig(block_size, data.draw(st.integers(2, 16)))
    engine, held, hits = Engine(config), [], []
    for request in log:
        if -(-len(request.token_ids) // block_size) > config.num_usable:
            hits.append(0)
            continue
        if len(held) == in_flight:
            engine.free(held.pop(0))
        outcome = engine.start(request)
        while not outcome.ok:
            engine.free(held.pop(0))
            outcome = engine.start(request)
        held.append(request.request_id)
        hits.append(outcome.hit)
    assert replay(log, config, in_flight=in_flight, count_evicted=False).hit_tokens.tolist() == hits


def test_outputs_take_slots_while_they_run() -> None:
    """6 tokens each and 3 computed outputs: 5 blocks. Two such do not fit into 8 slots, so the first lets go
    when the second decodes, and then only two fresh slots are left for it."""
    log = [
        Request("a", (1, 1, 2, 2, 3, 3), outputs=(9, 9, 9, 9)),
        Request("b", (4, 4, 5, 5, 6, 6), outputs=(9, 9, 9, 9)),
        Request("c", (1, 1, 2, 2, 3, 3, 9, 9, 9)),
    ]
    result = replay(log, EngineConfig(2, 9), in_flight=2)
    assert result.admitted.tolist() == [True, True, True]
    assert result.hit_tokens.tolist() == [0, 0, 6]
    assert result.num_refused == 0
    assert replay(log, EngineConfig(2, 5), in_flight=2).num_refused == 3


def test_a_grid_of_capacities_is_the_same_in_processes_and_at_home() -> None:
    log = requests_of([(1, 1, 2, 2, 3), (4, 4, 5), (1, 1, 2, 2, 3, 3), (4, 4, 6)] * 5)
    capacities = [3, 4, 6, 12]
    told: list[tuple[int, int | None]] = []
    home = replay_grid(log, EngineConfig(2), capacities, in_flight=2, max_processes=1)
    away = replay_grid(
        log,
        EngineConfig(2),
        capacities,
        in_flight=2,
        max_processes=2,
        progress=lambda done, total: told.append((done, total)),
    )
    assert away == home
    assert told == [(done, 4) for done in range(1, 5)]
    assert [point.num_usable for point in home] == capacities
    assert {point.reasons for point in home} == {("in_flight",)}
    shares: list[float] = []
    replay_grid(
        log,
        EngineConfig(2),
        capacities,
        max_processes=1,
        progress=lambda done, total: shares.append(done / (total or 1)),
    )
    assert shares == [0, 0.25, 0.5, 0.75], "at home it hears of requests, not of capacities alone"
    single = replay(log, EngineConfig(2, 7), in_flight=2)
    assert (home[2].hit_rate, home[2].query_tokens) == (single.hit_rate, single.query_tokens)
    assert home[-1].hit_tokens > home[0].hit_tokens


def test_a_grid_can_be_stopped_and_passes_errors_on() -> None:
    class StopHereError(Exception):
        pass

    def stop(done: int, total: int | None) -> None:
        raise StopHereError

    log = requests_of([(1, 1, 2, 2, 3)] * 3)
    for max_processes in (1, 2):
        with pytest.raises(StopHereError):
            replay_grid(
                log, EngineConfig(2), [3, 4, 5], in_flight=2, max_processes=max_processes, progress=stop
            )
        with pytest.raises(RequestError) as caught:
            replay_grid(
                [Request("bad", (1, -2, 3))],
                EngineConfig(2),
                [3, 4],
                in_flight=2,
                max_processes=max_processes,
            )
        assert (caught.value.code, caught.value.values["place"]) == ("request.token", 2)
