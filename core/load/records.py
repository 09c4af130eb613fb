"""One row per request, in arrays: 101 bytes each, 2 MB for 20,000 requests, whatever happens. Beside them,
for the server with the cache, each admission and who pushed out how many blocks when: some 100 more."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.load.ledger import Ledger
from core.load.prompts import Arrival
from core.load.spec import KINDS

Times = NDArray[np.float64]
Counts = NDArray[np.int32]


class Side:
    """What became of each request on one of the two servers. Times in modelled seconds; not yet: nan.

    ``hit`` are reused tokens (-1: not admitted yet), ``admitted_s`` and ``hit`` those of the admission that
    led to the first token, even if the request was sent again to a fresh engine later; ``turn`` counts the
    server's turns at submission, ``evicted`` are the cached blocks that had to go for what this request took
    or stored. With clients who wait for their answer, the same request comes to the two servers at different
    moments.
    """

    def __init__(self, size: int) -> None:
        self.arrival_s: Times = np.full(size, np.nan)
        self.turn: Counts = np.full(size, -1, np.int32)
        self.hit: Counts = np.full(size, -1, np.int32)
        self.evicted: Counts = np.zeros(size, np.int32)
        self.admitted_s: Times = np.full(size, np.nan)
        self.first_s: Times = np.full(size, np.nan)
        self.finished_s: Times = np.full(size, np.nan)

    @property
    def num_arrived(self) -> int:
        """Requests that have come to this server and have been taken in; more may stand at its door."""
        return int(np.count_nonzero(self.turn >= 0))

    def order(self) -> NDArray[np.int64]:
        """Numbers of the requests that have come to this server, in the order in which they came."""
        come = np.flatnonzero(self.turn >= 0)
        return come[np.lexsort((self.arrival_s[come], self.turn[come]))]


class Records:
    """All requests of a run, by number. ``reach``: one more than the highest number that either server has
    taken in. That is no count: clients who wait overtake one another, so lower ones may be missing."""

    def __init__(self, size: int) -> None:
        self.reach = 0
        self.kind: NDArray[np.int8] = np.full(size, -1, np.int8)
        self.prefix: Counts = np.full(size, -1, np.int32)
        self.num_prompt: Counts = np.zeros(size, np.int32)
        self.num_output: Counts = np.zeros(size, np.int32)
        self.cached = Side(size)
        self.plain = Side(size)
        self.admissions = Ledger("num_tokens", "hit")  # those that count for the hit rate
        self.pushed = Ledger("blocks")  # at most one row for a request in a bin of its time

    def arrived(self, side: Side, arrival: Arrival) -> None:
        """Both servers tell of each arrival; of what a request is, the second time nothing changes."""
        number = arrival.number
        self.reach = max(self.reach, number + 1)
        side.arrival_s[number] = arrival.at_s
        self.kind[number] = KINDS.index(arrival.kind)
        self.prefix[number] = arrival.prefix
        self.num_prompt[number] = arrival.num_prompt
        self.num_output[number] = arrival.output.length

    def ttft_s(self, side: Side) -> Times:
        """Time to first token of every request that has one, in order of arrival."""
        known = ~np.isnan(side.first_s[: self.reach])
        return side.first_s[: self.reach][known] - side.arrival_s[: self.reach][known]

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays."""
        own = [self.kind, self.prefix, self.num_prompt, self.num_output]
        sides = [array for side in (self.cached, self.plain) for array in vars(side).values()]
        ledgers = self.admissions.num_bytes + self.pushed.num_bytes
        return sum(int(array.nbytes) for array in (*own, *sides)) + ledgers


def by_bin(times: Times, values: Times, borders: Times) -> list[list[float]]:
    """The values whose time lies in each bin (border, next border], sorted."""
    order = np.argsort(times, kind="stable")
    cuts = np.searchsorted(times[order], borders, side="right").tolist()
    values = values[order]
    return [np.sort(values[low:high]).tolist() for low, high in pairwise(cuts)]
