"""Clients who wait: each sends a request, waits for its whole answer, pauses, sends the next.

What a client sends is decided by the seed, the client and how many requests it has sent, never by when: so
two servers of different speed answer the very same requests, at different moments. Request number n is the
(n div clients)-th of client n mod clients, and each has token ids of its own by that number.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from core.load.arrivals import spent
from core.load.prompts import Arrival, Library, Segment, Session, Writer
from core.load.spec import Burst, Kind, LoadSpec


@dataclass
class _Client:
    """One client: the chats and tasks it is in the middle of, and the pause behind its last request."""

    number: int
    num_sent: int = 0
    sessions: dict[Kind, Session] = field(default_factory=dict)
    since_s: float = 0.0  # when its pause began
    pause_s: float = 0.0


class ClientStream:
    """The requests of all clients in the order in which they come to one server."""

    def __init__(self, spec: LoadSpec, max_tokens: int) -> None:
        assert spec.clients is not None
        self._spec = spec
        self._num = spec.clients
        self._library = Library(spec, max_tokens, np.random.default_rng([spec.seed, 2]))
        self._bursts = list(spec.bursts)
        self._clients = [_Client(number) for number in range(min(self._num, spec.num_requests))]
        self._due: list[tuple[float, int]] = []  # who pauses, and until when
        self.num_made = 0
        self.num_announced = 0
        self._paused_s = 0.0  # pauses that are over
        for client in self._clients:
            dice = np.random.default_rng([spec.seed, 4, client.number])
            client.pause_s = float(dice.exponential(spec.think_s)) if spec.think_s else 0.0
            self._pause(client, 0.0)

    @property
    def ended(self) -> bool:
        """Whether every client has sent its last request."""
        return self.num_made >= self._spec.num_requests

    @property
    def prefixes(self) -> list[Segment]:
        """The popular texts."""
        return self._library.prefixes

    def next_s(self) -> float | None:
        """When the first of the pausing clients sends; None while nobody pauses."""
        return self._due[0][0] if self._due else None

    def take(self) -> Arrival:
        """The next request."""
        at_s, number = heapq.heappop(self._due)
        self.num_made += 1
        self._paused_s += at_s - self._clients[number].since_s
        return self._make(self._clients[number], at_s)

    def paused(self, now_s: float) -> tuple[float, int]:
        """For how long clients have paused up to now, those who still do included, and how many pauses are
        over. The one over the other is the mean pause, and not only of the short ones that are over first."""
        going_on = sum(min(now_s, until_s) - self._clients[number].since_s for until_s, number in self._due)
        return self._paused_s + going_on, self.num_made + sum(until_s <= now_s for until_s, _ in self._due)

    def answered(self, arrival: Arrival, at_s: float) -> None:
        """Its client begins to pause, unless that was its last request."""
        client = self._clients[arrival.number % self._num]
        if client.num_sent * self._num + client.number < self._spec.num_requests:
            self._pause(client, at_s)

    def burst(self, burst: Burst) -> None:
        """Announce a burst that begins after the server's present: pauses that reach into it get shorter."""
        self._bursts.append(burst)
        self.num_announced += 1
        waiting = [self._clients[number] for _, number in self._due]
        self._due.clear()
        for client in waiting:
            self._pause(client, client.since_s)

    def by_number(self) -> Iterator[Arrival]:
        """All requests, client after client."""
        for number in range(self._spec.num_requests):
            yield self._make(self._clients[number % self._num], 0.0)

    def _pause(self, client: _Client, since_s: float) -> None:
        client.since_s = since_s
        heapq.heappush(self._due, (spent(since_s, client.pause_s, 1.0, self._bursts), client.number))

    def _make(self, client: _Client, at_s: float) -> Arrival:
        spec, number = self._spec, client.num_sent * self._num + client.number
        dice = np.random.default_rng([spec.seed, 3, client.number, client.num_sent])
        writer = Writer(self._library, dice, self._library.num_ids + number * spec.longest_new)
        client.num_sent += 1
        kind, session = writer.kind(), None
        if kind in ("chat", "agent"):
            session = client.sessions.pop(kind, None) or writer.begin(number, kind)
            arrival = writer.turn(number, at_s, session)
            if session.turns_left > 0:
                client.sessions[kind] = session
        else:
            arrival = writer.single(number, at_s, kind)
        client.pause_s = writer.pause_s(session)
        return arrival
