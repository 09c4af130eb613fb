"""The engine's commands and questions one by one: outcomes, refusals, and what each leaves behind."""

from __future__ import annotations

from typing import Any

import pytest

from core.engine.engine import Engine, Outcome
from core.engine.events import BlockEvicted, Event, RequestRehashed, VersionChanged
from core.engine.kv_events import KVEvent, KVRemoved
from core.errors import BrothError, RequestError
from core.timeline.snapshot import take_frame, take_snapshot
from core.types import EngineConfig, Request


def make(slots: int = 8, **settings: Any) -> tuple[Engine, list[Event]]:
    events: list[Event] = []
    config = EngineConfig(**{"block_size": 4, "num_blocks": slots + 1, **settings})
    return Engine(config, events.append), events


def ask(name: str, *tokens: int, **extra: Any) -> Request:
    return Request(name, tokens, **extra)


def standing(engine: Engine, name: str) -> tuple[int, int, tuple[int, ...]]:
    """How many tokens a request has, how many of them are computed, and its blocks."""
    view = engine.view
    return view.num_tokens(name), view.computed(name), view.block_table(name)


NINE = tuple(range(9))

# -- starting, looking up ---------------------------------------------------------------------------------


def test_a_start_answers_with_its_hit() -> None:
    engine, _ = make()
    assert engine.start(ask("a", *NINE)) == Outcome(True, 0, ())
    assert engine.view.block_table("a") == (1, 2, 3)
    assert engine.start(ask("b", *NINE)) == Outcome(True, 8, (1, 2))
    assert engine.view.block_table("b") == (1, 2, 4)
    assert [engine.view.ref_count(block_id) for block_id in (1, 2, 3, 4)] == [2, 2, 1, 1]
    assert (engine.view.computed("b"), engine.view.num_tokens("b"), engine.view.num_free) == (9, 9, 4)


def test_the_last_token_is_always_computed() -> None:
    """Rule 20: at most n - 1 tokens, whole blocks. A prompt of one block can never hit."""
    engine, _ = make(slots=12)
    engine.start(ask("a", *range(13)))
    for num_tokens, hit in ((3, 0), (4, 0), (5, 4), (8, 4), (9, 8), (12, 8), (13, 12)):
        assert engine.lookup(ask("b", *range(num_tokens))).hit == hit


def test_the_recomputed_last_block_becomes_a_copy() -> None:
    engine, _ = make()
    engine.start(ask("a", *range(8)))
    engine.start(ask("b", *range(8)))
    assert engine.view.block_table("b") == (1, 3)
    tail = engine.view.block_hashes("a")[1]
    assert engine.view.cached_blocks(tail) == (2, 3)
    assert engine.view.block_hash(3) == tail
    assert len(engine.view.cached_hashes()) == 2


def test_a_start_that_does_not_fit_leaves_nothing_behind() -> None:
    engine, _ = make(slots=4)
    engine.start(ask("a", *range(8)))
    engine.free("a")
    order = engine.view.free_queue()
    # 8 tokens hit (2 idle blocks), 9 more need 3: 5 > 4.
    assert engine.start(ask("b", *range(8), *range(50, 59))) == Outcome(False, 8, (1, 2))
    assert engine.view.free_queue() == order
    assert engine.view.request_ids() == ()
    assert take_snapshot(engine)["totals"]["requests"] == 1
    assert engine.start(ask("b", *range(8), 50)).ok  # the same id may start again


def test_a_start_in_chunks() -> None:
    """Rules 26, 32: the first chunk comes after the hit; each chunk stores the blocks it fills."""
    engine, _ = make()
    engine.start(ask("a", *range(5)))
    assert engine.start(ask("b", *range(20)), chunk=3) == Outcome(True, 4, (1,))
    assert (engine.view.computed("b"), engine.view.block_table("b")) == (7, (1, 3))
    assert len(engine.view.cached_hashes()) == 1
    assert engine.prefill("b", 2).ok
    assert (engine.view.computed("b"), len(engine.view.cached_hashes())) == (9, 2)
    assert engine.prefill("b", 100).ok  # at most what remains
    assert (engine.view.computed("b"), len(engine.view.cached_hashes())) == (20, 5)
    assert engine.prefill("b", 1).ok  # nothing remains: nothing happens


