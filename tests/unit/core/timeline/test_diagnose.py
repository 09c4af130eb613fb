"""Why a request missed: each reason once, made by hand, and which of two reasons is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from core.engine.engine import Engine
from core.engine.events import (
    BlockEvicted,
    BlockStored,
    CacheReset,
    Event,
    RequestAdmitted,
    RequestBlocked,
    RequestRefused,
)
from core.errors import EventLogError
from core.timeline.diagnose import MISS_KINDS, Diagnosis, MissReason, ReasonKind, explain
from core.timeline.event_log import EventLog
from core.types import EngineConfig, MultiModalItem, Request

TEN = tuple(range(10, 20))


class Case:
    """An engine of block size 4 with 20 slots unless said, its log, and the reasons read off it."""

    def __init__(self, **settings: Any) -> None:
        self.config = EngineConfig(**{"block_size": 4, "num_blocks": 21, **settings})
        self.events: list[Event] = []
        self.engine = Engine(self.config, self.events.append)
        self._number = 0

    def serve(self, *tokens: int, **extra: Any) -> str:
        name = f"R{self._number}"
        self._number += 1
        self.engine.submit(Request(name, tokens, **extra))
        self.engine.run()
        return name

    def reasons(self) -> dict[int, MissReason]:
        return explain(EventLog(self.config, tuple(self.events)))

    def last(self) -> MissReason:
        return list(self.reasons().values())[-1]

    def index_of(self, kind: type[Event], number: int = -1) -> int:
        return [i for i, event in enumerate(self.events) if isinstance(event, kind)][number]


def test_never_seen() -> None:
    case = Case()
    case.serve(*TEN)
    reason = case.last()
    assert reason == MissReason("R0", "never_seen", 0, mine=TEN[:4])
    case.serve(*range(50, 60))  # cached siblings, none shares a token in place
    assert (case.last().kind, case.last().stored, case.last().num_near) == ("never_seen", (), 0)


def test_chain_broken_with_the_first_differing_token_and_the_equal_ones() -> None:
    case = Case()
    case.serve(*TEN)
    case.serve(*TEN[:5], 0, 16, 0, 18, 19)
    assert case.last() == MissReason(
        "R1", "chain_broken", 1, stored=(14, 15, 16, 17), mine=(14, 0, 16, 0), first_diff=1, num_near=2,
        best_request="R0",
    )  # fmt: skip


def test_the_best_sibling_has_most_equal_tokens_then_the_longest_common_beginning() -> None:
    case = Case()
    case.serve(1, 2, 0, 0, 9)
    case.serve(1, 0, 3, 0, 9)  # as many equal tokens, but differs earlier
    case.serve(0, 0, 0, 4, 9)
    case.serve(1, 2, 3, 4, 9)
    assert (case.last().stored, case.last().num_near, case.last().first_diff) == ((1, 2, 0, 0), 2, 2)
    assert case.last().best_request == "R0"


def test_a_sibling_that_is_not_cached_any_more_is_no_near_miss() -> None:
    case = Case()
    case.serve(*TEN)
    case.engine.reset()
    case.serve(*TEN[:3], 0, 0)
    assert (case.last().kind, case.last().num_near) == ("never_seen", 0)


def test_only_the_last_token_is_missing() -> None:
    case = Case()
    case.serve(*TEN[:8])
    case.serve(*TEN[:8])
    assert case.last() == MissReason("R1", "last_token", 1)
    case.serve(*TEN[:4])
    assert case.last() == MissReason("R2", "last_token", 0)


def test_a_partial_tail_has_no_identity() -> None:
    case = Case()
    case.serve(*TEN)
    case.serve(*TEN)
    assert case.last() == MissReason("R1", "not_full", 2, num_tail=2)
    case.serve(1, 2, 3)
    assert case.last() == MissReason("R2", "not_full", 0, num_tail=3)


def test_evicted_names_the_event_that_dropped_it() -> None:
    case = Case(num_blocks=5)
    case.serve(*TEN)
    case.serve(*range(50, 60))
    case.serve(*TEN)
    reason = case.last()
    assert (reason.kind, reason.block) == ("evicted", 1)
    event = case.events[reason.event or 0]
    assert isinstance(event, BlockEvicted)
    assert (event.block_id, event.cause) == (2, "reused")


def test_of_several_evictions_the_last_counts() -> None:
    case = Case()
    for _ in range(2):
        case.serve(*TEN)
        case.engine.evict(case.engine.lookup(Request("ask", TEN)).block_ids[:1])
    case.serve(*TEN)
    assert case.last().event == case.index_of(BlockEvicted, 1)


def test_with_a_copy_left_an_eviction_is_no_miss() -> None:
    case = Case()
    case.serve(*TEN[:8])
    case.serve(*TEN[:8])  # a second copy of block 1
    case.engine.evict((2,))
    case.serve(*TEN)
    assert case.last().kind == "not_full"


def test_a_reset_is_an_eviction_of_everything() -> None:
    case = Case()
    case.serve(*TEN)
    case.engine.reset()
    case.serve(*TEN)
    assert (case.last().kind, case.last().event) == ("evicted", case.index_of(CacheReset))


def test_a_refused_reset_is_none() -> None:
    case = Case()
    case.engine.start(Request("held", TEN))
    case.engine.reset()
    case.serve(*TEN)
    assert case.last().kind == "not_full"


def test_expiry_is_an_eviction() -> None:
    case = Case(ttl=3)
    case.serve(*TEN)
    case.engine.wait(9)
    case.serve(*TEN)
    assert case.last().kind == "evicted"
    assert case.events[case.last().event or 0].cause == "ttl"  # type: ignore[attr-defined]


def test_not_admitted_by_a_policy() -> None:
    case = Case(admit_after=2)
    case.serve(*TEN)
    case.serve(*TEN)
    assert (case.last().kind, case.last().block) == ("not_admitted", 0)
    case.serve(*TEN)
    assert case.last().kind == "not_full"


def test_salt_version_and_extras() -> None:
    worlds: list[tuple[dict[str, Any], str, str]] = [
        ({"salt": "x"}, "", "salt"),
        ({}, "v2", "version"),
        ({"lora": ("a", "p")}, "", "extras"),
        ({"mm": (MultiModalItem("i", 0, 2),)}, "", "extras"),
    ]
    for extra, version, kind in worlds:
        case = Case()
        case.serve(*TEN)
        case.engine.set_version(version)
        case.serve(*TEN, **extra)
        assert (case.last().kind, case.last().block) == (kind, 0)


def test_an_image_in_a_later_block() -> None:
    case = Case()
    case.serve(*TEN, 1, mm=(MultiModalItem("i", 5, 2),))
    case.serve(*TEN, 1, mm=(MultiModalItem("j", 5, 2),))
    assert (case.last().kind, case.last().block) == ("extras", 1)


def test_another_world_must_share_everything_from_the_first_token() -> None:
    case = Case()
    case.serve(0, *TEN[1:])
    case.serve(*TEN, salt="x")
    assert case.last().kind == "never_seen"


def test_a_near_miss_in_another_world_is_none() -> None:
    case = Case()
    case.serve(*TEN)
    case.serve(*TEN[:3], 0, 0, salt="x")
    assert (case.last().kind, case.last().num_near) == ("never_seen", 0)


def test_collision_tells_both_texts() -> None:
    case = Case(hash_name="weak", verify_tokens=True)
    case.serve(1, 2, 3, 4, 0)
    case.serve(4, 2, 3, 1, 0)
    assert case.last() == MissReason(
        "R1", "collision", 0, stored=(1, 2, 3, 4), mine=(4, 2, 3, 1), first_diff=0, num_near=2,
        best_request="R0",
    )  # fmt: skip


def test_a_collision_shows_a_copy_that_is_still_cached() -> None:
    case = Case(hash_name="weak", verify_tokens=True)
    case.serve(1, 2, 3, 4, 0)
    case.serve(4, 2, 3, 1, 0)
    case.engine.evict((1,))
    case.serve(2, 4, 3, 1, 0)
    assert (case.last().kind, case.last().stored, case.last().mine) == (
        "collision",
        (4, 2, 3, 1),
        (2, 4, 3, 1),
    )


def test_skipping_and_caching_off() -> None:
    case = Case()
    case.serve(*TEN)
    case.serve(*TEN, skip_read=True)
    assert case.last() == MissReason("R1", "skip_read", 0)
    case = Case(enable_caching=False)
    case.serve(*TEN)
    assert case.last() == MissReason("R0", "caching_off", 0)


# -- which of two reasons is told -----------------------------------------------------------------------


def test_every_kind_has_its_case_above() -> None:
    text = Path(__file__).read_text("utf-8")
    assert all(f'"{kind}"' in text for kind in get_args(ReasonKind))
    no_miss = {"last_token", "not_full", "skip_read", "caching_off"}
    assert set(MISS_KINDS) == set(get_args(ReasonKind)) - no_miss


def test_the_last_token_comes_before_everything() -> None:
    """The last full block could not have been hit, so nobody asks whether it was evicted."""
    case = Case()
    case.serve(*TEN[:4])
    case.engine.reset()
    case.serve(*TEN[:4])
    assert case.last().kind == "last_token"


def test_not_admitted_comes_before_evicted() -> None:
    """It was cached once; in the end a policy kept it out."""
    case = Case()
    case.serve(*TEN)
    case.engine.reset()
    case.engine.set_policy("admit_after", 3)
    case.serve(*TEN)
    assert case.last().kind == "evicted"
    case.serve(*TEN)
    assert case.last().kind == "not_admitted"


def test_evicted_comes_before_salt_and_before_a_broken_chain() -> None:
    case = Case()
    case.serve(*TEN)
    case.serve(*TEN[:3], 0, 0)
    case.serve(*TEN, salt="x")
    case.engine.evict((1,))
    case.serve(*TEN)
    assert (case.last().kind, case.last().num_near) == ("evicted", 3)


def test_salt_comes_before_version_and_version_before_other_extras() -> None:
    case = Case()
    case.serve(*TEN, lora=("a", "p"))
    case.engine.set_version("v2")
    case.serve(*TEN)
    case.engine.set_version("")
    case.serve(*TEN)
    assert case.last().kind == "version"
    case = Case()
    case.serve(*TEN, lora=("a", "p"))
    case.engine.set_version("v2")
    case.serve(*TEN)
    case.engine.set_version("")
    case.serve(*TEN, salt="x")
    case.serve(*TEN)
    assert case.last().kind == "salt"


def test_salt_comes_before_a_broken_chain() -> None:
    case = Case()
    case.serve(*TEN[:3], 0, 0)
    case.serve(*TEN, salt="x")
    case.serve(*TEN)
    assert (case.last().kind, case.last().num_near) == ("salt", 3)


# -- where the reasons stand -----------------------------------------------------------------------------


def test_every_look_up_of_a_request_has_its_reason_under_the_event_that_ended_it() -> None:
    case = Case(num_blocks=4)
    case.engine.start(Request("held", TEN))
    case.engine.start(Request("refused", TEN))
    case.engine.submit(Request("waits", TEN[:5]))
    case.engine.step()
    case.engine.lookup(Request("nobody", TEN))  # a question is no miss
    reasons = case.reasons()
    assert {index: reason.request_id for index, reason in reasons.items()} == {
        case.index_of(RequestAdmitted): "held",
        case.index_of(RequestRefused): "refused",
        case.index_of(RequestBlocked): "waits",
    }


def test_a_resume_has_a_reason_too() -> None:
    case = Case()
    case.engine.start(Request("a", TEN))
    case.engine.decode("a", (1, 2, 3))
    case.engine.preempt("a")
    case.engine.resume("a")
    assert [reason.kind for reason in case.reasons().values()] == ["never_seen", "not_full"]
    assert case.last().num_tail == 1


def test_after_a_new_version_the_reasons_follow_the_new_hashes() -> None:
    case = Case()
    case.serve(*TEN)
    case.engine.submit(Request("waits", TEN))
    case.engine.set_version("v2")
    case.engine.run()
    assert (case.last().request_id, case.last().kind) == ("waits", "version")


def test_a_log_without_block_events_is_refused() -> None:
    events: list[Event] = []
    engine = Engine(EngineConfig(block_size=4, num_blocks=8), events.append, block_events=False)
    engine.submit(Request("a", TEN))
    engine.run()
    with pytest.raises(EventLogError, match="block events") as caught:
        explain(EventLog(engine.config, tuple(events)))
    assert caught.value.code == "log.no_block_events"


@pytest.mark.parametrize("forget", [lambda engine: engine.reset(), lambda engine: engine.evict((1, 2))])
def test_what_is_cached_no_more_under_another_identity_is_no_reason(forget: Callable[[Engine], Any]) -> None:
    case = Case()
    case.serve(*TEN, salt="s")
    forget(case.engine)
    case.serve(*TEN)
    assert case.last().kind == "never_seen"


def test_a_collision_is_no_other_identity() -> None:
    """Two contents with one hash: until the second is stored it is new, though the first is cached."""
    case = Case(hash_name="weak", verify_tokens=True)
    case.serve(1, 2, 3, 4, 9)
    name = case.serve(4, 3, 2, 1, 9)
    diagnosis = Diagnosis(4, enable_caching=True)
    fates = []
    for index, event in enumerate(case.events):
        diagnosis.take(index, event)
        if isinstance(event, RequestAdmitted | BlockStored) and event.request_id == name:
            fates.append(diagnosis.fate(name, 0))
    assert fates == [("new", None), ("cached", None)]
