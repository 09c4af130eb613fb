"""What each event changes in a frame, one by one, as patches."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from core.engine import events as ev
from core.timeline import fold as fold_module
from core.timeline.event_log import event_types
from core.timeline.fold import fold, fold_all, patches
from core.timeline.frame import Frame, apply, engine_part, initial_frame, prompt_shares
from core.types import EngineConfig

H, P = b"\x01" * 16, b"\x02" * 16
BASE = initial_frame(EngineConfig(block_size=2, num_blocks=4))
ARRIVED = ev.RequestArrived("A", (1, 2, 3), 2, None, None, "", 0, False, 0)
ADMITTED = ev.RequestAdmitted("A", 3, 0, 3, 3, 2, True, False, True)
TAKEN = (ev.BlockAllocated("A", 0, 1), ev.BlockAllocated("A", 1, 2))
STORED = ev.BlockStored("A", 0, 1, H, None, None)
RUNNING = fold_all(BASE, [ev.ClockAdvanced(4, False), ARRIVED, ADMITTED, *TAKEN, STORED])


def test_an_engine_before_its_first_command() -> None:
    assert BASE["queue"] == [1, 2, 3]
    assert BASE["slots"]["1"] == {"ref": 0, "hash": None, "fill": 0, "owners": [], "last": None}
    assert set(BASE["slots"]) == {"1", "2", "3"}
    assert (BASE["table"], BASE["reqs"], BASE["waiting"], BASE["running"]) == ({}, {}, [], [])
    assert set(BASE["totals"].values()) == {0}
    assert initial_frame(EngineConfig(num_blocks=1))["slots"] == {}


def test_every_event_is_folded() -> None:
    unknown = fold_module._patches.dispatch(object)
    assert [n for n, kind in event_types().items() if fold_module._patches.dispatch(kind) is unknown] == []


def test_what_is_no_event_is_not_folded() -> None:
    with pytest.raises(AssertionError, match="no patches for Event"):
        patches(BASE, ev.Event())


CHANGES: list[tuple[ev.Event, list[list[Any]]]] = [
    (ev.ClockAdvanced(5, True), [[["clock"], 5]]),
    (ev.StepStarted(2), [[["step"], 2]]),
    (ev.VersionChanged("v2"), [[["version"], "v2"]]),
    (ev.TokensAppended("A", (9,), 4), [[["reqs", "A", "num_tokens"], 4]]),
    (ev.LookedUp(4, (1, 2)), []),
    (ev.GrowthFailed("A", 2, 1), []),
    (ev.HashCollision("A", 0, 1, H), []),
    (ev.BlockNotStored("A", 1, H, "cap", 1, 1), []),
    (ev.PolicyChanged("ttl", 3), []),
    (ev.CacheReset(False, 0), []),
    (ev.BlockHashed("A", 0, H, None), [[["reqs", "A", "hashes", 0], H.hex()]]),
    (ev.BlockHit("A", 1, 3, H), [[["reqs", "A", "look", "1"], "hit"]]),
    (ev.BlockMissed("A", 2, H), [[["reqs", "A", "look", "2"], "miss"]]),
    (ev.RequestBlocked("A", 0, 3, 1), [[["reqs", "A", "look"], {}]]),
    (ev.RequestRefused("A", 0, 3, 1), [[["reqs", "A"]]]),
    (
        ev.RequestRehashed("A", "v2"),
        [[["reqs", "A", "version"], "v2"], [["reqs", "A", "hashes"], []], [["reqs", "A", "look"], {}]],
    ),
    (ev.RequestScheduled("A", 1, 4), [[["reqs", "A", "computed"], 4]]),
    (ev.RequestFinished("A", False), [[["reqs", "A", "status"], "finished"], [["running", "out"], "A"]]),
    (
        ev.RequestPreempted("A", 1, 0),
        [
            [["reqs", "A", "status"], "preempted"],
            [["reqs", "A", "computed"], 0],
            [["reqs", "A", "written"], 0],
            [["reqs", "A", "look"], {}],
            [["running", "out"], "A"],
            [["waiting", "at"], [0, "A"]],
            [["totals", "preempted"], 1],
        ],
    ),
    (
        ev.BlockStored("A", 1, 2, H, P, 1),
        [[["slots", "2", "hash"], H.hex()], [["table", H.hex()], [1, 2]], [["totals", "stored"], 2]],
    ),
    (
        ev.BlockComputed("A", 0, 1, 2, 2),
        [
            [["slots", "1", "fill"], 2],
            [["reqs", "A", "written"], 2],
            [["reqs", "A", "reached"], 2],
            [["totals", "computed"], 2],
        ],
    ),
    (
        ev.BlockTouched("A", 2, 1, 2, False),
        [
            [["slots", "1", "owners"], ["A", "A"]],
            [["slots", "1", "last"], 4],
            [["reqs", "A", "btable", 2], [1, "hit"]],
            [["slots", "1", "ref"], 2],
        ],
    ),
    (
        ev.BlockAllocated("A", 2, 3),
        [
            [["slots", "3", "owners"], ["A"]],
            [["slots", "3", "last"], 4],
            [["reqs", "A", "btable", 2], [3, "new"]],
            [["slots", "3", "ref"], 1],
            [["slots", "3", "fill"], 0],
            [["queue", "out"], 3],
        ],
    ),
    (
        ev.BlockReleased("A", 1, 2, 0, "front", 0),
        [
            [["slots", "2", "ref"], 0],
            [["slots", "2", "owners"], []],
            [["slots", "2", "last"], 4],
            [["reqs", "A", "btable", 1]],
            [["queue", "at"], [0, 2]],
        ],
    ),
    (
        ev.BlockEvicted(1, H, "forced", False),
        [[["slots", "1", "hash"], None], [["table", H.hex()]], [["totals", "evicted"], 1]],
    ),
]


@pytest.mark.parametrize(("event", "wanted"), CHANGES, ids=lambda value: type(value).__name__)
def test_the_patches_of_an_event(event: ev.Event, wanted: list[list[Any]]) -> None:
    assert patches(RUNNING, event) == wanted


def test_all_events_but_two_are_listed_above() -> None:
    """Arrival and admission have tests of their own below."""
    listed = {type(event).__name__ for event, _ in CHANGES}
    assert set(event_types()) - listed == {"RequestArrived", "RequestAdmitted"}


def test_an_arrival_waits_at_its_place_or_nowhere() -> None:
    frame = fold_all(BASE, [ARRIVED, ev.RequestArrived("B", (1,), 0, "s", None, "v", -1, True, 0)])
    assert frame["waiting"] == ["B", "A"]
    assert frame["reqs"]["B"] == {
        "status": "waiting",
        "num_prompt": 1,
        "num_tokens": 1,
        "computed": 0,
        "written": 0,
        "reached": 0,
        "reused": 0,
        "hit": 0,
        "hashes": [],
        "look": {},
        "btable": [],
        "skip_read": True,
        "salt": "s",
        "version": "v",
    }
    direct = fold(BASE, ev.RequestArrived("C", (1,), 0, None, None, "", 0, False, None))
    assert direct["waiting"] == []


def test_an_admission_moves_the_request_and_counts_once() -> None:
    frame = fold(fold(BASE, ARRIVED), ev.RequestAdmitted("A", 3, 2, 1, 3, 1, True, False, True))
    assert (frame["waiting"], frame["running"]) == ([], ["A"])
    assert (frame["reqs"]["A"]["status"], frame["reqs"]["A"]["computed"]) == ("running", 3)
    assert frame["reqs"]["A"]["hit"] == 2
    totals = frame["totals"]
    assert (totals["requests"], totals["queries"], totals["hits"], totals["computed"]) == (1, 3, 2, 0)


def test_a_resumed_admission_keeps_the_first_hit_and_counts_nowhere() -> None:
    first = fold(fold(BASE, ARRIVED), ADMITTED)
    back = fold_all(
        first, [ev.RequestPreempted("A", 1, 0), ev.RequestAdmitted("A", 3, 2, 1, 3, 1, False, True, True)]
    )
    assert back["reqs"]["A"]["hit"] == 0
    assert back["totals"] == {**first["totals"], "preempted": 1}


def shares(frame: Frame) -> tuple[int, int, int, int]:
    return tuple(prompt_shares(frame["reqs"]["A"]))  # type: ignore[return-value]


def test_what_is_planned_is_not_computed() -> None:
    """Once "15 tokens computed" stood there eight steps before anything was."""
    waiting = fold(BASE, ARRIVED)
    assert shares(waiting) == (0, 0, 0, 3)
    assert shares(RUNNING) == (0, 0, 3, 0)
    assert RUNNING["totals"]["computed"] == 0
    half = fold(RUNNING, ev.BlockComputed("A", 0, 1, 2, 2))
    assert (shares(half), half["totals"]["computed"]) == ((0, 2, 1, 0), 2)
    whole = fold(half, ev.BlockComputed("A", 1, 2, 1, 1))
    assert (shares(whole), whole["totals"]["computed"]) == ((0, 3, 0, 0), 3)
    more = [
        ev.TokensAppended("A", (9,), 4),
        ev.RequestScheduled("A", 1, 4),
        ev.BlockComputed("A", 1, 2, 1, 2),
    ]
    answering = fold_all(whole, more)
    assert shares(answering) == (0, 3, 0, 0)
    assert (answering["totals"]["computed"], answering["totals"]["decoded"]) == (3, 1)


def test_what_is_computed_again_after_a_preemption_is_counted_apart() -> None:
    """Here one block was computed before the preemption; it comes back, and finds nothing."""
    half = fold(RUNNING, ev.BlockComputed("A", 0, 1, 2, 2))
    away = fold(half, ev.RequestPreempted("A", 1, 0))
    assert (shares(away), away["reqs"]["A"]["written"]) == ((0, 2, 0, 1), 0)
    back = fold(away, ev.RequestAdmitted("A", 3, 0, 3, 3, 2, False, True, True))
    assert shares(back) == (0, 2, 1, 0)
    again = fold_all(back, [ev.BlockComputed("A", 0, 1, 2, 2), ev.BlockComputed("A", 1, 2, 1, 1)])
    assert shares(again) == (0, 3, 0, 0)
    totals = again["totals"]
    assert (totals["computed"], totals["decoded"], totals["recomputed"]) == (3, 0, 2)


def test_what_a_preempted_request_finds_and_never_had_is_reused() -> None:
    """It was preempted before anything of it was computed; others have computed its first block meanwhile."""
    away = fold(RUNNING, ev.RequestPreempted("A", 1, 0))
    back = fold(away, ev.RequestAdmitted("A", 3, 2, 1, 3, 1, False, True, True))
    assert (shares(back), back["reqs"]["A"]["hit"]) == ((2, 0, 1, 0), 0)


def test_a_successful_reset_empties_the_table_and_what_was_written() -> None:
    frame = fold_all(RUNNING, [ev.BlockComputed("A", 0, 1, 2, 2), ev.BlockReleased("A", 1, 2, 0, "front", 0)])
    frame = fold_all(frame, [ev.BlockReleased("A", 0, 1, 0, "back", 0), ev.CacheReset(True, 1)])
    assert frame["table"] == {}
    assert frame["slots"]["1"] == {"ref": 0, "hash": None, "fill": 0, "owners": [], "last": 4}
    assert frame["queue"] == [2, 3, 1]


def test_an_evicted_idle_block_is_empty_a_held_one_keeps_what_is_written() -> None:
    frame = fold(RUNNING, ev.BlockComputed("A", 0, 1, 2, 2))
    held = fold(frame, ev.BlockEvicted(1, H, "forced", False))
    assert held["slots"]["1"]["fill"] == 2
    idle = fold_all(frame, [ev.BlockReleased("A", 0, 1, 0, "back", 0), ev.BlockEvicted(1, H, "ttl", True)])
    assert idle["slots"]["1"]["fill"] == 0
    assert idle["queue"] == [1, 3]
    assert frame["queue"] == [3]


def test_copies_stay_listed_oldest_first() -> None:
    frame = fold(RUNNING, ev.BlockStored("A", 1, 2, H, None, 1))
    assert frame["table"] == {H.hex(): [1, 2]}
    assert fold(frame, ev.BlockEvicted(1, H, "forced", False))["table"] == {H.hex(): [2]}


def test_applying_shares_what_is_not_touched() -> None:
    after = apply(RUNNING, [[["slots", "1", "fill"], 2]])
    assert after["slots"]["2"] is RUNNING["slots"]["2"]
    assert after["reqs"] is RUNNING["reqs"]
    assert RUNNING["slots"]["1"]["fill"] == 0


def test_moves_in_a_line() -> None:
    def moved(move: str, value: Any) -> list[int]:
        return apply(BASE, [[["queue", move], value]])["queue"]

    assert moved("out", 2) == [1, 3]
    assert moved("back", 9) == [1, 2, 3, 9]
    assert moved("at", [1, 9]) == [1, 9, 2, 3]
    assert moved("at", [0, 9]) == [9, 1, 2, 3]
    frame = apply(
        BASE, [[["waiting", "back"], "B"], [["waiting", "at"], [0, "A"]], [["running", "back"], "C"]]
    )
    assert (frame["waiting"], frame["running"]) == (["A", "B"], ["C"])
    assert apply(frame, [[["waiting", "out"], "A"]])["waiting"] == ["B"]
    assert BASE["waiting"] == BASE["running"] == []


def test_a_request_may_bear_the_name_of_a_move() -> None:
    log = [ev.RequestArrived("out", (1,), 0, None, None, "", 0, False, 0), ev.RequestFinished("out", True)]
    frame = fold_all(BASE, log)
    assert (frame["waiting"], frame["reqs"]["out"]["status"]) == ([], "finished")
    assert frame == fold(fold(BASE, log[0]), log[1])


def test_folding_all_at_once_is_folding_one_by_one_and_leaves_the_first_frame_alone() -> None:
    before = deepcopy(RUNNING)
    log = [
        ev.BlockComputed("A", 0, 1, 2, 2),
        ev.BlockReleased("A", 1, 2, 0, "front", 0),
        ev.BlockEvicted(1, H, "forced", False),
        ev.RequestFinished("A", False),
    ]
    frame = RUNNING
    for event in log:
        frame = fold(frame, event)
    assert fold_all(RUNNING, log) == frame != before == RUNNING


def test_the_engines_part_leaves_out_what_only_a_log_knows() -> None:
    frame = fold_all(RUNNING, [ev.BlockComputed("A", 0, 1, 2, 2), ev.RequestFinished("A", False)])
    part = engine_part(frame)
    assert part["reqs"] == {}
    assert part["slots"]["1"]["fill"] == 0
    assert (part["totals"]["stored"], part["totals"]["evicted"]) == (0, 0)
    assert part["totals"]["queries"] == 3
