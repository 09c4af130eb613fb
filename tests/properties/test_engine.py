"""What holds for the engine whatever one does with it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from core.engine.engine import Engine
from core.engine.events import BlockEvicted, BlockReleased, BlockTouched, Event, RequestAdmitted
from core.scenario.scenario import Scenario, execute, run
from core.timeline.fold import fold
from core.timeline.frame import initial_frame
from core.timeline.snapshot import take_snapshot
from tests.strategies import ALL_OPS, VLLM_OPS, configs, examples, plain_configs, scenarios


@given(scenarios())
@examples(25)
def test_free_and_held_blocks_are_all_usable_blocks(scenario: Scenario) -> None:
    engine = Engine(scenario.config)
    for command in scenario.commands:
        execute(engine, command)
        engine.check()
        held = [b for b in range(1, scenario.config.num_blocks) if engine.view.ref_count(b) > 0]
        assert engine.view.num_free + len(held) == scenario.config.num_usable
        usable = set(range(1, scenario.config.num_blocks))
        assert sorted(engine.view.free_queue()) == sorted(usable - set(held))
        for request_id in engine.view.request_ids():
            table, computed = engine.view.block_table(request_id), engine.view.computed(request_id)
            assert len(table) == -(-computed // scenario.config.block_size)
            assert computed <= engine.view.num_tokens(request_id)


@given(scenarios(plain_configs(), VLLM_OPS))
@examples(30)
def test_the_cached_part_of_the_queue_is_in_order_of_last_release(scenario: Scenario) -> None:
    """Eviction order under LRU: by the moment a block became idle, not by its last hit or allocation."""
    released: dict[int, int] = {}
    number = 0

    def listen(event: Event) -> None:
        nonlocal number
        if isinstance(event, BlockReleased) and event.ref_count == 0:
            released[event.block_id] = number
        number += 1

    engine = Engine(scenario.config, listen)
    for command in scenario.commands:
        execute(engine, command)
        cached = [b for b in engine.view.free_queue() if engine.view.block_hash(b) is not None]
        moments = [released[block_id] for block_id in cached]
        assert moments == sorted(moments)


@given(scenarios(plain_configs(enable_caching=True), tuple(op for op in VLLM_OPS if op != "evict")))
@examples(30)
def test_a_cached_blocks_parent_is_cached_too(scenario: Scenario) -> None:
    """Rule 18: leaf-first eviction follows from the order of freeing; nobody enforces it."""
    parents: dict[str, str] = {}
    frame = initial_frame(scenario.config)
    for event in run(scenario).events:
        frame = fold(frame, event)
        for request in frame["reqs"].values():
            parents.update({child: parent for parent, child in pairwise(request["hashes"])})
        assert all(parents.get(digest, digest) in frame["table"] for digest in frame["table"])


@given(scenarios())
@examples(25)
def test_held_blocks_keep_their_content_unless_forced(scenario: Scenario) -> None:
    frame = initial_frame(scenario.config)
    for event in run(scenario).events:
        if isinstance(event, BlockEvicted) and event.cause != "forced":
            assert frame["slots"][str(event.block_id)]["ref"] == 0
        if isinstance(event, BlockTouched) and event.was_free:
            assert event.block_id in frame["queue"]
        frame = fold(frame, event)


@given(scenarios(configs(hash_name="xxh3_128")))
@examples(25)
def test_a_hit_is_never_the_whole_prompt_and_always_whole_blocks(scenario: Scenario) -> None:
    for event in run(scenario).events:
        if isinstance(event, RequestAdmitted):
            assert event.hit_tokens < event.num_tokens
            assert event.hit_tokens % scenario.config.block_size == 0
            assert event.num_computed == event.hit_tokens + event.num_scheduled <= event.num_tokens


@given(scenarios(plain_configs(), tuple(op for op in ALL_OPS if op not in ("lookup", "policy"))))
@examples(25)
def test_looking_up_changes_nothing(scenario: Scenario) -> None:
    """A look-up for every known prompt after each command: same states as without (rule 22)."""
    asked, silent = Engine(scenario.config), Engine(scenario.config)
    known = [command.request for command in scenario.commands if command.request is not None]
    for command in scenario.commands:
        for request in known:
            asked.lookup(request)
        if known:
            silent.wait(len(known))  # each look-up is a command, so a tick
        execute(asked, command)
        execute(silent, command)
        assert take_snapshot(asked) == take_snapshot(silent)
