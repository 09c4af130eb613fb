"""The scheduler step by step: who runs, who waits, who gives way. Numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from core.engine.engine import Engine
from core.engine.events import Event, RequestBlocked, RequestFinished, RequestPreempted
from core.timeline.snapshot import take_snapshot
from core.types import EngineConfig, Request, SchedulingPolicy


class Shop:
    """An engine with block size 2 unless said, and what it told."""

    def __init__(self, slots: int, **settings: Any) -> None:
        self.events: list[Event] = []
        config = EngineConfig(**{"block_size": 2, "num_blocks": slots + 1, **settings})
        self.engine = Engine(config, self.events.append)

    def submit(self, name: str, start: int, length: int, outputs: int = 0, **extra: Any) -> None:
        """A prompt of ``length`` tokens from ``start`` on: other starts share nothing."""
        tokens = tuple(range(start, start + length))
        self.engine.submit(Request(name, tokens, tuple(range(900, 900 + outputs)), **extra))

    def step(self) -> dict[str, int]:
        return dict(self.engine.step().scheduled)

    def told(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def test_a_request_is_computed_then_decodes_one_token_a_step_and_ends_with_its_outputs() -> None:
    shop = Shop(4)
    shop.submit("a", 100, 3, outputs=3)
    assert shop.engine.view.waiting_ids() == ("a",)
    assert shop.step() == {"a": 3}
    assert shop.engine.view.num_tokens("a") == 4  # the first sampled token, not scheduled yet
    assert shop.step() == {"a": 1}
    assert shop.step() == {"a": 1}
    assert shop.engine.view.request_ids() == ()  # its last sampled token was never scheduled (rule 34)
    assert shop.told(RequestFinished) == [RequestFinished("a", False)]
    assert shop.engine.view.free_queue() == (3, 4, 2, 1)  # block 3 held one token: no content
    assert shop.step() == {}


def test_without_outputs_a_request_ends_with_its_prompt() -> None:
    shop = Shop(4)
    shop.submit("a", 100, 4)
    assert shop.step() == {"a": 4}
    assert shop.engine.view.request_ids() == ()


def test_a_later_request_of_the_same_step_hits_what_the_earlier_one_stored() -> None:
    """Rule 31: content is findable from the moment it is scheduled."""
    shop = Shop(6)
    shop.submit("a", 100, 5)
    shop.submit("b", 100, 5)
    assert shop.step() == {"a": 5, "b": 1}


def test_the_first_who_does_not_fit_stops_everybody_behind() -> None:
    """Rule 40, head of line."""
    shop = Shop(4)
    shop.submit("a", 100, 5, outputs=2)  # takes 3 of 4 slots
    shop.submit("big", 200, 4)
    shop.submit("small", 300, 2)
    assert shop.step() == {"a": 5}
    assert shop.engine.view.waiting_ids() == ("big", "small")
    assert shop.told(RequestBlocked) == [RequestBlocked("big", 0, 2, 1)]


def test_the_newest_running_request_gives_way() -> None:
    """Rules 38, 39: victim from the end; nobody is admitted in that step; it waits at the front."""
    shop = Shop(4)
    shop.submit("a", 100, 4, outputs=4)
    shop.submit("b", 200, 4, outputs=4)
    shop.submit("c", 300, 1)
    assert shop.step() == {"a": 4, "b": 4}
    assert shop.step() == {"a": 1}  # token 5 needs a third block: b gives back its two
    assert shop.engine.view.running_ids() == ("a",)
    assert shop.engine.view.waiting_ids() == ("b", "c")
    assert [event.request_id for event in shop.told(RequestPreempted)] == ["b"]
    assert shop.engine.view.computed("b") == 0
    assert shop.engine.view.num_tokens("b") == 5  # its sampled token stays


def test_a_preempted_request_comes_back_over_prompt_and_sampled_tokens() -> None:
    shop = Shop(4)
    shop.submit("a", 100, 4, outputs=2)
    shop.submit("b", 200, 4, outputs=3)
    shop.step()
    assert shop.step() == {"a": 1}  # b is preempted; a samples its last token and ends
    # b has 5 tokens. Its tail block was taken for a's fifth token (queue was 4, 3 after b gave back).
    assert shop.step() == {"b": 3}
    assert shop.engine.view.running_ids() == ("b",)
    totals = take_snapshot(shop.engine)["totals"]
    assert (totals["requests"], totals["queries"], totals["hits"]) == (2, 8, 0)  # the resume counts nowhere


def test_the_only_running_request_preempts_itself_when_others_hold_the_rest() -> None:
    shop = Shop(3)
    shop.engine.start(Request("holder", (1, 2)))
    shop.submit("a", 100, 4, outputs=3)
    assert shop.step() == {"a": 4}
    assert shop.step() == {}
    assert shop.engine.view.running_ids() == ("holder",)
    assert shop.engine.view.waiting_ids() == ("a",)


def test_priority_takes_the_blocks_of_the_worst_even_after_it_was_scheduled() -> None:
    """Rule 38: in step 3 low's token fits, high's does not; low's turn in this step is taken back."""
    shop = Shop(4, policy="priority")
    shop.submit("low", 100, 4, outputs=4, priority=5)
    assert shop.step() == {"low": 4}
    shop.submit("mid", 200, 4, outputs=4, priority=3)
    shop.submit("high", 300, 2, outputs=4, priority=1)
    assert shop.engine.view.waiting_ids() == ("high", "mid")
    assert shop.step() == {"low": 1, "high": 2}
    assert shop.step() == {"high": 1}
    assert shop.engine.view.running_ids() == ("high",)
    assert shop.engine.view.waiting_ids() == ("mid", "low")


