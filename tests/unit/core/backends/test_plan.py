"""Plans: what the engine decided, read off its events; and that they are whole and in the right order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from core.backends.decoders.simulated import SimulatedBackend, simulated
from core.backends.plan import Plan, PlanReader, plans_in
from core.cost import GPUS, MODELS, CostModel
from core.engine.engine import Engine
from core.engine.events import BlockComputed, Event
from core.scenario.scenario import Scenario, execute, run
from core.types import EngineConfig, Request
from tests.strategies import configs, examples, scenarios

COST = CostModel(next(iter(MODELS.values())), next(iter(GPUS.values())))


def engine_of(**settings: Any) -> tuple[Engine, PlanReader]:
    reader = PlanReader()
    return Engine(EngineConfig(**{"block_size": 2, "num_blocks": 9, **settings}), reader), reader


def test_a_hit_a_miss_a_chunk_and_a_sampled_token() -> None:
    engine, reader = engine_of()
    engine.start(Request("a", (1, 2, 3, 4, 5)), chunk=3)
    assert reader.take() == [Plan("a", (1, 2, 3), (1, 2), 0)]
    engine.prefill("a", 9)
    assert reader.take() == [Plan("a", (1, 2, 3, 4, 5), (1, 2, 3), 3)]
    engine.decode("a", (6, 7))
    assert reader.take() == [Plan("a", (1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4), 5)]
    engine.start(Request("b", (1, 2, 3, 4, 9)))
    assert reader.take() == [Plan("b", (1, 2, 3, 4, 9), (1, 2, 5), 4)]
    assert reader.take() == []


def test_evicted_blocks_are_named() -> None:
    engine, reader = engine_of(num_blocks=4)
    engine.start(Request("a", (1, 2, 3, 4)))
    engine.free("a")
    engine.start(Request("b", (5, 6, 7, 8, 9, 9)))
    first, second = reader.take()
    assert first.evicted == ()
    assert set(second.evicted) == {1, 2}
    assert set(second.block_table) == {1, 2, 3}


def test_who_comes_back_begins_anew() -> None:
    engine, reader = engine_of()
    engine.start(Request("a", (1, 2, 3)))
    engine.decode("a", (4,))
    engine.preempt("a")
    engine.resume("a")
    *_, last = reader.take()
    assert last == Plan("a", (1, 2, 3, 4), (last.block_table[0], last.block_table[1]), 2)
    assert last.num_new == 2


def test_a_refused_request_leaves_no_plan() -> None:
    engine, reader = engine_of(num_blocks=3)
    assert not engine.start(Request("a", tuple(range(9)))).ok
    assert reader.take() == []
    assert engine.start(Request("a", (1, 2, 3))).ok
    assert len(reader.take()) == 1


def test_one_step_plans_in_the_order_of_scheduling() -> None:
    """b hits blocks that a fills in the same step: run a's plan first and b's is right."""
    engine, reader = engine_of()
    engine.submit(Request("a", (1, 2, 3, 4, 5), (6,)))
    engine.submit(Request("b", (1, 2, 3, 4, 7), (6,)))
    engine.step()
    assert [(plan.request_id, plan.num_cached) for plan in reader.take()] == [("a", 0), ("b", 4)]


def test_a_log_says_where_each_plan_is_computed() -> None:
    events: list[Event] = []
    engine = Engine(EngineConfig(block_size=2, num_blocks=9), events.append)
    engine.submit(Request("a", (1, 2, 3, 4, 5), (6, 7)))
    engine.submit(Request("b", (1, 2, 3, 4, 7), (6,)))
    engine.run()
    placed = plans_in(events)
    assert [each.plan.request_id for each in placed] == ["a", "b", "a"]
    for each in placed:
        assert each.position is not None
        told = events[each.position]
        assert isinstance(told, BlockComputed)
        assert told.request_id == each.plan.request_id
        assert told.index == each.plan.num_cached // 2
    assert [each.position for each in placed] == sorted(each.position or 0 for each in placed)


def test_a_withdrawn_plan_stands_in_line_or_a_later_hit_would_be_empty() -> None:
    """Under priorities a request can be scheduled and preempted in one step. What it would have filled is in
    the hash table by then, and the request itself hits it when it comes back: a block that nobody computed.
    So the plan stays, although no event tells of computing it."""
    events: list[Event] = []
    config = EngineConfig(
        block_size=1,
        num_blocks=11,
        policy="priority",
        reserve_full_prompt=False,
        max_num_batched_tokens=4,
        long_prefill_token_threshold=2,
    )
    engine = Engine(config, events.append)
    engine.submit(Request("low", tuple(range(10, 19)), priority=5))
    engine.step()
    engine.submit(Request("high", (50, 51), (8, 8), priority=1))
    engine.run()
    placed = plans_in(events)
    withdrawn = [each.plan for each in placed if each.position is None]
    assert [(plan.request_id, plan.num_cached, plan.num_new) for plan in withdrawn] == [("low", 6, 2)]
    assert placed[-1].plan.num_cached == 7
    verify_all(config, [each.plan for each in placed])
    with pytest.raises(AssertionError):
        verify_all(config, [each.plan for each in placed if each.position is not None])


def verify_all(config: EngineConfig, plans: list[Plan]) -> None:
    """Every plan, one after another: the blocks it calls cached hold exactly what it would compute."""
    backend: SimulatedBackend = simulated(COST)
    backend.reserve(config.num_blocks, config.block_size)
    for plan in plans:
        backend.prefill(plan)
        assert backend.verify(plan).bitwise, plan


SOUND = configs(hash_name="xxh3_128", verify_tokens=False)


@given(scenarios(SOUND))
@examples(80)
def test_whatever_happens_a_hit_holds_what_it_should(scenario: Scenario) -> None:
    verify_all(scenario.config, [each.plan for each in plans_in(run(scenario).events)])


@given(scenarios(SOUND))
@examples(25)
def test_plans_taken_after_each_command_are_those_of_the_log(scenario: Scenario) -> None:
    reader = PlanReader()
    engine = Engine(scenario.config, reader)
    taken = []
    for command in scenario.commands:
        execute(engine, command)
        taken += reader.take()
    assert taken == [each.plan for each in plans_in(run(scenario).events)]


@given(scenarios(SOUND))
@examples(25)
def test_a_plan_covers_its_tokens_with_blocks(scenario: Scenario) -> None:
    size = scenario.config.block_size
    for each in plans_in(run(scenario).events):
        plan = each.plan
        assert 0 <= plan.num_cached < len(plan.token_ids) <= len(plan.block_table) * size
        assert len(plan.block_table) == -(-len(plan.token_ids) // size)
        assert len(set(plan.block_table)) == len(plan.block_table)


def test_the_symbols_catch_what_a_weak_hash_mixes_up() -> None:
    """The weak hash of the lesson calls different blocks equal; then a hit holds something else."""
    scenario_config = EngineConfig(block_size=2, num_blocks=20, hash_name="weak")
    reader = PlanReader()
    engine = Engine(scenario_config, reader)
    backend = simulated(COST)
    backend.reserve(20, 2)
    wrong = 0
    for number in range(30):
        engine.start(Request(f"R{number}", (number, 3 * number, 7, 7, 1)))
        for plan in reader.take():
            backend.prefill(plan)
            wrong += not backend.verify(plan).equal
        engine.free(f"R{number}")
    assert wrong > 0
