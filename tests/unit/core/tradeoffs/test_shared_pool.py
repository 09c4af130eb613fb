"""Two cards on one pool: stale pointers without atomic acts, none with them, whatever the dice say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tradeoffs.shared_pool import Move, interleave, num_stale, runs_with_stale

BROTHS = ("beef", "pork", "fish", "hen")
ORDERS = (("beef", "pork"), ("fish",))
lists = st.lists(st.sampled_from(BROTHS), max_size=4)


def test_some_orders_of_acts_go_wrong_without_atomic_acts_and_none_with_them() -> None:
    assert len(runs_with_stale(("beef", "pork"), ORDERS, 200, atomic=False)) == 62
    assert runs_with_stale(("beef", "pork"), ORDERS, 200, atomic=True) == []


def test_the_same_seed_gives_the_same_moves() -> None:
    moves = interleave(("beef", "pork"), ORDERS, 3, atomic=False)
    assert moves == interleave(("beef", "pork"), ORDERS, 3, atomic=False)
    assert num_stale(moves) == 1


def test_a_stale_read_is_one_whose_slot_was_given_away_between_look_up_and_hold() -> None:
    moves = interleave(("beef", "pork"), ORDERS, 3, atomic=False)
    wrong = next(move for move in moves if move.act == "stale")
    acts = [(move.card, move.act) for move in moves if move.slot == wrong.slot]
    looked_up, chosen, held = (acts.index(act) for act in (("A", "found"), ("B", "choose"), ("A", "pin")))
    assert looked_up < chosen < held
    assert wrong.contents[(wrong.slot or 0) - 1] == "fish"


@given(first=lists, second=lists, seed=st.integers(0, 10_000), slots=st.integers(1, 3))
def test_atomic_acts_never_read_foreign_kv(
    first: list[str], second: list[str], seed: int, slots: int
) -> None:
    moves = interleave(BROTHS[:slots], (first, second), seed, atomic=True)
    assert num_stale(moves) == 0
    for move in moves:
        assert all(move.contents[slot - 1] == tag for tag, slot in move.table), "no pointer is stale"
    assert [m.order for m in moves if m.card == "A" and m.act == "read"] == first
    assert [m.order for m in moves if m.card == "B" and m.act == "read"] == second


@pytest.mark.parametrize("atomic", [False, True])
def test_alone_a_card_needs_no_locks(atomic: bool) -> None:
    moves: list[Move] = interleave(("beef",), (("fish", "beef", "fish"), ()), 1, atomic=atomic)
    assert num_stale(moves) == 0
    assert sum(move.act == "publish" for move in moves) == 3