def test_nobody_is_skipped_when_a_request_in_front_gives_way() -> None:
    """low runs first in the list and was scheduled; high takes its blocks; mid, behind both, is served."""
    shop = Shop(4, policy="priority")
    shop.submit("low", 100, 2, outputs=4, priority=5)
    assert shop.step() == {"low": 2}
    shop.submit("high", 200, 2, outputs=4, priority=1)
    shop.submit("mid", 300, 1, outputs=4, priority=3)
    assert shop.step() == {"low": 1, "high": 2, "mid": 1}
    assert shop.step() == {"high": 1, "mid": 1}
    assert shop.engine.view.waiting_ids() == ("low",)


def test_the_budget_of_a_request_that_gives_way_is_free_again() -> None:
    """Two tokens a step: low's is given back when high takes its blocks, so mid gets the second."""
    shop = Shop(4, policy="priority", max_num_batched_tokens=2)
    for name, tokens, priority in (("low", (1, 2, 3), 5), ("high", (4, 5), 1), ("mid", (6,), 3)):
        shop.engine.start(Request(name, tokens, (9, 9), priority=priority))
        shop.engine.append(name, (8,))
    assert shop.step() == {"high": 1, "mid": 1}


def test_equal_priorities_wait_in_order_of_arrival() -> None:
    shop = Shop(8, policy="priority")
    for name in ("a", "b", "c"):
        shop.submit(name, 100, 2, priority=1)
    shop.submit("first", 100, 2, priority=0)
    assert shop.engine.view.waiting_ids() == ("first", "a", "b", "c")


def test_the_token_budget_cuts_a_prompt_into_chunks_running_requests_first() -> None:
    shop = Shop(8, max_num_batched_tokens=3)
    shop.submit("a", 100, 5, outputs=2)
    shop.submit("b", 200, 4)
    assert shop.step() == {"a": 3}
    assert shop.engine.view.block_table("a") == (1, 2)
    assert shop.step() == {"a": 2, "b": 1}  # a has samples now
    assert shop.step() == {"a": 1, "b": 2}
    assert shop.step() == {"b": 1}


def test_the_long_prefill_threshold_holds_only_in_company() -> None:
    """Rule 41."""
    shop = Shop(8, long_prefill_token_threshold=2)
    shop.submit("a", 100, 6)
    shop.submit("b", 200, 2)
    assert shop.step() == {"a": 2, "b": 2}  # b is done
    assert shop.step() == {"a": 4}


def test_no_more_than_max_num_seqs_run() -> None:
    shop = Shop(8, max_num_seqs=1)
    shop.submit("a", 100, 2, outputs=2)
    shop.submit("b", 200, 2)
    assert shop.step() == {"a": 2}
    assert shop.step() == {"a": 1}
    assert shop.step() == {"b": 2}