def test_with_fit_the_whole_prompt_must_fit_even_for_a_first_chunk() -> None:
    engine, _ = make(slots=3)
    assert not engine.start(ask("a", *range(16)), chunk=4).ok
    assert engine.start(ask("a", *range(16)), chunk=4, fit=False).ok


def test_a_look_up_is_a_pure_question() -> None:
    engine, _ = make()
    engine.start(ask("a", *NINE))
    engine.free("a")
    before = take_snapshot(engine)
    assert engine.lookup(ask("x", *NINE)) == Outcome(True, 8, (1, 2))
    assert engine.lookup(ask("x", 7, 7, 7, 7, 7)) == Outcome(True, 0, ())
    assert take_snapshot(engine) == {**before, "clock": 4}


def test_skipping_the_look_up_still_stores() -> None:
    """Rule 23."""
    engine, _ = make()
    engine.start(ask("a", *NINE, skip_read=True))
    assert engine.start(ask("b", *NINE)).hit == 8
    assert engine.start(ask("c", *NINE, skip_read=True)).hit == 0
    assert take_snapshot(engine)["totals"]["requests"] == 1


def test_with_caching_off_nothing_is_stored_and_everything_goes_to_the_front() -> None:
    """Rule 15."""
    engine, _ = make(enable_caching=False)
    engine.start(ask("a", *NINE))
    engine.free("a")
    assert engine.view.free_queue() == (3, 2, 1, 4, 5, 6, 7, 8)
    assert engine.start(ask("b", *NINE)).hit == 0
    assert engine.view.cached_hashes() == ()


# -- growing ----------------------------------------------------------------------------------------------


def test_the_next_block_is_taken_with_the_first_token_past_the_boundary() -> None:
    """Rule 30."""
    engine, _ = make()
    engine.start(ask("a", 1, 2, 3))
    engine.decode("a", (4,))
    assert engine.view.block_table("a") == (1,)
    assert len(engine.view.cached_hashes()) == 1  # full the moment its last token is scheduled (rule 33)
    engine.decode("a", (5,))
    assert engine.view.block_table("a") == (1, 2)
    engine.decode("a", (6, 7, 8, 9, 10))
    assert engine.view.block_table("a") == (1, 2, 3)


def test_an_appended_token_completes_no_block() -> None:
    """Rule 34: the last sampled token of a request is never computed."""
    engine, _ = make()
    engine.start(ask("a", 1, 2, 3))
    assert engine.append("a", (4,)).ok
    assert (engine.view.num_tokens("a"), engine.view.computed("a"), engine.view.cached_hashes()) == (4, 3, ())
    assert len(engine.view.block_hashes("a")) == 1  # the request knows the block all the same
    engine.free("a")
    assert engine.lookup(ask("b", 1, 2, 3, 4, 5)).hit == 0


def test_a_failed_decode_keeps_its_tokens_for_the_next_one() -> None:
    engine, _ = make(slots=2)
    engine.start(ask("a", 1, 2, 3, 4))
    engine.start(ask("b", 9))
    assert not engine.decode("a", (5,)).ok
    assert standing(engine, "a") == (5, 4, (1,))
    engine.free("b")
    assert engine.decode("a", (6,)).ok
    assert standing(engine, "a") == (6, 6, (1, 2))


def test_preempting_and_resuming() -> None:
    """Rule 37: computed back to 0; the resume usually hits the request's own blocks."""
    engine, _ = make()
    engine.start(ask("a", *NINE))
    engine.decode("a", (9, 10, 11, 12))
    engine.preempt("a")
    assert standing(engine, "a") == (13, 0, ())
    assert engine.view.running_ids() == engine.view.waiting_ids() == ()
    assert engine.resume("a", chunk=1) == Outcome(True, 12, (1, 2, 3))
    totals = take_snapshot(engine)["totals"]
    assert (totals["requests"], totals["queries"], totals["hits"], totals["preempted"]) == (1, 9, 0, 1)


