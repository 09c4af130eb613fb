"""Each way in which a shared pool goes wrong, step by step: with whole acts it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest

from core.cluster.store.base import Acts, Parts
from core.cluster.store.recorded import PLOTS, Move, record

WRONG = ("stale", "torn", "expired", "wrong", "replaced")
GOES_WRONG = {
    "put_once": {"replaced": 1},
    "pin_with_look_up": {"stale": 1},
    "shards_together": {"torn": 1},
    "unpin_once": {"stale": 1},
    "unlink_first": {"stale": 1},
    "leases": {},
    "fenced": {"stale": 1},
}
IN_THE_END = {"put_once": ("lost", 1), "leases": ("stuck", 1), "fenced": ("stale", 1)}


def test_there_is_a_run_for_every_switch() -> None:
    assert list(PLOTS) == [one.name for one in fields(Acts)] == list(GOES_WRONG)


@pytest.mark.parametrize("fault", PLOTS)
def test_split_it_goes_wrong_and_whole_it_does_not(fault: str, opened: Callable[..., Parts]) -> None:
    split = record(PLOTS[fault], whole=False, opened=opened)
    assert {name: split.total(name) for name in WRONG if split.total(name)} == GOES_WRONG[fault]
    name, number = IN_THE_END.get(fault, ("used", split.audit.used))
    assert getattr(split.audit, name) == number
    assert split.audit.sound == (fault not in IN_THE_END)
    right = record(PLOTS[fault], whole=True, opened=opened)
    assert {name: right.total(name) for name in WRONG if right.total(name)} == {}
    assert right.audit.sound


@pytest.mark.parametrize("fault", PLOTS)
@pytest.mark.parametrize("whole", [True, False])
def test_every_store_plays_the_same_moves(fault: str, whole: bool, opened: Callable[..., Parts]) -> None:
    assert record(PLOTS[fault], whole=whole, opened=opened) == record(PLOTS[fault], whole=whole)


def test_a_move_shows_what_lies_where_and_where_the_index_leads() -> None:
    torn = record(PLOTS["shards_together"], whole=False).moves
    seen = next(move for move in torn if move.act == "stale")
    assert seen == Move("B", "stale", "a", 1, ("az",), (("a", 1),))
    stale = next(move for move in record(PLOTS["unlink_first"], whole=False).moves if move.act == "stale")
    assert (stale.order, stale.contents, stale.table) == ("a", ("b",), (("a", 1),))