def test_the_whole_prompt_must_fit_even_if_only_a_chunk_is_scheduled() -> None:
    """Rule 26, and its switch."""
    for reserve, scheduled in ((True, {}), (False, {"b": 2})):
        shop = Shop(4, max_num_batched_tokens=8, reserve_full_prompt=reserve, long_prefill_token_threshold=2)
        shop.engine.start(Request("a", (1, 2, 3)))  # holds 2 of 4
        shop.submit("b", 200, 6)  # needs 3
        assert shop.step() == scheduled


def test_the_watermark_holds_blocks_back_only_while_somebody_runs() -> None:
    """Rule 27: floor(0.4 x 6 blocks) = 2 stay free, the null block counted."""
    shop = Shop(5, watermark=0.4)
    shop.submit("a", 100, 10)  # takes all 5: nobody runs
    assert shop.step() == {"a": 10}
    shop.submit("b", 200, 2, outputs=2)
    shop.submit("c", 300, 6)  # needs 3 of the 4 free: 3 + 2 > 4
    shop.submit("d", 400, 2)
    assert shop.step() == {"b": 2}
    assert shop.engine.view.waiting_ids() == ("c", "d")
    assert shop.step() == {"b": 1}
    assert shop.step() == {"c": 6}  # now somebody runs again: d needs 1, 2 are free, 2 stay
    assert shop.step() == {"d": 2}


def test_a_running_request_may_use_the_watermarks_blocks() -> None:
    shop = Shop(3, watermark=0.5)
    shop.submit("a", 100, 4, outputs=3)
    assert shop.step() == {"a": 4}
    assert shop.step() == {"a": 1}
    assert shop.engine.view.num_free == 0


def test_a_reset_with_running_requests_preempts_them_newest_first() -> None:
    """Rule 43: they wait in their old order and are computed from nothing."""
    shop = Shop(8)
    for start, name in ((100, "a"), (200, "b"), (300, "c")):
        shop.submit(name, start, 4, outputs=3)
    shop.step()
    assert shop.engine.reset() is False
    assert shop.engine.view.running_ids() == ("a", "b", "c")
    assert shop.engine.reset(preempt_running=True) is True
    assert [event.request_id for event in shop.told(RequestPreempted)] == ["c", "b", "a"]
    assert shop.engine.view.waiting_ids() == ("a", "b", "c")
    assert shop.engine.view.cached_hashes() == ()
    assert shop.step() == {"a": 5, "b": 5}  # c does not fit beside them: 3 + 3 of 8 are taken


def test_aborting_a_waiting_and_a_running_request() -> None:
    shop = Shop(4)
    shop.submit("a", 100, 4, outputs=4)
    shop.submit("b", 200, 8)
    shop.step()
    shop.engine.abort("b")
    assert shop.engine.view.waiting_ids() == ()
    shop.engine.abort("a")
    assert shop.engine.view.free_queue() == (3, 4, 2, 1)
    assert shop.told(RequestFinished) == [RequestFinished("b", True), RequestFinished("a", True)]
    assert len(shop.engine.view.cached_hashes()) == 2  # what was computed stays findable


@pytest.mark.parametrize(
    ("policy", "line"),
    [("fcfs", ("started", "first", "second")), ("priority", ("second", "first", "started"))],
)
def test_a_preempted_request_waits_in_front_or_by_its_rank(
    policy: SchedulingPolicy, line: tuple[str, ...]
) -> None:
    """Also one that came last, started by hand. Without the policy a priority means nothing."""
    shop = Shop(3, policy=policy)
    shop.submit("first", 100, 2, priority=1)
    shop.submit("second", 200, 2, priority=0)
    shop.engine.start(Request("started", (1, 2, 3, 4, 5, 6), priority=1))
    shop.engine.append("started", (7,))
    assert shop.step() == {}
    assert shop.engine.view.waiting_ids() == line
    assert shop.told(RequestPreempted) == [RequestPreempted("started", 1, line.index("started"))]


def test_who_preempts_itself_under_priority_does_not_end_the_step() -> None:
    """vLLM 0.33 goes on with the next runner; 0.32 ended the step here."""
    shop = Shop(4, policy="priority")
    shop.submit("worst", 100, 3, outputs=4, priority=5)
    shop.step()
    shop.submit("best", 200, 3, outputs=4, priority=0)
    assert shop.step() == {"worst": 1, "best": 3}
    assert shop.step() == {"best": 1}
    assert [event.request_id for event in shop.told(RequestPreempted)] == ["worst"]
