"""KV events told directly and read off the log are the same; the log's file loses nothing they need."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from core.engine.engine import Engine
from core.engine.events import BlockHashed, Event, RequestArrived, RequestRehashed, TokensAppended
from core.engine.hash_chain import HashChain, token_array
from core.engine.kv_events import KVCleared, KVEvent, KVRemoved, KVStored
from core.scenario.scenario import Scenario, execute
from core.timeline.event_log import EventLog, load_jsonl
from core.timeline.kv_events import kv_events, request_of
from core.types import BlockHash, Request
from tests.strategies import configs, examples, scenarios


@given(st.one_of(scenarios(), scenarios(configs(cache_cap=2, admit_after=1))))
@examples(150)
def test_published_and_read_off_the_log_are_equal_and_tell_what_is_cached(scenario: Scenario) -> None:
    told: list[Event] = []
    published: list[KVEvent] = []
    engine, quiet = Engine(scenario.config, told.append), Engine(scenario.config)
    quiet.publish(published.append)
    for command in scenario.commands:
        execute(engine, command)
        execute(quiet, command)
    log = EventLog(scenario.config, tuple(told))
    assert kv_events(log) == published == kv_events(load_jsonl(log.to_jsonl()))
    view = quiet.view
    assert copies_after(published) == {key: len(view.cached_blocks(key)) for key in view.cached_hashes()}
    for event in published:
        if isinstance(event, KVStored):
            assert len(event.token_ids) == len(event.block_hashes) * scenario.config.block_size
            assert len(event.extra_keys) == len(event.block_hashes)


def copies_after(events: list[KVEvent]) -> dict[BlockHash, int]:
    copies: Counter[BlockHash] = Counter()
    for event in events:
        match event:
            case KVStored():
                copies.update(event.block_hashes)
            case KVRemoved():
                copies.subtract(event.block_hashes)
            case KVCleared():
                copies.clear()
    return {key: count for key, count in copies.items() if count}


@given(scenarios())
@examples(60)
def test_a_log_read_back_says_all_that_a_hash_rests_on(scenario: Scenario) -> None:
    """Adapter, salt, images and version: every hash of a log follows from its file alone."""
    told: list[Event] = []
    engine = Engine(scenario.config, told.append)
    for command in scenario.commands:
        execute(engine, command)
    log = load_jsonl(EventLog(scenario.config, tuple(told)).to_jsonl())
    requests: dict[str, tuple[Request, list[int], str]] = {}
    for event in log.events:
        match event:
            case RequestArrived():
                requests[event.request_id] = (request_of(event), list(event.token_ids), event.version)
            case TokensAppended():
                requests[event.request_id][1].extend(event.token_ids)
            case RequestRehashed():
                request, tokens, _ = requests[event.request_id]
                requests[event.request_id] = (request, tokens, event.version)
            case BlockHashed():
                request, tokens, version = requests[event.request_id]
                chain = HashChain(request, version, scenario.config.block_size, scenario.config.hash_name)
                chain.extend(token_array(tokens))
                assert chain.hashes[event.index] == event.hash