def test_a_resume_that_does_not_fit_can_be_tried_again() -> None:
    engine, _ = make(slots=3)
    engine.start(ask("a", *range(8)))
    engine.preempt("a")
    engine.start(ask("b", *range(50, 58)))
    assert engine.resume("a").ok is False
    engine.free("b")
    assert engine.resume("a").ok


def test_free_and_abort_take_any_request() -> None:
    engine, _ = make()
    engine.submit(ask("waiting", 1, 2))
    engine.start(ask("running", 3, 4))
    engine.start(ask("preempted", 5, 6))
    engine.preempt("preempted")
    for name in ("waiting", "running", "preempted"):
        assert engine.free(name).ok
    assert (engine.view.request_ids(), engine.view.num_free) == ((), 8)


# -- the whole cache --------------------------------------------------------------------------------------


def test_evicting_by_hand_makes_a_hole_and_the_first_miss_ends_the_hit() -> None:
    """Rules 21, 47."""
    engine, _ = make()
    engine.start(ask("a", *range(13)))
    engine.free("a")
    engine.evict((2,))
    assert engine.lookup(ask("b", *range(13))).hit == 4
    engine.evict((2, 1))
    assert engine.lookup(ask("b", *range(13))).hit == 0
    assert len(engine.view.cached_hashes()) == 1


def test_several_evictions_are_told_as_they_are_named() -> None:
    """Rule 47: each order leaves the same cache. Not the ids' order, nor a set's, nor the chain's."""
    states = []
    for named in ((3, 1, 3, 2), (2, 3, 1), (1, 2, 3)):
        engine, log = make()
        removed: list[KVEvent] = []
        engine.start(ask("a", *range(13)))
        contents = [engine.view.block_hash(block_id) for block_id in dict.fromkeys(named)]
        engine.publish(removed.append)
        engine.evict(named)
        told = [event for event in log if isinstance(event, BlockEvicted)]
        assert [event.block_id for event in told] == list(dict.fromkeys(named))
        assert removed == [KVRemoved(event.hash) for event in told] == [KVRemoved(h) for h in contents]
        states.append((take_frame(engine)["slots"], engine.view.free_queue(), engine.view.cached_hashes()))
    assert states[0] == states[1] == states[2]


def test_reset() -> None:
    engine, _ = make()
    engine.start(ask("a", *NINE))
    assert engine.reset() is False
    assert len(engine.view.cached_hashes()) == 2
    engine.preempt("a")  # preempted requests do not stand in the way (rule 42)
    order = engine.view.free_queue()
    assert engine.reset() is True
    assert (engine.view.cached_hashes(), engine.view.free_queue()) == ((), order)
    assert engine.resume("a").hit == 0


def test_a_new_version_sees_nothing_of_the_old_one() -> None:
    engine, events = make()
    engine.start(ask("old", *NINE))
    engine.submit(ask("waits", *NINE))
    engine.set_version("v2")
    assert [type(event) for event in events if isinstance(event, (VersionChanged, RequestRehashed))] == [
        VersionChanged,
        RequestRehashed,
    ]
    assert engine.lookup(ask("x", *NINE)).hit == 0
    engine.decode("old", (9, 10, 11))  # goes on publishing under its own version
    engine.run()
    assert take_snapshot(engine)["reqs"]["old"]["version"] == ""
    assert engine.lookup(ask("x", *NINE)).hit == 8  # what "waits" stored under v2
    engine.set_version("")
    assert engine.lookup(ask("x", *range(13))).hit == 12  # the old blocks are still there


def test_time_passes_by_commands_and_by_waiting() -> None:
    engine, _ = make()
    engine.submit(ask("a", 1))
    engine.step()
    engine.wait(5)
    assert engine.view.clock == 7
    assert engine.num_steps == 1


