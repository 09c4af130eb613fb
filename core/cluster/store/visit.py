"""One request on a shared store, step by step: look up, read, compute what is missing, put it, unpin."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.cluster.store.base import Finished
from core.cluster.store.frame import Verdict
from core.cluster.store.store import Hold, Steps, Store, T, Ticket
from core.types import BlockHash

Act = Literal[
    "look",
    "absent",
    "pin",
    "read",
    "stale",
    "unpin",
    "unpin_again",
    "expired",
    "choose",
    "present",
    "pending",
    "orphan",
    "full",
    "write",
    "late",
    "waiting",
    "visible",
    "replaced",
    "lost",
]
Payload = Callable[[BlockHash, int], bytes]
"""(key, rank) -> the shard's bytes: what a model would compute."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was just done, on which block, in which slot."""

    act: Act
    key: BlockHash | None = None
    slot: int | None = None
    rank: int | None = None


Visit = Generator[Step, None, "Outcome"]


@dataclass(slots=True)
class Outcome:
    """Blocks of one request. ``read``: taken from the store and right. Found by verifying, and then computed:
    ``stale`` (all of another block, or gone), ``torn`` (some ranks' shards right, others not), ``expired``
    (wrong after the own lease had ended, which is legal). ``wrong``: delivered as right and not so."""

    asked: int = 0
    read: int = 0
    stale: int = 0
    torn: int = 0
    expired: int = 0
    wrong: int = 0
    put: int = 0
    replaced: int = 0
    """Another slot had the same key: a lost update."""
    late: int = 0
    """Writes refused, because the claim was no longer ours."""


def visit(store: Store, keys: Sequence[BlockHash], payload: Payload, retry_unpin: bool = False) -> Visit:
    """``retry_unpin``: the answer to the first unpin got lost, so it is said again."""
    outcome = Outcome(asked=len(keys))
    hold = yield from _split(store.look_up(keys), Step("look"))
    yield Step("pin" if hold.slots else "absent", keys[0], hold.slots[0] if hold.slots else None)
    verdicts: list[tuple[Verdict, ...]] = []
    for place in range(len(hold.slots)):
        verdicts.append((yield from _read(store, hold, place, payload, outcome)))
    if hold.slots:
        yield from _put_missing(store, keys, len(hold.slots), payload, outcome)
        held = store.unpin(hold)
        yield Step("unpin" if held or not store.acts.unpin_once else "expired", keys[0], hold.slots[0])
        if retry_unpin:
            store.unpin(hold)
            yield Step("unpin_again", keys[0], hold.slots[0])
    else:
        held = True
        yield from _put_missing(store, keys, 0, payload, outcome)
    # Where any pin is as good as one's own, a missing one does not say that the own lease had ended.
    _judge(outcome, verdicts, held or not store.acts.unpin_once)
    return outcome


def _read(
    store: Store, hold: Hold, place: int, payload: Payload, outcome: Outcome
) -> Generator[Step, None, tuple[Verdict, ...]]:
    """All ranks' shards of one block."""
    key, slot = hold.keys[place], hold.slots[place]
    verdicts: list[Verdict] = []
    for rank in range(store.ranks):
        verdict, data = store.read(hold, place, rank)
        verdicts.append(verdict)
        outcome.wrong += verdict == "right" and data != payload(key, rank)
        yield Step("read" if verdict == "right" else "stale", key, slot, rank)
    return tuple(verdicts)


def _put_missing(
    store: Store, keys: Sequence[BlockHash], first: int, payload: Payload, outcome: Outcome
) -> Generator[Step, None, None]:
    for place in range(first, len(keys)):
        parent = keys[place - 1] if place else None
        ticket = yield from _split(store.claim(keys[place], parent), Step("absent", keys[place]))
        if not isinstance(ticket, Ticket):
            yield Step(ticket if ticket != "claimed" else "choose", keys[place])
            if ticket == "present":
                continue
            return
        yield Step("choose", ticket.key, ticket.slot)
        if not (yield from _put(store, ticket, payload, outcome)):
            return


def _put(store: Store, ticket: Ticket, payload: Payload, outcome: Outcome) -> Generator[Step, None, bool]:
    finished: Finished = "waiting"
    for rank in range(store.ranks):
        if not store.write(ticket, rank, payload(ticket.key, rank)):
            outcome.late += 1
            yield Step("late", ticket.key, ticket.slot, rank)
            return False
        yield Step("write", ticket.key, ticket.slot, rank)
        finished = store.finish(ticket, rank)
        outcome.replaced += finished == "replaced"
        yield Step(finished, ticket.key, ticket.slot, rank)
        if finished == "lost":
            return False
    outcome.put += 1
    return True


def _split(steps: Steps[T], step: Step) -> Generator[Step, None, T]:
    """An act of the store; in each of its gaps ``step`` is told."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            value: T = stop.value
            return value
        yield step


def _judge(outcome: Outcome, verdicts: Sequence[tuple[Verdict, ...]], held: bool) -> None:
    for shards in verdicts:
        if all(verdict == "right" for verdict in shards):
            outcome.read += 1
        elif not held:
            outcome.expired += 1
        elif "right" in shards:
            outcome.torn += 1
        else:
            outcome.stale += 1
