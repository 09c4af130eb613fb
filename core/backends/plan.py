"""Plan: what the engine decided for one forward pass, as one frozen value. Read side: events in, plans out.

A plan is complete in itself: run the plans of a log one after another and the K/V of every block is right.
The order is the order of scheduling. A block that an earlier plan of the same step fills may be a hit for a
later one, because content is stored when it is scheduled, not when it is computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.engine.events import (
    BlockAllocated,
    BlockComputed,
    BlockEvicted,
    BlockNotStored,
    BlockStored,
    BlockTouched,
    Event,
    RequestAdmitted,
    RequestArrived,
    RequestFinished,
    RequestPreempted,
    RequestRefused,
    RequestScheduled,
    TokensAppended,
)
from core.types import BlockId, RequestId

_INSIDE = (BlockTouched, BlockEvicted, BlockAllocated, BlockStored, BlockNotStored)


@dataclass(frozen=True, slots=True)
class Plan:
    """Compute ``token_ids[num_cached:]``; the K/V of all tokens before stand in the table's blocks already.

    ``token_ids`` ends with the last token to compute (a chunk of a prompt ends before the prompt does).
    ``evicted`` are the blocks whose old content made room.
    """

    request_id: RequestId
    token_ids: tuple[int, ...]
    block_table: tuple[BlockId, ...]
    num_cached: int
    evicted: tuple[BlockId, ...] = ()

    @property
    def num_new(self) -> int:
        """Tokens to compute."""
        return len(self.token_ids) - self.num_cached


@dataclass(frozen=True, slots=True)
class PlacedPlan:
    """A plan and the index of the event that tells of its first computed block (None: it was withdrawn by
    a preemption in the same step, and nobody is told of it)."""

    plan: Plan
    position: int | None


class PlanReader:
    """Turns events into plans; give it to an engine as its ``emit`` and ``take()`` after each command.

    >>> from core.engine.engine import Engine
    >>> from core.types import EngineConfig, Request
    >>> reader = PlanReader()
    >>> engine = Engine(EngineConfig(block_size=2, num_blocks=8), reader)
    >>> engine.start(Request("a", (1, 2, 3))).ok and engine.start(Request("b", (1, 2, 4))).ok
    True
    >>> [(plan.block_table, plan.num_cached, plan.token_ids) for plan in reader.take()]
    [((1, 2), 0, (1, 2, 3)), ((1, 3), 2, (1, 2, 4))]
    """

    def __init__(self) -> None:
        self._tokens: dict[RequestId, list[int]] = {}
        self._tables: dict[RequestId, list[BlockId]] = {}
        self._open: tuple[RequestId, int, int] | None = None  # request, tokens before, tokens after
        self._evicted: list[BlockId] = []
        self._plans: list[Plan] = []

    def __call__(self, event: Event) -> None:
        """Take in one event, in the order of happening; block events are needed."""
        if not isinstance(event, _INSIDE):
            self._close()
        match event:
            case RequestArrived(request_id, token_ids):
                self._tokens[request_id] = list(token_ids)
                self._tables[request_id] = []
            case TokensAppended(request_id, token_ids):
                self._tokens[request_id].extend(token_ids)
            case RequestAdmitted(request_id=request_id, hit_tokens=hit, num_computed=after):
                self._tables[request_id] = []
                self._open = (request_id, hit, after)
            case RequestScheduled(request_id, count, after) if count > 0:
                self._open = (request_id, after - count, after)
            case BlockTouched(request_id, _, block_id) | BlockAllocated(request_id, _, block_id):
                self._tables[request_id].append(block_id)
            case BlockEvicted(block_id=block_id):
                self._evicted.append(block_id)
            case RequestPreempted(request_id):
                self._tables[request_id] = []
            case RequestFinished(request_id) | RequestRefused(request_id):
                del self._tokens[request_id], self._tables[request_id]

    def take(self) -> list[Plan]:
        """The plans since the last call. Between commands: the engine has told all of the last one."""
        self._close()
        return self.closed()

    def closed(self) -> list[Plan]:
        """As ``take``, in the middle of a command: a plan that is still being told stays for later."""
        plans, self._plans = self._plans, []
        return plans

    def _close(self) -> None:
        """The engine has told everything about the open plan: blocks stand in its table."""
        if self._open is not None:
            request_id, before, after = self._open
            tokens, table = self._tokens[request_id], self._tables[request_id]
            evicted = tuple(self._evicted)
            self._plans.append(Plan(request_id, tuple(tokens[:after]), tuple(table), before, evicted))
        self._open = None
        self._evicted = []


def plans_in(events: Iterable[Event]) -> list[PlacedPlan]:
    """All plans of a log made with block events, each with the place where its computing is told."""
    reader = PlanReader()
    placed: list[PlacedPlan] = []
    untold: dict[RequestId, int] = {}  # request -> its newest plan
    for position, event in enumerate(events):
        reader(event)
        for plan in reader.closed():
            untold[plan.request_id] = len(placed)
            placed.append(PlacedPlan(plan, None))
        if isinstance(event, BlockComputed) and event.request_id in untold:
            index = untold.pop(event.request_id)
            placed[index] = PlacedPlan(placed[index].plan, position)
    return placed
