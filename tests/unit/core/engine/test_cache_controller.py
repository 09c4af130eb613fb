"""Hash table, ref counts and the free queue together: each rule on its own, with its numbers."""

from __future__ import annotations

from typing import Any

import pytest

from core.engine.block_manager import BlockManager
from core.engine.cache_controller import CacheController
from core.engine.events import BlockEvicted, BlockReleased, BlockStored, Event
from core.engine.sequence import Sequence
from core.types import EngineConfig, Request

A, B, C, D = (bytes([letter]) * 16 for letter in b"ABCD")


class Cache:
    """A controller over its blocks, and what it told."""

    def __init__(self, num_blocks: int = 8, **settings: Any) -> None:
        self.config = EngineConfig(block_size=2, num_blocks=num_blocks, **settings)
        self.blocks = BlockManager(num_blocks)
        self.events: list[Event] = []
        self.control = CacheController(self.config, self.blocks)
        self.control.emit = self.events.append

    def request(self, name: str, hashes: list[bytes], extra: int = 0) -> list[int]:
        """Look up, touch, allocate and store, as an admission does; ``extra`` blocks stay without content."""
        hits = self.control.match(hashes, len(hashes))
        self.control.touch(name, hits)
        new = self.control.allocate(name, len(hits), len(hashes) - len(hits) + extra)
        table = hits + new
        self.store(name, table, hashes, len(hits))
        return table

    def store(self, name: str, table: list[int], hashes: list[bytes], start: int = 0) -> None:
        """Give the blocks of a table from ``start`` on the contents of their places."""
        sequence = Sequence(Request(name, (1,)), "", self.config)
        sequence.table, sequence.chain.hashes = table, hashes
        self.control.store(sequence, start, len(hashes))

    def told(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def test_allocating_takes_the_front_with_one_holder() -> None:
    cache = Cache()
    assert cache.control.allocate("a", 0, 3) == [1, 2, 3]
    assert [cache.control.ref_count(b) for b in (1, 2, 3, 4)] == [1, 1, 1, 0]
    assert cache.blocks.queue() == (4, 5, 6, 7)


def test_a_stored_block_is_found_by_its_hash() -> None:
    cache = Cache()
    cache.request("a", [A, B])
    assert cache.control.match([A, B, C], 3) == [1, 2]
    assert cache.control.match([A, B, C], 1) == [1]
    assert cache.control.match([C, A], 2) == []  # the first miss ends it (rule 21)
    assert cache.control.hashes() == (A, B)
    assert cache.control.num_cached == 2


def test_freeing_walks_from_the_last_block_to_the_first() -> None:
    """Rule 13: without content to the front as one run, with content to the back, tail first."""
    cache = Cache(num_blocks=9)
    table = cache.request("a", [A, B, C], extra=2)
    assert table == [1, 2, 3, 4, 5]
    cache.control.release("a", table)
    assert cache.blocks.queue() == (5, 4, 6, 7, 8, 3, 2, 1)
    released = [(event.block_id, event.place, event.offset) for event in cache.told(BlockReleased)]
    assert released == [(5, "front", 0), (4, "front", 1), (3, "back", 0), (2, "back", 0), (1, "back", 0)]


def test_blocks_somebody_else_holds_stay_out_of_the_queue() -> None:
    cache = Cache()
    first = cache.request("a", [A, B])
    second = cache.request("b", [A, C])
    assert (first, second) == ([1, 2], [1, 3])
    cache.control.release("a", first)
    assert cache.control.ref_count(1) == 1
    assert cache.blocks.queue() == (4, 5, 6, 7, 2)
    assert cache.told(BlockReleased)[-1].place == "held"


def test_under_the_older_queue_rule_everything_goes_to_the_back() -> None:
    cache = Cache(num_blocks=6, queue_rule="all_to_back")
    cache.control.release("a", cache.request("a", [A], extra=2))
    assert cache.blocks.queue() == (4, 5, 3, 2, 1)


def test_content_goes_when_its_block_is_taken_not_when_it_is_freed() -> None:
    cache = Cache(num_blocks=4)
    cache.control.release("a", cache.request("a", [A, B]))
    assert cache.control.match([A, B], 2) == [1, 2]
    cache.control.allocate("b", 0, 2)  # block 3 without content, then block 2, the tail
    assert cache.control.match([A, B], 2) == [1]
    assert cache.told(BlockEvicted) == [BlockEvicted(2, B, "reused", False)]


def test_a_touch_takes_an_idle_block_out_and_a_release_puts_it_at_the_very_back() -> None:
    cache = Cache(num_blocks=5)
    cache.control.release("a", cache.request("a", [A]))
    cache.control.release("b", cache.request("b", [B]))
    assert cache.blocks.queue() == (3, 4, 1, 2)
    cache.control.touch("c", [1])
    assert cache.blocks.queue() == (3, 4, 2)
    cache.control.touch("d", [1])
    assert cache.control.ref_count(1) == 2
    cache.control.release("c", [1])
    cache.control.release("d", [1])
    assert cache.blocks.queue() == (3, 4, 2, 1)


def test_one_content_in_three_copies() -> None:
    """Rule 17: nothing is merged, the oldest copy serves, each copy goes alone."""
    cache = Cache(num_blocks=8)
    for name in ("a", "b", "c"):
        table = cache.control.allocate(name, 0, 1)
        cache.store(name, table, [A])
    assert cache.control.carriers(A) == (1, 2, 3)
    assert [event.duplicate_of for event in cache.told(BlockStored)] == [None, 1, 1]
    assert cache.control.num_cached == 3
    assert cache.control.hashes() == (A,)
    cache.control.evict([1])
    assert cache.control.match([A], 1) == [2]
    cache.control.evict([3])
    assert cache.control.carriers(A) == (2,)
    cache.control.check()
    cache.control.evict([2])
    assert cache.control.carriers(A) == ()
    assert (cache.control.num_cached, cache.control.hashes()) == (0, ())
    cache.control.check()


def test_a_new_copy_after_the_oldest_went_is_a_copy_of_the_next() -> None:
    cache = Cache()
    for name in ("a", "b"):
        cache.store(name, cache.control.allocate(name, 0, 1), [A])
    cache.control.evict([1])
    cache.store("c", cache.control.allocate("c", 0, 1), [A])
    assert cache.told(BlockStored)[-1].duplicate_of == 2
    assert cache.control.carriers(A) == (2, 3)


def test_forced_eviction_moves_nothing() -> None:
    """Rule 47: held or free; a held one goes to the front when it is freed later."""
    cache = Cache(num_blocks=6)
    table = cache.request("a", [A, B])
    cache.control.evict([1, 4])  # block 4 carries nothing: nothing happens
    assert cache.blocks.queue() == (3, 4, 5)
    assert cache.told(BlockEvicted) == [BlockEvicted(1, A, "forced", False)]
    cache.control.release("a", table)
    assert cache.blocks.queue() == (1, 3, 4, 5, 2)
    cache.control.evict([2])
    assert cache.blocks.queue() == (1, 3, 4, 5, 2)


def test_reset_is_refused_while_a_block_is_held_and_keeps_the_order_of_the_queue() -> None:
    cache = Cache(num_blocks=5)
    table = cache.request("a", [A, B], extra=1)
    assert cache.control.reset() is None
    assert cache.control.hashes() == (A, B)
    cache.control.release("a", table)
    order = cache.blocks.queue()
    assert order == (3, 4, 2, 1)
    assert cache.control.reset() == 2
    assert cache.blocks.queue() == order
    assert (cache.control.hashes(), cache.control.num_cached) == ((), 0)
    assert cache.control.reset() == 0


def test_idle_blocks_are_counted_for_the_admission() -> None:
    cache = Cache()
    cache.control.release("a", cache.request("a", [A, B]))
    cache.request("b", [A, C])
    assert cache.control.idle([1, 2]) == [2]
    assert cache.control.idle([]) == []


def test_last_access_is_the_clock_of_the_last_touch_allocation_or_release() -> None:
    cache = Cache()
    notes = cache.control.notes
    assert notes.last_access[1] is None
    notes.clock = 3
    table = cache.request("a", [A])
    assert notes.last_access[1] == 3
    notes.clock = 5
    cache.control.release("a", table)
    assert notes.last_access[1] == 5
    notes.clock = 9
    cache.control.touch("b", [1])
    assert notes.last_access[1] == 9


def test_tokens_are_left_behind_in_free_blocks_without_content() -> None:
    cache = Cache(num_blocks=5)
    left = cache.control.notes.left
    table = cache.request("a", [A], extra=2)
    cache.control.release("a", table, num_computed=3)  # one in the second block, none in the third
    assert left[1:] == [0, 1, 0, 0]
    taken = cache.control.allocate("b", 0, 2)
    assert taken == [3, 2]
    cache.store("b", taken, [B, C])
    cache.control.release("b", taken)
    cache.control.evict([2, 3])
    assert left[1:] == [0, 0, 0, 0], "their tokens went with the content"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cache: cache.control._ref_count.__setitem__(1, 0),  # held, yet not in the queue
        lambda cache: cache.control._ref_count.__setitem__(5, 1),  # in the queue, yet held
        lambda cache: cache.control._table.hash_of.__setitem__(1, C),  # carries what the table does not list
        lambda cache: cache.control._table.oldest.pop(A),  # the table forgot a block
        lambda cache: cache.control._table.oldest.__setitem__(D, 6),  # the table lists what nobody carries
        lambda cache: cache.control._table._copies.__setitem__(A, [1, 2]),
        lambda cache: setattr(cache.control, "num_cached", 5),
        lambda cache: cache.control._table._copies.__setitem__(A, [1]),  # one is no copy
        lambda cache: cache.blocks.put_back([0]),
    ],
)
def test_the_check_finds_every_kind_of_damage(spoil: Any) -> None:
    cache = Cache()
    cache.request("a", [A, B])
    cache.control.check()
    spoil(cache)
    with pytest.raises(AssertionError):
        cache.control.check()
