"""Policies that keep like with like and know nothing of caches.

Sources (read, SMG = successor of SGLang's gateway): ``consistent_hashing``: 150 places a worker, clockwise
to the first healthy one, by a routing key, at random without one; ``prefix_hash``: the first 256 tokens on
that ring, unless its worker has more than 1.25 x (total + 1) / N requests: then the least loaded that
passes the test, and if none does the ring's; ``manual``: a sticky map from key to worker, forgotten after
four idle hours, new keys to the least loaded one. The production-stack's ``session`` router is such a ring
too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core.cluster.ring import Ring
from core.cluster.router import Ask, Choice, Router, Worker, healthy, loads, pick
from core.cluster.routers.plain import least_loaded
from core.texts import text_bytes

PREFIX_TOKENS = 256
LOAD_FACTOR = 1.25
FORGET_AFTER_S = 4 * 3600.0


class SessionRing(Router):
    """The session's place on the ring."""

    name: ClassVar[str] = "session_ring"

    def __init__(self, seed: int = 0) -> None:
        self._ring = Ring()
        self._dice = np.random.default_rng([seed, 21])

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Clockwise from the session's key; at random without one."""
        if ask.session is None:
            return Choice(pick(self._dice, healthy(workers)), loads(workers), "no_key")
        return Choice(self._ring.first_healthy(text_bytes(ask.session), workers), loads(workers), "ring")


class PrefixHash(Router):
    """The prompt's beginning on the ring, loads bounded."""

    name: ClassVar[str] = "prefix_hash"

    def __init__(self) -> None:
        self._ring = Ring()

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """The ring's worker, or, if that one has too much, another."""
        key = np.ascontiguousarray(ask.tokens[:PREFIX_TOKENS], "<u4").tobytes()
        worker, why = bounded(self._ring.first_healthy(key, workers), workers)
        return Choice(worker, loads(workers), why)


def bounded(ring: int, workers: Sequence[Worker]) -> tuple[int, str]:
    """Whom the bound on loads leaves the request to."""
    among = healthy(workers)
    limit = LOAD_FACTOR * (sum(workers[place].load for place in among) + 1) / len(among)
    if workers[ring].load <= limit:
        return ring, "ring"
    fitting = [place for place in among if workers[place].load <= limit]
    if not fitting:
        return ring, "ring_overloaded"
    return min(fitting, key=lambda place: workers[place].load), "bounded"


class Sticky(Router):
    """A session stays where it began."""

    name: ClassVar[str] = "sticky"

    def __init__(self, seed: int = 0) -> None:
        self._dice = np.random.default_rng([seed, 22])
        self._map: dict[str, tuple[int, float]] = {}

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """The map's worker; for new keys the least loaded."""
        known, at_s = self._map.get(ask.session or "", (-1, 0.0))
        sticks = known >= 0 and workers[known].healthy and ask.at_s - at_s <= FORGET_AFTER_S
        worker = known if sticks else least_loaded(workers, healthy(workers), self._dice)
        if ask.session is not None:
            self._map[ask.session] = (worker, ask.at_s)
        return Choice(worker, loads(workers), "sticks" if sticks else "new_key")
