"""Every act of a shared store, the same on a file and on a server."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from core.cluster.store.address import open_parts
from core.cluster.store.audit import audit
from core.cluster.store.base import Acts, Layout, Parts
from core.cluster.store.frame import pack
from core.cluster.store.recorded import payload
from core.cluster.store.store import Hold, Store, Ticket, whole
from core.engine.hash_chain import hash_chain
from core.errors import StoreError

Opened = Callable[..., Parts]
A, B, C, D = hash_chain([1, 2, 3, 4], 1)
X, Y = hash_chain([9, 8], 1)
TWO = Layout("two", 4, 2)
WHOLE = Acts()


def put(store: Store, *keys: bytes) -> list[object]:
    """A chain, from its head; what each claim answered."""
    answers: list[object] = []
    for place, key in enumerate(keys):
        ticket = whole(store.claim(key, keys[place - 1] if place else None))
        answers.append(ticket if not isinstance(ticket, Ticket) else ticket.slot)
        if isinstance(ticket, Ticket):
            for rank in range(store.ranks):
                assert store.write(ticket, rank, payload(key, rank))
                store.finish(ticket, rank)
    return answers


def held(store: Store, *keys: bytes) -> Hold:
    return whole(store.look_up(keys))


def test_what_one_worker_put_another_reads(opened: Opened) -> None:
    one, two = Store(opened(TWO), "one"), Store(opened(TWO, clear=False), "two")
    assert put(one, A, B) == [1, 2]
    hold = held(two, A, B, C)
    assert hold.keys == (A, B)
    assert hold.slots == (1, 2)
    read = [two.read(hold, place, rank) for place in (0, 1) for rank in (0, 1)]
    assert read == [("right", payload(key, rank)) for key in (A, B) for rank in (0, 1)]
    assert two.unpin(hold)


def test_a_block_may_have_thirty_shards(opened: Opened) -> None:
    store = Store(opened(replace(TWO, ranks=30)), "one")
    ticket = whole(store.claim(A, None))
    assert isinstance(ticket, Ticket)
    for rank in range(30):
        assert store.write(ticket, rank, b"%d" % rank)
        assert store.finish(ticket, rank) == ("visible" if rank == 29 else "waiting")
    assert store.read_all(held(store, A)) == [tuple(b"%d" % rank for rank in range(30))]


def test_a_prefix_ends_at_the_first_block_that_is_not_there(opened: Opened) -> None:
    store = Store(opened(TWO), "one")
    put(store, A, B, C)
    assert held(store, A, X, C).keys == (A,)
    assert held(store, X, A).keys == ()


def test_a_block_is_put_once(opened: Opened) -> None:
    one, two = Store(opened(TWO), "one"), Store(opened(TWO, clear=False), "two")
    ticket = whole(one.claim(A, None))
    assert isinstance(ticket, Ticket)
    assert whole(two.claim(A, None)) == "pending"
    assert held(two, A).keys == ()
    assert [one.write(ticket, 0, b"x"), one.finish(ticket, 0)] == [True, "waiting"]
    assert held(two, A).keys == (), "all ranks' shards together"
    assert [one.write(ticket, 1, b"y"), one.finish(ticket, 1)] == [True, "visible"]
    assert whole(two.claim(A, None)) == "present"
    assert held(two, A).keys == (A,)


def test_what_hangs_on_nothing_is_not_taken(opened: Opened) -> None:
    store = Store(opened(TWO), "one")
    assert whole(store.claim(B, A)) == "orphan"
    ticket = whole(store.claim(A, None))
    assert isinstance(ticket, Ticket)
    assert whole(store.claim(B, A)) == "orphan", "not before it can be seen"


def test_the_end_of_a_chain_goes_first_and_what_is_pinned_stays(opened: Opened) -> None:
    store = Store(opened(TWO), "one")
    put(store, A, B, C, D)
    hold = held(store, A, B, C)
    assert put(store, X) == [4], "D, at the end of its chain"
    assert put(store, Y) == [4], "X: all others are pinned"
    assert store.unpin(hold)
    assert put(store, X) == [4], "Y, which nobody used since"
    hold = held(store, X)
    assert put(store, Y) == [3], "C: its chain's end, and what it hangs on stays"
    assert held(store, A, B, C).keys == (A, B)
    assert store.unpin(hold)
    found = audit(store.parts.snapshot(), 100)
    assert found.sound
    assert found.unreachable == 0


def test_when_all_is_pinned_the_store_is_full(opened: Opened) -> None:
    store = Store(opened(replace(TWO, capacity=2)), "one")
    put(store, A, B)
    hold = held(store, A, B)
    assert put(store, X) == ["full"]
    store.unpin(hold)
    assert put(store, X) == [2]


def test_plain_lru_throws_heads_away_and_keeps_what_nobody_can_reach(opened: Opened) -> None:
    store = Store(opened(replace(TWO, chain_aware=False)), "one")
    put(store, A, B, C, D)
    assert put(store, X) == [1]
    assert held(store, A, B).keys == ()
    found = audit(store.parts.snapshot(), 100)
    assert (found.unreachable, found.sound) == (3, True)
    assert found.unreachable_bytes == 3 * 2 * len(pack("", A, 0, 2, payload(A, 0)))


def test_an_unpin_counts_once(opened: Opened) -> None:
    store = Store(opened(replace(TWO, capacity=1)), "one")
    put(store, A)
    mine, theirs = held(store, A), held(store, A)
    assert store.unpin(mine)
    assert not store.unpin(mine)
    assert put(store, X) == ["full"], "theirs still holds"
    assert store.unpin(theirs)
    assert put(store, X) == [1]


def test_leases_end_what_a_crash_left(opened: Opened) -> None:
    time = [100.0]
    parts = opened(replace(TWO, capacity=2, lease_s=10.0), lambda: time[0])
    dead, alive = Store(parts, "dead"), Store(parts, "alive")
    put(alive, A)
    held(dead, A)
    left = whole(dead.claim(X, None))
    assert isinstance(left, Ticket)
    assert dead.write(left, 0, b"half")
    assert put(alive, Y) == ["full"]
    assert put(alive, X) == ["pending"]
    time[0] += 11
    assert put(alive, X) == [2], "the claim is over, and its slot is taken again"
    assert put(alive, Y) == [1], "so is the pin"
    assert audit(parts.snapshot(), 10).sound


def test_one_who_was_away_too_long_changes_nothing(opened: Opened) -> None:
    time = [100.0]
    parts = opened(replace(TWO, capacity=1, lease_s=10.0), lambda: time[0])
    away, other = Store(parts, "away"), Store(parts, "other")
    ticket = whole(away.claim(A, None))
    assert isinstance(ticket, Ticket)
    time[0] += 11
    assert put(other, X) == [1]
    assert not away.write(ticket, 0, b"late")
    assert away.finish(ticket, 0) == "lost"
    assert not away.give_up(ticket)
    hold = held(other, X)
    assert other.read(hold, 0, 0) == ("right", payload(X, 0))
    time[0] += 11
    assert put(away, A) == [1]
    assert not other.unpin(hold), "what it read since may be another's, and it is told so"


def test_a_slot_that_is_given_up_is_free(opened: Opened) -> None:
    store = Store(opened(replace(TWO, capacity=1)), "one")
    ticket = whole(store.claim(A, None))
    assert isinstance(ticket, Ticket)
    assert store.give_up(ticket)
    assert put(store, A) == [1]


def test_who_comes_with_another_layout_is_refused(opened: Opened, address: str) -> None:
    layout = opened(TWO).layout
    with pytest.raises(StoreError) as caught:
        open_parts(address, replace(layout, capacity=5))
    assert caught.value.code == "store.layout"


def test_threads_of_one_process_may_share_it(opened: Opened) -> None:
    store = Store(opened(replace(TWO, capacity=16)), "one")

    def serve(number: int) -> int:
        put(store, *hash_chain([number, number], 1))
        hold = held(store, *hash_chain([number, number], 1))
        assert all(len(block) == 2 for block in store.read_all(hold))
        assert store.unpin(hold)
        return len(hold.keys)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(serve, range(4))) == [2] * 4
    assert audit(store.parts.snapshot(), 100).used == 8


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("acts", [WHOLE, Acts(True, *[False] * 6)], ids=["whole", "split"])
def test_a_server_does_what_the_file_does(opened: Opened, acts: Acts, seed: int) -> None:
    """600 acts by dice, with claims and pins left behind: every answer, and in the end every slot."""
    time = [100.0]
    layout = Layout("dice", 5, 2, 8.0, chain_aware=seed != 1)
    mine, file = opened(layout, lambda: time[0]), open_parts("", layout, clock=lambda: time[0])
    said = [list(answers(parts, acts, seed, time)) for parts in (mine, file)]
    assert said[0] == said[1]
    ours, theirs = mine.snapshot(), file.snapshot()
    assert ours == theirs
    file.close()


def answers(parts: Parts, acts: Acts, seed: int, time: list[float]) -> list[object]:
    time[0] = 100.0
    dice = np.random.default_rng(seed)
    chains = [hash_chain([family, 2, 3], 1) for family in range(4)]
    said: list[object] = []
    tickets: list[tuple[int, str]] = []
    pins: list[tuple[list[int], str]] = []
    for number in range(600):
        chain, place, token = chains[dice.integers(4)], int(dice.integers(3)), f"t{number}"
        kind = dice.choice(
            ["claim", "claim", "write", "finish", "finish", "hold", "unpin", "find", "give", "wait"]
        )
        rank = int(dice.integers(2))
        if kind == "claim":
            said.append(parts.claim(chain[place], chain[place - 1] if place else None, token, acts))
            slot = said[-1][1]  # type: ignore[index]
            tickets += [(slot, token)] if slot else []
        elif kind == "hold":
            slots = parts.look_and_pin(chain, token, acts)
            said.append((slots, parts.read([(slot, rank) for slot in slots]), parts.look(chain[:2])))
            pins.append((slots, token))
        elif kind == "unpin" and pins:
            said.append(parts.unpin(*pins[dice.integers(len(pins))], acts))
        elif kind == "find":
            said.append(parts.find(chain[place]))
        elif kind == "wait":
            time[0] += float(dice.integers(5))
        elif tickets:
            slot, name = tickets[max(0, len(tickets) - 1 - int(dice.integers(3)))]
            if kind == "write":
                said.append(parts.write(slot, rank, name, b"%d" % number, acts))
            elif kind == "finish":
                said.append(parts.finish(slot, rank, name, acts))
            else:
                said.append(parts.give_up(slot, name))
    return said
