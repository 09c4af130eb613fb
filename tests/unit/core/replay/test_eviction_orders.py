"""Eviction orders for comparison: each against a plain second implementation, and what they are known for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.replay.eviction_orders import ORDERS, Order, order_hits
from core.replay.prefix_tree import build_tree
from core.replay.runs import replay_runs
from tests.prompt_logs import Tokens, prompts, requests_of
from tests.strategies import examples


def plain_hits(log: list[Tokens], block_size: int, num_usable: int, order: Order) -> list[int]:
    """Looks through the whole cache for every victim; a content is the prefix up to its block's end."""
    chains = [[t[: i + block_size] for i in range(0, len(t) - block_size + 1, block_size)] for t in log]
    cache: dict[Tokens, dict[str, Any]] = {}
    found = []

    def next_use(prefix: Tokens, after: int) -> int:
        fitting = (k for k in range(after, len(log)) if -(-len(log[k]) // block_size) <= num_usable)
        return next((k for k in fitting if prefix in chains[k]), len(log))

    for now, (tokens, chain) in enumerate(zip(log, chains, strict=True)):
        if -(-len(tokens) // block_size) > num_usable:
            found.append(0)
            continue
        may_hit = chain[: (len(tokens) - 1) // block_size]
        hit = next((i for i, prefix in enumerate(may_hit) if prefix not in cache), len(may_hit))
        found.append(hit * block_size)
        for prefix in chain:
            entry = cache.setdefault(prefix, {"cached": now, "uses": 0})
            entry |= {"used": now, "uses": entry["uses"] + 1}
        tail = 1 if len(tokens) % block_size else 0
        while len(cache) + tail > num_usable:
            idle = [prefix for prefix in cache if prefix not in chain]
            key = {
                "lru": lambda p: (cache[p]["used"], -len(p)),
                "lfu": lambda p: (cache[p]["uses"], cache[p]["used"], -len(p)),
                "fifo": lambda p: (cache[p]["cached"], -len(p)),
                "clairvoyant": lambda p, after=now + 1: (-next_use(p, after), -len(p)),
            }[order]
            del cache[min(idle, key=key)]
    return found


def hits(log: list[Tokens], num_usable: int, order: Order, block_size: int = 2) -> list[int]:
    return order_hits(build_tree(requests_of(log), block_size), num_usable, order).tolist()


@pytest.mark.parametrize("order", ORDERS)
@examples(40)
@given(st.data())
def test_equals_a_plain_implementation(order: Order, data: st.DataObject) -> None:
    block_size = data.draw(st.integers(1, 3))
    log = data.draw(prompts(block_size, max_size=16))
    for num_usable in (2, 4, 7):
        assert hits(log, num_usable, order, block_size) == plain_hits(log, block_size, num_usable, order)


@examples(60)
@given(st.data(), st.sampled_from(["tail", "mixed"]))
def test_lru_is_the_replay_where_no_copies_arise(data: st.DataObject, ends: str) -> None:
    block_size = data.draw(st.integers(2, 4))
    tree = build_tree(requests_of(data.draw(prompts(block_size, ends))), block_size)
    for num_usable in range(1, 12):
        exact = replay_runs(tree, num_usable).hit_tokens
        assert order_hits(tree, num_usable, "lru").tolist() == exact.tolist()


A, B, C, D = (1, 1, 9), (2, 2, 9), (3, 3, 9), (4, 4, 9)


def test_the_future_helps_in_a_cycle() -> None:
    """Three prompts in turn, room for two: LRU always forgets the one that comes next."""
    log = [A, B, C] * 4
    assert sum(hits(log, 3, "lru")) == 0
    assert sum(hits(log, 3, "clairvoyant")) == 2 * 5


def test_what_is_used_often_outlives_a_flood_under_lfu() -> None:
    log = [A, A, A, B, C, D, A]
    assert hits(log, 3, "lfu")[-1] == 2
    assert hits(log, 3, "lru")[-1] == 0


def test_fifo_forgets_what_came_first_however_often_it_is_used() -> None:
    log = [A, B, A, A, C, A]
    assert hits(log, 3, "fifo")[-1] == 0
    assert hits(log, 3, "lru")[-1] == 2


def test_fifo_leaves_blocks_out_of_reach() -> None:
    """The parent came first and goes first; the block behind it is still there and cannot be hit."""
    head, longer = (1, 1, 9), (1, 1, 2, 2, 9)
    log = [head, longer, (5, 5, 9), longer]
    assert hits(log, 3, "fifo") == [0, 2, 0, 0]
    assert hits(log, 3, "lru") == [0, 2, 0, 2]


def test_a_prompt_larger_than_the_pool_is_left_out() -> None:
    log = [A, (1, 1, 2, 2, 3, 3, 9), A]
    for order in ORDERS:
        assert hits(log, 3, order) == [0, 0, 2]


def test_progress() -> None:
    told: list[int] = []
    tree = build_tree(requests_of([A] * 65), 2)
    order_hits(tree, 4, "lru", lambda done, total: told.append(done))
    assert told == [0, 64]
