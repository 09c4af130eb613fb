"""The KV events vLLM would publish, read off the log (rules 48 to 51)."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence

import pytest

from core.engine.engine import Engine
from core.engine.events import Event
from core.engine.kv_events import KVCleared, KVEvent, KVRemoved, KVStored
from core.errors import EventLogError
from core.timeline.event_log import EventLog, load_jsonl
from core.timeline.kv_events import kv_events as kv_events_of
from core.types import BlockHash, EngineConfig, MultiModalItem, Request


def make(slots: int = 8) -> tuple[Engine, list[Event]]:
    events: list[Event] = []
    return Engine(EngineConfig(block_size=2, num_blocks=slots + 1), events.append), events


def kv_events(events: Sequence[Event]) -> list[KVEvent]:
    return kv_events_of(EventLog(EngineConfig(block_size=2), tuple(events)))


def stored(hashes: Sequence[BlockHash], parent: BlockHash | None, *tokens: int) -> KVStored:
    """What such blocks of two tokens are announced as, without adapter, image or salt."""
    keys = (None,) * len(hashes)
    return KVStored(tuple(hashes), parent, array("I", tokens), 2, None, None, keys)


def test_one_stored_per_caching_call_with_the_parent_of_its_first_block() -> None:
    engine, events = make()
    engine.start(Request("a", (1, 2, 3, 4, 5)))
    first, second = engine.view.block_hashes("a")
    assert kv_events(events) == [stored((first, second), None, 1, 2, 3, 4)]
    engine.decode("a", (6,))
    assert kv_events(events)[1:] == [stored(engine.view.block_hashes("a")[2:], second, 5, 6)]


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
    one, two, three = engine.view.block_hashes("a")
    assert kv_events(events) == [stored((one,), None, 1, 2), stored((two, three), one, 3, 4, 5, 6)]


def test_two_requests_of_one_step_are_two_calls() -> None:
    engine, events = make()
    engine.submit(Request("a", (1, 2)))
    engine.submit(Request("b", (3, 4)))
    engine.run()
    assert [len(event.block_hashes) for event in kv_events(events) if isinstance(event, KVStored)] == [1, 1]


def test_a_second_copy_is_announced_and_removed_again() -> None:
    """A consumer must count copies per hash."""
    engine, events = make()
    for name in ("a", "b"):
        engine.start(Request(name, (1, 2)))
    (digest,) = engine.view.block_hashes("a")
    assert kv_events(events) == [stored((digest,), None, 1, 2)] * 2
    engine.evict((1, 2))
    assert kv_events(events)[2:] == [KVRemoved(digest)] * 2


def test_removed_comes_in_pop_order_before_the_stored_of_the_same_allocation() -> None:
    engine, events = make(slots=2)
    engine.start(Request("a", (1, 2, 3, 4)))
    head, tail = engine.view.block_hashes("a")
    engine.free("a")
    engine.start(Request("b", (5, 6, 7, 8)))
    new = stored(engine.view.block_hashes("b"), None, 5, 6, 7, 8)
    assert kv_events(events)[1:] == [KVRemoved(tail), KVRemoved(head), new]


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
    assert kv_events(events) == [stored(engine.view.block_hashes("a")[:1], None, 1, 2)]


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


def test_what_a_block_rests_on_beside_its_tokens_is_named_in_vllms_order_without_tags() -> None:
    """Adapter on every block, images where they reach (counted from the block's start), salt on block 0."""
    engine, events = make(slots=9)
    images = (MultiModalItem("cat", 1, 3), MultiModalItem("dog", 4, 1))
    engine.set_version("v2")
    engine.start(Request("a", range(6), salt="s", lora=("poet", "/poet"), mm=images))
    engine.start(Request("b", range(6), lora=("cook", "/cook")))
    engine.start(Request("c", range(6), lora=("poet", "/poet")))
    a, b, c = (event for event in kv_events(events) if isinstance(event, KVStored))
    assert a.extra_keys == (
        ("poet", ("cat", 1), "s", "v2"),
        ("poet", ("cat", -1)),
        ("poet", ("dog", 0)),
    )
    assert b.extra_keys == (("cook", "v2"), ("cook",), ("cook",))
    assert [(event.lora_id, event.lora_name) for event in (a, b, c)] == [
        (1, "poet"),
        (2, "cook"),
        (1, "poet"),
    ]
    assert (a.medium, a.group_idx, a.kv_cache_spec_kind) == ("GPU", 0, "full_attention")


def test_an_eviction_by_a_cap_parts_the_call_it_makes_room_for() -> None:
    """Told directly and read off the log: what was stored before it comes before it."""
    told: list[Event] = []
    published: list[KVEvent] = []
    engine = Engine(EngineConfig(block_size=2, num_blocks=9, cache_cap=2), told.append)
    engine.publish(published.append)
    engine.start(Request("a", (1, 2, 3, 4)))
    engine.free("a")
    engine.start(Request("b", (5, 6, 7, 8, 9, 10)))
    kinds = [
        (type(event), len(event.block_hashes)) for event in published if not isinstance(event, KVCleared)
    ]
    assert kinds == [(KVStored, 2), *[(KVRemoved, 1), (KVStored, 1)] * 2]
    assert kv_events(told) == published


def test_a_request_whose_arrival_the_log_lacks_is_refused() -> None:
    engine, events = make()
    engine.start(Request("a", (1, 2, 3)))
    events.clear()
    engine.decode("a", (4,))
    with pytest.raises(EventLogError, match="does not arrive in it") as found:
        kv_events(events)
    assert found.value.code == "log.late"


def test_an_id_may_be_used_again() -> None:
    engine, events = make()
    for tokens in ((1, 2), (3, 4)):
        engine.start(Request("a", tokens))
        engine.free("a")
    assert [list(event.token_ids) for event in kv_events(events) if isinstance(event, KVStored)] == [
        [1, 2],
        [3, 4],
    ]


# -- logs that cannot be true --------------------------------------------------------------------------


def told_log(num_tokens: int = 6) -> list[str]:
    engine, told = make()
    engine.start(Request("a", tuple(range(num_tokens))))
    return EventLog(EngineConfig(block_size=2), tuple(told)).to_jsonl().splitlines()


def changed_log(kind: str, **values: object) -> tuple[str, int]:
    """The log with other values in its first event of a kind; and that event's line."""
    lines = told_log()
    place = next(number for number, line in enumerate(lines) if f'"type":"{kind}"' in line)
    lines[place] = json.dumps(json.loads(lines[place]) | values)
    return "\n".join(lines), place + 1


@pytest.mark.parametrize("index", [-1, 3, 7, 10**9])
def test_a_block_that_the_tokens_do_not_fill_is_refused(index: int) -> None:
    """Such an index cut tokens from somewhere else, and the stream was wrong without a word."""
    text, line = changed_log("BlockStored", index=index)
    with pytest.raises(EventLogError) as caught:
        kv_events_of(load_jsonl(text, name="run.jsonl"))
    assert caught.value.code == "log.index"
    values = {"file": "run.jsonl", "line": line, "request_id": "a", "index": index}
    assert values.items() <= caught.value.values.items()


def test_a_request_that_never_arrives_is_told_with_file_and_line() -> None:
    lines = [line for line in told_log() if '"type":"RequestArrived"' not in line]
    lines.insert(1, "")  # blank lines count
    with pytest.raises(EventLogError) as caught:
        kv_events_of(load_jsonl("\n".join(lines), name="run.jsonl"))
    stored = next(number for number, line in enumerate(lines, 1) if '"type":"BlockStored"' in line)
    assert caught.value.code == "log.late"
    assert caught.value.values["file"] == "run.jsonl"
    assert stored <= caught.value.values["line"] <= stored + 3  # type: ignore[operator]
