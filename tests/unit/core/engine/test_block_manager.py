"""The free queue: front is taken next, back is safest, and every move keeps the rest in order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.engine.block_manager import BlockManager


def test_at_first_all_but_the_null_block_stand_in_order() -> None:
    blocks = BlockManager(5)
    assert blocks.queue() == (1, 2, 3, 4)
    assert (blocks.num_free, blocks.num_held) == (4, 0)


def test_a_pool_of_only_the_null_block_has_nothing_to_give() -> None:
    blocks = BlockManager(1)
    assert blocks.queue() == ()
    assert blocks.pop(0) == []
    blocks.check()


def test_pop_takes_from_the_front() -> None:
    blocks = BlockManager(6)
    assert blocks.pop(2) == [1, 2]
    assert blocks.queue() == (3, 4, 5)
    assert (blocks.num_free, blocks.num_held) == (3, 2)
    assert blocks.pop(0) == []
    assert blocks.pop(3) == [3, 4, 5]
    assert blocks.queue() == ()


def test_a_block_can_leave_from_anywhere() -> None:
    blocks = BlockManager(6)
    for block_id, left in ((3, (1, 2, 4, 5)), (5, (1, 2, 4)), (1, (2, 4))):
        blocks.take_out(block_id)
        assert blocks.queue() == left
    blocks.check()


def test_a_run_at_the_front_keeps_its_own_order() -> None:
    blocks = BlockManager(7)
    blocks.pop(4)
    blocks.put_front([4, 2])
    assert blocks.queue() == (4, 2, 5, 6)
    blocks.put_front([])
    assert blocks.pop(1) == [4]


def test_the_back_is_taken_last() -> None:
    blocks = BlockManager(6)
    blocks.pop(3)
    blocks.put_back([2, 1, 3])
    assert blocks.queue() == (4, 5, 2, 1, 3)
    assert blocks.pop(5) == [4, 5, 2, 1, 3]


def test_both_ends_of_an_empty_queue() -> None:
    blocks = BlockManager(4)
    blocks.pop(3)
    blocks.put_back([2])
    blocks.put_front([3])
    assert blocks.queue() == (3, 2)
    blocks.take_out(2)
    blocks.put_back([1])
    assert blocks.queue() == (3, 1)


def test_moving_to_the_front_changes_nothing_else() -> None:
    blocks = BlockManager(6)
    blocks.move_to_front(4)
    assert blocks.queue() == (4, 1, 2, 3, 5)
    blocks.move_to_front(4)
    assert blocks.queue() == (4, 1, 2, 3, 5)
    assert blocks.num_free == 5


def test_asking_for_more_than_there_is_never_gives_the_null_block() -> None:
    with pytest.raises(AssertionError):
        BlockManager(4).pop(4)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda blocks: blocks.put_back([0]),
        lambda blocks: blocks.put_back([2]),  # stands there already
        lambda blocks: setattr(blocks, "num_free", 2),
        lambda blocks: blocks._before.__setitem__(2, 3),
        lambda blocks: blocks._behind.__setitem__(2, 4),
    ],
)
def test_the_check_finds_a_broken_ring(spoil: Callable[[BlockManager], None]) -> None:
    blocks = BlockManager(5)
    blocks.check()
    spoil(blocks)
    with pytest.raises(AssertionError):
        blocks.check()
