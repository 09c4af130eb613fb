"""A second, plain account of a load run: everything both engines told, with the modelled time of each
step, and numbers computed from that alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.cost import StepWork
from core.engine.events import (
    BlockAllocated,
    BlockComputed,
    BlockEvicted,
    BlockReleased,
    BlockStored,
    BlockTouched,
    Event,
    RequestAdmitted,
    RequestFinished,
    TokensAppended,
)
from core.load import Arrival, LoadRun
from core.load.server import Listener, Server


@dataclass
class Step:
    """One turn: when it began and ended, and what was told in it."""

    start_s: float
    end_s: float = 0.0
    events: list[Event] = field(default_factory=list)
    queue: int = 0


class Tape:
    """Records one server from its beginning, and hands everything on to the listener that was there."""

    def __init__(self, server: Server) -> None:
        assert server.num_turns == 0
        self.events: list[Event] = []
        self.steps: list[Step] = []
        self.arrived: list[Arrival] = []
        self._told = 0
        listener = server.listener
        assert listener is not None
        self._next: Listener = listener
        server.listener = self
        server.listen_to_blocks(self.events.append)

    def submitted(self, arrival: Arrival, turn: int) -> None:
        self.arrived.append(arrival)
        self._next.submitted(arrival, turn)

    def admitted(self, number: int, at_s: float, event: RequestAdmitted) -> None:
        self._next.admitted(number, at_s, event)

    def answered(self, number: int, at_s: float) -> None:
        self._next.answered(number, at_s)

    def finished(self, number: int, at_s: float) -> None:
        self._next.finished(number, at_s)

    def stepped(self, start_s: float, end_s: float, work: StepWork, server: Server) -> None:
        queue = len(server.door) + len(server.engine.view.waiting_ids())
        self.steps.append(Step(start_s, end_s, self.events[self._told :], queue))
        self._told = len(self.events)
        self._next.stepped(start_s, end_s, work, server)


def taped(run: LoadRun) -> tuple[Tape, Tape]:
    """Tapes of both servers; call it before the run begins."""
    return Tape(run.cached), Tape(run.plain)


def first_token_s(tape: Tape) -> dict[str, float]:
    """The end of the step in which each request got its first token."""
    found: dict[str, float] = {}
    for step in tape.steps:
        for event in step.events:
            if isinstance(event, TokensAppended):
                found.setdefault(event.request_id, step.end_s)
    return found


def finished_s(tape: Tape) -> dict[str, float]:
    """The end of the step in which each request finished."""
    return {
        event.request_id: step.end_s
        for step in tape.steps
        for event in step.events
        if isinstance(event, RequestFinished)
    }


def counted(tape: Tape, begin_s: float, end_s: float) -> tuple[int, int]:
    """(tokens looked up, hit tokens) of admissions in steps that began in (begin, end]."""
    queries = hits = 0
    for step in tape.steps:
        if begin_s < step.start_s <= end_s:
            for event in step.events:
                if isinstance(event, RequestAdmitted) and event.counted:
                    queries += event.num_tokens
                    hits += event.hit_tokens
    return queries, hits


def evicted(tape: Tape, causes: set[str], begin_s: float, end_s: float) -> int:
    """Blocks evicted for one of the causes in steps that began in (begin, end]."""
    return sum(
        isinstance(event, BlockEvicted) and event.cause in causes
        for step in tape.steps
        if begin_s < step.start_s <= end_s
        for event in step.events
    )


def quantile(values: list[float], share: float) -> float | None:
    """Of any values, between neighbours in proportion."""
    if not values:
        return None
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (place - low)


class Slots:
    """States of all blocks, by plain bookkeeping of block events."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.size = block_size
        self.ref = dict.fromkeys(range(1, num_blocks), 0)
        self.digest: dict[int, bytes | None] = dict.fromkeys(range(1, num_blocks))
        self.fill = dict.fromkeys(range(1, num_blocks), 0)

    def take(self, event: Event) -> None:
        match event:
            case BlockTouched():
                self.ref[event.block_id] = event.ref_count
            case BlockAllocated():
                self.ref[event.block_id], self.fill[event.block_id] = 1, 0
            case BlockStored():
                self.digest[event.block_id] = event.hash
            case BlockComputed():
                self.fill[event.block_id] = event.fill
            case BlockReleased():
                self.ref[event.block_id] = event.ref_count
            case BlockEvicted():
                self.digest[event.block_id] = None
                if self.ref[event.block_id] == 0:
                    self.fill[event.block_id] = 0

    def letters(self) -> str:
        return "".join(self._letter(block) for block in self.ref)

    def _letter(self, block: int) -> str:
        if self.ref[block]:
            return "u" if self.fill[block] else "r"
        if self.digest[block] is not None:
            return "c"
        fill = self.fill[block]
        return "e" if not fill else "p" if fill < self.size else "k"
