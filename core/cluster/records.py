"""What became of each request on the cluster, in arrays: one row a request, one column a worker where
scores and beliefs of all candidates are kept. 17 bytes a request and candidate, some 70 a request."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.cluster.truth import DIFFERENCES, Difference

Floats = NDArray[np.float64]
Counts = NDArray[np.int32]


class Rows:
    """All requests by their place in the order of arrival. Modelled seconds, not yet: nan; tokens.

    ``available``: what an endless common cache could have given; ``hit``: what the worker's cache gave, at
    the admission that led to the first token (-1: not admitted yet). ``worker`` -1: not sent yet; of one
    that was sent again, because its worker died (``resent`` times), the last one. ``value`` (nan: no
    candidate), ``believed`` (-1: no idea), ``held`` and ``kind`` have a column a worker: what the router
    made of each candidate when it chose, what lay there in truth, and a place in ``truth.DIFFERENCES``."""

    def __init__(self, num_requests: int, num_workers: int) -> None:
        shape = (num_requests, num_workers)
        self.num = 0
        self.at_s: Floats = np.full(num_requests, np.nan)
        self.num_tokens: Counts = np.zeros(num_requests, np.int32)
        self.available: Counts = np.zeros(num_requests, np.int32)
        self.hit: Counts = np.full(num_requests, -1, np.int32)
        self.worker: Counts = np.full(num_requests, -1, np.int32)
        self.resent: Counts = np.zeros(num_requests, np.int32)
        self.admitted_s: Floats = np.full(num_requests, np.nan)
        self.first_s: Floats = np.full(num_requests, np.nan)
        self.finished_s: Floats = np.full(num_requests, np.nan)
        self.value: Floats = np.full(shape, np.nan)
        self.believed: Counts = np.full(shape, -1, np.int32)
        self.held: Counts = np.zeros(shape, np.int32)
        self.kind: NDArray[np.int8] = np.zeros(shape, np.int8)

    @property
    def ttft_s(self) -> Floats:
        """From arrival to first token, of every request."""
        return self.first_s[: self.num] - self.at_s[: self.num]

    @property
    def waited_s(self) -> Floats:
        """From arrival until the scheduler let it in, of every request."""
        return self.admitted_s[: self.num] - self.at_s[: self.num]

    def difference(self, row: int, worker: int) -> Difference:
        """How belief and truth differed for one candidate of one request."""
        return DIFFERENCES[int(self.kind[row, worker])]

    def lost(self) -> Counts:
        """Reusable tokens that each request did not get: the rows to look at are those with the most."""
        return np.asarray(self.available[: self.num] - np.maximum(self.hit[: self.num], 0), np.int32)
