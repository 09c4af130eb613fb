"""The KV events vLLM would publish, read off the log (rules 48 to 51)."""

from __future__ import annotations

from core.engine.engine import Engine
from core.engine.events import Event
from core.timeline.kv_events import KVCleared, KVEvent, KVRemoved, KVStored, kv_events
from core.types import EngineConfig, Request


def make(slots: int = 8) -> tuple[Engine, list[Event]]:
    events: list[Event] = []
    return Engine(EngineConfig(block_size=2, num_blocks=slots + 1), events.append), events


def test_one_stored_per_caching_call_with_the_parent_of_its_first_block() -> None:
    engine, events = make()
    engine.start(Request("a", (1, 2, 3, 4, 5)))
    first, second = engine.block_hashes("a")
    assert kv_events(events) == [KVStored((first, second), None)]
    engine.decode("a", (6,))
    assert kv_events(events)[1:] == [KVStored((engine.block_hashes("a")[2],), second)]


def test_hits_touches_and_releases_are_not_announced() -> None:
    engine, events = make()
    engine.start(Request("a", (1, 2, 3)))
    told = kv_events(events)
    engine.start(Request("b", (1, 2, 9)))
    engine.free("a")
    engine.free("b")
    assert kv_events(events) == told


def test_chunks_are_calls_of_their_own() -> None:
    engine, events = make()
    engine.start(Request("a", (1, 2, 3, 4, 5, 6)), chunk=3)
    engine.prefill("a", 3)
    one, two, three = engine.block_hashes("a")
    assert kv_events(events) == [KVStored((one,), None), KVStored((two, three), one)]


def test_two_requests_of_one_step_are_two_calls() -> None:
    engine, events = make()
    engine.submit(Request("a", (1, 2)))
    engine.submit(Request("b", (3, 4)))
    engine.run()
    assert [len(event.hashes) for event in kv_events(events) if isinstance(event, KVStored)] == [1, 1]


def test_a_second_copy_is_announced_and_removed_again() -> None:
    """A consumer must count copies per hash."""
    engine, events = make()
    for name in ("a", "b"):
        engine.start(Request(name, (1, 2)))
    (digest,) = engine.block_hashes("a")
    assert kv_events(events) == [KVStored((digest,), None)] * 2
    engine.evict((1, 2))
    assert kv_events(events)[2:] == [KVRemoved(digest)] * 2


def test_removed_comes_in_pop_order_before_the_stored_of_the_same_allocation() -> None:
    engine, events = make(slots=2)
    engine.start(Request("a", (1, 2, 3, 4)))
    head, tail = engine.block_hashes("a")
    engine.free("a")
    events.clear()
    engine.start(Request("b", (5, 6, 7, 8)))
    assert kv_events(events) == [KVRemoved(tail), KVRemoved(head), KVStored(engine.block_hashes("b"), None)]


def test_cleared_only_by_a_reset_that_succeeds_even_with_caching_off() -> None:
    engine, events = make()
    engine.start(Request("a", (1, 2)))
    engine.reset()
    assert KVCleared() not in kv_events(events)
    engine.free("a")
    engine.reset()
    assert kv_events(events)[-1] == KVCleared()
    events = []
    Engine(EngineConfig(enable_caching=False), events.append).reset()
    assert kv_events(events) == [KVCleared()]


def test_what_a_policy_keeps_out_is_not_announced() -> None:
    events: list[Event] = []
    engine = Engine(EngineConfig(block_size=2, num_blocks=9, cache_cap=1), events.append)
    engine.start(Request("a", (1, 2, 3, 4)))
    assert kv_events(events) == [KVStored(engine.block_hashes("a")[:1], None)]


def test_what_is_published_is_what_the_log_says() -> None:
    engine, events = make(slots=4)
    published: list[KVEvent] = []
    engine.publish(published.append)
    for number in range(6):
        first = number % 3 * 10
        engine.submit(Request(f"r{number}", (first, 1, 2, 3, number), (7, 8, 9)))
    engine.run()
    engine.evict((1, 2))
    engine.reset()
    assert kv_events(events) == published
    assert {type(event) for event in published} == {KVStored, KVRemoved, KVCleared}
    engine.publish(None)
    engine.start(Request("untold", (1, 2)))
    assert kv_events(events) != published
