"""Two engines, one store: what an interleaving does when looking up, evicting and writing are not atomic.

A small model beside the engine, which needs no locks: one scheduler owns all its block tables. What is
modelled is a store outside that several engines share, here two, called cards. Each card serves orders; an
order is a few acts, and dice decide which card acts next. ``atomic`` means: "look up and pin" is one act, and
so is "choose a slot and take it out of the table". Otherwise the other card may come in between, and then a
card can read KV that is not what its pointer promised.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Act = Literal["found", "absent", "pin", "choose", "unlink", "write", "publish", "read", "stale", "wait"]
CARDS = ("A", "B")


@dataclass(frozen=True, slots=True)
class Move:
    """One act: who, for which order, on which slot; then what the slots hold and where the table points."""

    card: str
    act: Act
    order: str
    slot: int | None
    contents: tuple[str, ...]
    table: tuple[tuple[str, int], ...]


class SharedPool:
    """``contents`` stand in the slots when the cards begin, least recently used first; slots count from 1."""

    def __init__(self, contents: Sequence[str], *, atomic: bool) -> None:
        self.moves: list[Move] = []
        self._atomic = atomic
        self._contents = list(contents)
        self._table = {tag: slot for slot, tag in enumerate(contents)}
        self._pins = [0] * len(contents)
        self._used = list(range(-len(contents), 0))  # when last used; grows with the moves

    def serve(self, card: str, orders: Sequence[str]) -> Iterator[None]:
        """Acts of one card; each ``yield`` is a place where the other card may act."""
        for order in orders:
            slot = self._table.get(order)
            self._note(card, "absent" if slot is None else "found", order, slot)
            if slot is None:
                yield
                slot = yield from self._bring(card, order)
            else:
                if not self._atomic:
                    yield
                self._pins[slot] += 1
                self._note(card, "pin", order, slot)
            yield
            self._note(card, "read" if self._contents[slot] == order else "stale", order, slot)
            self._pins[slot] -= 1
            self._used[slot] = len(self.moves)
            yield

    def _bring(self, card: str, order: str) -> Generator[None, None, int]:
        """Evict, write the new KV, and only then publish it."""
        while (slot := self._victim()) is None:
            self._note(card, "wait", order, None)
            yield
        self._note(card, "choose", order, slot)
        if not self._atomic:
            yield
        for tag in [tag for tag, at in self._table.items() if at == slot]:
            del self._table[tag]
        self._pins[slot] += 1
        self._note(card, "unlink", order, slot)
        yield
        self._contents[slot] = order
        self._note(card, "write", order, slot)
        yield
        self._table[order] = slot
        self._note(card, "publish", order, slot)
        return slot

    def _victim(self) -> int | None:
        free = [slot for slot, pins in enumerate(self._pins) if pins == 0]
        return min(free, key=self._used.__getitem__, default=None)

    def _note(self, card: str, act: Act, order: str, slot: int | None) -> None:
        shown = None if slot is None else slot + 1
        table = tuple(sorted((tag, at + 1) for tag, at in self._table.items()))
        self.moves.append(Move(card, act, order, shown, tuple(self._contents), table))


def interleave(
    contents: Sequence[str], orders: Sequence[Sequence[str]], seed: int, *, atomic: bool
) -> list[Move]:
    """Both cards serve their orders, in an order of acts that the seed decides."""
    pool = SharedPool(contents, atomic=atomic)
    dice = np.random.default_rng(seed)
    ahead = [pool.serve(card, own) for card, own in zip(CARDS, orders, strict=True)]
    while ahead:
        card = ahead[int(dice.integers(len(ahead)))]
        if next(card, "done") == "done":
            ahead.remove(card)
    return pool.moves


def num_stale(moves: Sequence[Move]) -> int:
    """How often a card read KV that was not what it had looked up."""
    return sum(move.act == "stale" for move in moves)


def runs_with_stale(
    contents: Sequence[str], orders: Sequence[Sequence[str]], num_seeds: int, *, atomic: bool
) -> list[int]:
    """The seeds, of so many, whose interleaving goes wrong."""
    return [seed for seed in range(num_seeds) if num_stale(interleave(contents, orders, seed, atomic=atomic))]
