"""Who sends the requests: an open stream that waits for nobody. Clients who wait: clients.py.

Seeded; the same spec gives the same requests.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from core.load.arrivals import Arrivals
from core.load.prompts import Arrival, Library, Segment, Session, Writer
from core.load.spec import Burst, Kind, LoadSpec


class Stream(Protocol):
    """What a server takes its requests from. ``num_announced``: bursts announced while the stream ran."""

    num_announced: int

    @property
    def ended(self) -> bool:
        """Whether every request has been taken."""

    @property
    def prefixes(self) -> list[Segment]:
        """The popular texts; an arrival's ``prefix`` is an index here."""

    def next_s(self) -> float | None:
        """When the next request comes; None: after the last, or while everybody waits for an answer."""

    def take(self) -> Arrival:
        """The next request."""

    def answered(self, arrival: Arrival, at_s: float) -> None:
        """A request has its last token."""

    def burst(self, burst: Burst) -> None:
        """Announce a burst that lies ahead."""

    def by_number(self) -> Iterator[Arrival]:
        """Of a fresh stream all requests by number: what they are made of, not when they come."""


class RequestStream:
    """Requests in order of arrival. Each arrival of a chat or an agent continues the session that has waited
    longest since it was due, or opens a new one; so arrivals stay Poisson and nothing depends on how fast
    answers come."""

    def __init__(self, spec: LoadSpec, max_tokens: int) -> None:
        self._spec = spec
        self._times = Arrivals(spec.seed, spec.rate, spec.bursts)
        dice = np.random.default_rng([spec.seed, 2])
        self._library = Library(spec, max_tokens, dice)
        self._writer = Writer(self._library, dice, self._library.num_ids)
        self._sessions: dict[Kind, list[tuple[float, int, Session]]] = {"chat": [], "agent": []}
        self._num_sessions = 0
        self._next_s: float | None = None
        self.num_made = 0
        self.num_announced = 0

    @property
    def ended(self) -> bool:
        """Whether every request has been taken."""
        return self.num_made >= self._spec.num_requests

    @property
    def prefixes(self) -> list[Segment]:
        """The popular texts."""
        return self._library.prefixes

    def next_s(self) -> float | None:
        """When the next request comes; None after the last."""
        if self._next_s is None and not self.ended:
            self._next_s = self._times.next()
        return self._next_s

    def take(self) -> Arrival:
        """The next request."""
        at_s = self.next_s()
        assert at_s is not None, "the stream has ended"
        self._next_s = None
        arrival = self._make(at_s)
        self.num_made += 1
        return arrival

    def answered(self, arrival: Arrival, at_s: float) -> None:
        """Nobody waits for it."""

    def burst(self, burst: Burst) -> None:
        """Announce a burst that begins after ``next_s``."""
        self._times.add(burst)
        self.num_announced += 1

    def by_number(self) -> Iterator[Arrival]:
        """All requests."""
        while not self.ended:
            yield self.take()

    def _make(self, at_s: float) -> Arrival:
        writer, kind = self._writer, self._writer.kind()
        if kind not in self._sessions:
            return writer.single(self.num_made, at_s, kind)
        sessions = self._sessions[kind]
        if sessions and sessions[0][0] <= at_s:
            session = heapq.heappop(sessions)[2]
        else:
            session = writer.begin(self._num_sessions, kind)
            self._num_sessions += 1
        arrival = writer.turn(self.num_made, at_s, session)
        if session.turns_left > 0:
            heapq.heappush(sessions, (at_s + writer.pause_s(session), session.number, session))
        return arrival