# -- run --------------------------------------------------------------------------------------------------


def test_run_counts_its_steps() -> None:
    engine, _ = make()
    engine.submit(Request("a", NINE, (1, 2, 3)))
    assert engine.run() == 3
    assert engine.run() == 0


def test_run_ends_although_a_request_of_the_lower_verbs_stays_behind() -> None:
    engine, _ = make()
    engine.start(ask("a", *NINE))  # all computed, no outputs: no step will ever touch it again
    assert engine.run() == 1
    assert engine.view.running_ids() == ("a",)


def test_run_ends_although_somebody_never_fits() -> None:
    engine, _ = make(slots=3)
    engine.start(ask("holder", *NINE))
    engine.submit(ask("a", 1, 2))
    assert engine.run() == 1
    assert engine.view.waiting_ids() == ("a",)
    engine.submit(Request("giant", (1,) * 50), check_fit=False)
    engine.free("holder")
    engine.run()
    assert engine.view.waiting_ids() == ("giant",)


def test_run_ends_although_a_request_preempts_itself_for_ever() -> None:
    """Two of three slots free, three needed, in chunks: it gets two blocks, fails, gives them back, again."""
    engine, _ = make(slots=3, enable_caching=False, reserve_full_prompt=False, max_num_batched_tokens=4)
    engine.start(ask("holder", 1))
    engine.submit(ask("a", *range(12)))
    assert 0 < engine.run() < 100
    assert engine.view.request_ids() == ("holder", "a")


# -- refusals ---------------------------------------------------------------------------------------------


def test_what_can_never_fit_is_refused_at_once() -> None:
    engine, events = make(slots=3)
    with pytest.raises(RequestError) as caught:
        engine.submit(Request("a", range(12), (1, 2)))  # 13 tokens need a slot: the last sampled one does not
    assert caught.value.code == "request.too_large"
    assert caught.value.values == {"request_id": "a", "needed": 4, "usable": 3}
    assert caught.value.message == (
        "Request a needs 4 blocks of 4 tokens; the pool has 3. Shorten it or make the pool larger."
    )
    assert events == []
    engine.submit(Request("a", range(12), (1,)))
    engine.run()
    assert engine.view.request_ids() == ()


@pytest.mark.parametrize(
    ("call", "code", "parts"),
    [
        (lambda e: e.free("x"), "request.unknown", ("no request 'x'", "never sent, or it has finished")),
        (lambda e: e.submit(ask("run", 1)), "request.duplicate", ("run exists already", "another id")),
        (lambda e: e.decode("wait", (1,)), "request.not_running", ("wait is waiting", "expected a running")),
        (lambda e: e.resume("run"), "request.not_preempted", ("run is running", "only a preempted one")),
        (lambda e: e.prefill("run", 0), "request.count", ("n is 0", "at least 1")),
        (lambda e: e.wait(0), "request.ticks", ("Waiting 0 ticks", "at least 1")),
        (lambda e: e.evict((9,)), "request.block", ("no block 9", "from 1 to 8")),
        (lambda e: e.set_policy("policy", "fcfs"), "request.policy", ("Setting policy", "cache_cap")),
    ],
)
def test_a_refusal_says_what_happened_and_what_was_expected(
    call: Any, code: str, parts: tuple[str, ...]
) -> None:
    engine, events = make()
    engine.start(ask("run", 1))
    engine.submit(ask("wait", 1))
    before, told = take_snapshot(engine), len(events)
    with pytest.raises(BrothError) as caught:
        call(engine)
    assert caught.value.code == code
    assert all(part in caught.value.message for part in parts), caught.value.message
    assert (take_snapshot(engine), len(events)) == (before, told)


def test_the_engines_check_finds_a_table_that_nobody_counts() -> None:
    engine, _ = make()
    engine.start(ask("a", *NINE))
    engine.check()
    engine._scheduler.sequences["a"].table.append(7)
    with pytest.raises(AssertionError):
        engine.check()
