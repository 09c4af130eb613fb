"""Card: one worker of the cluster, which is ``core.load``'s server with a feed of its own and a listener."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from core.cost import StepWork, TimeModel
from core.engine.events import RequestAdmitted
from core.engine.kv_events import KVEvent
from core.load.prompts import Arrival, Segment
from core.load.server import Server
from core.load.spec import Burst
from core.types import EngineConfig


class Feed:
    """A stream of what the router has sent here so far; more may come."""

    num_announced = 0
    ended = False

    def __init__(self) -> None:
        self.line: deque[Arrival] = deque()

    @property
    def prefixes(self) -> list[Segment]:
        """The router knows of no popular texts."""
        return []

    def next_s(self) -> float | None:
        """When the next one came that has not been taken in."""
        return self.line[0].at_s if self.line else None

    def take(self) -> Arrival:
        """The next request."""
        return self.line.popleft()

    def answered(self, arrival: Arrival, at_s: float) -> None:
        """Nobody waits for it."""

    def burst(self, burst: Burst) -> None:
        """Who sends is the router's matter."""

    def by_number(self) -> Iterator[Arrival]:
        """What lies here."""
        return iter(self.line)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that whoever stands outside learns at a moment, modelled seconds."""

    at_s: float
    card: int
    kind: Literal["first", "finished", "kv"]
    number: int = -1
    event: KVEvent | None = None


class Card:
    """The server and what it tells. ``notify`` gets notices in order of this card's time; what a step does is
    known when the step ends, KV events too, for they leave with its batch (rule 52)."""

    def __init__(
        self, place: int, config: EngineConfig, time_model: TimeModel, notify: Callable[[Notice], None],
        admitted: Callable[[int, int, float, RequestAdmitted], None], *, tell_kv: bool
    ) -> None:  # fmt: skip
        self.place = place
        self.feed = Feed()
        self.server = Server(config, time_model, self.feed)
        self.server.listener = self
        self.alive = True
        self.busy_s = 0.0
        self.computed = 0  # tokens, decoded ones included
        self._notify = notify
        self._admitted = admitted
        self._kv: list[KVEvent] = []
        if tell_kv:
            self.server.engine.publish(self._kv.append)

    def next_start_s(self) -> float:
        """When the next step would begin, inf if there is nothing to do."""
        if not self.alive:
            return math.inf
        if self.server.num_inside:
            return self.server.now_s
        ahead = self.feed.next_s()
        return math.inf if ahead is None else max(self.server.now_s, ahead)

    def run_before(self, horizon_s: float) -> None:
        """Take every step that begins before a moment: who comes at that moment may be in the next one."""
        while self.next_start_s() < horizon_s:
            self.server.turn()

    def kv_usage(self) -> float:
        """Share of the usable blocks that requests hold."""
        engine = self.server.engine
        return 1 - engine.view.num_free / engine.config.num_usable

    # -- as a listener ----------------------------------------------------------------------------------

    def submitted(self, arrival: Arrival, turn: int) -> None:
        """A request reaches the engine."""

    def admitted(self, number: int, at_s: float, event: RequestAdmitted) -> None:
        """The scheduler lets a request in."""
        self._admitted(self.place, number, at_s, event)

    def answered(self, number: int, at_s: float) -> None:
        """A request has its first token."""
        self._notify(Notice(at_s, self.place, "first", number))

    def finished(self, number: int, at_s: float) -> None:
        """A request has its last token."""
        self._notify(Notice(at_s, self.place, "finished", number))

    def stepped(self, start_s: float, end_s: float, work: StepWork, server: Server) -> None:
        """A step is over."""
        self.busy_s += end_s - start_s
        self.computed += work.num_tokens
        for event in self._kv:
            self._notify(Notice(end_s, self.place, "kv", event=event))
        self._kv.clear()
