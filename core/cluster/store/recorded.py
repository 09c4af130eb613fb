"""One run for each way in which a shared pool goes wrong: two cards, a few slots, the steps by hand.

``order`` names who takes the next step (``A``, ``B``); who is done is passed over, and behind the order all
go on in turn. The same steps with whole acts end well. Nothing here is by chance: the store's clock counts
steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain as chain_of
from itertools import cycle, islice
from types import MappingProxyType

from core.cluster.store.audit import Audit, audit
from core.cluster.store.base import Acts, Clock, Layout, Parts
from core.cluster.store.frame import key_of
from core.cluster.store.in_sqlite import SqliteParts
from core.cluster.store.store import Store
from core.cluster.store.visit import Act, Outcome, Step, visit
from core.types import BlockHash

NOTHING = "·"


@dataclass(frozen=True, slots=True)
class Move:
    """One step: who, what, for which block (by its letter), in which slot (from 1); then what lies in
    the slots (a letter for each rank, ``·`` for nothing) and where the index leads."""

    card: str
    act: Act
    order: str
    slot: int | None
    contents: tuple[str, ...]
    table: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """``first``: chains that are in the store when the cards begin. ``cards``: the chains each asks for.
    A chain is written by its blocks' letters; a letter stands for one block and all before it. ``dies``:
    card -> after how many of its own steps it is killed. ``twice``: who says its unpin twice."""

    fault: str
    first: tuple[str, ...]
    cards: Mapping[str, tuple[str, ...]]
    order: str
    capacity: int = 2
    ranks: int = 1
    lease: float = 1000.0
    dies: Mapping[str, int] = field(default_factory=dict)
    twice: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run, what became of each card's requests, and what the store held at the end."""

    moves: tuple[Move, ...]
    outcomes: Mapping[str, tuple[Outcome, ...]]
    audit: Audit

    def total(self, name: str) -> int:
        """A count of ``Outcome`` over all cards."""
        return sum(int(getattr(one, name)) for ones in self.outcomes.values() for one in ones)


def _in_a_file(layout: Layout, clock: Clock) -> Parts:
    return SqliteParts(None, layout, clock=clock)


def record(plot: Plot, *, whole: bool, opened: Callable[[Layout, Clock], Parts] = _in_a_file) -> Recorded:
    """Play it with whole acts, or with the one act split that its fault is about. ``opened``: on which
    store; it is cleared first."""
    acts = Acts() if whole else replace(Acts(), **{plot.fault: False})
    moves: list[Move] = []
    layout = Layout(f"plot-{plot.fault}", plot.capacity, plot.ranks, plot.lease)
    parts = opened(layout, lambda: float(len(moves)))
    parts.clear()
    outcomes: dict[str, list[Outcome]] = {card: [] for card in plot.cards}
    try:
        for chain in plot.first:
            deque(visit(Store(parts, f"first-{chain}"), _keys(chain), payload), maxlen=0)
        ahead = {
            card: islice(_serve(Store(parts, card, acts), chains, card in plot.twice, outcomes[card]), die)
            for card, chains in plot.cards.items()
            for die in [plot.dies.get(card)]
        }
        for card, step in _played(ahead, plot.order):
            moves.append(_move(card, step, parts, plot.ranks))
        done = {card: tuple(ones) for card, ones in outcomes.items()}
        return Recorded(tuple(moves), done, audit(parts.snapshot(), plot.lease + 1))
    finally:
        parts.close()


def payload(key: BlockHash, rank: int) -> bytes:
    """What a model would have computed: bytes that follow from block and rank."""
    return bytes([rank]) + key


def _serve(
    store: Store, chains: Sequence[str], twice: bool, outcomes: list[Outcome]
) -> Generator[Step, None, None]:
    for chain in chains:
        outcomes.append((yield from visit(store, _keys(chain), payload, twice)))


def _played(ahead: Mapping[str, Iterator[Step]], order: str) -> Iterator[tuple[str, Step]]:
    """The order, then everybody in turn until all are done."""
    left = dict(ahead)
    turns = chain_of(order, cycle(ahead))
    while left:
        card = next(turns)
        if card in left:
            if (step := next(left[card], None)) is None:
                del left[card]
            else:
                yield card, step


def _move(card: str, step: Step, parts: Parts, ranks: int) -> Move:
    now = parts.snapshot()
    lying = [
        "".join(_letter(key_of(now.memory.get((slot + 1, rank)))) for rank in range(ranks))
        for slot in range(parts.layout.capacity)
    ]
    table = tuple(sorted((_letter(key), slot) for key, slot in now.index.items()))
    return Move(card, step.act, _letter(step.key), step.slot, tuple(lying), table)


def _keys(chain: str) -> list[BlockHash]:
    return [letter.encode() * 16 for letter in chain]


def _letter(key: BlockHash | None) -> str:
    return NOTHING if key is None else key[:1].decode()


PLOTS: Mapping[str, Plot] = MappingProxyType(
    {
        plot.fault: plot
        for plot in (
            Plot("put_once", (), {"A": ("a",), "B": ("a",)}, "AABBAB"),
            Plot("pin_with_look_up", ("a", "b"), {"A": ("a",), "B": ("c",)}, "ABBBBBA"),
            Plot("shards_together", ("z",), {"A": ("a",), "B": ("a",)}, "AAAABBB", capacity=1, ranks=2),
            Plot("unpin_once", ("a",), {"A": ("a", "c"), "B": ("a",)}, "BAAAAAAAAB", 1, twice="A"),
            Plot("unlink_first", ("a",), {"A": ("b",), "B": ("a",)}, "AAABB", capacity=1),
            Plot("leases", ("a",), {"A": ("a",), "B": ("b", "b", "b")}, "AB", 1, lease=3.0, dies={"A": 1}),
            Plot("fenced", (), {"A": ("a",), "B": ("b", "b")}, "AABBBBAABB", capacity=1, lease=1.0),
        )
    }
)
"""Fault (a switch of ``Acts``) -> the run that shows it."""
