"""A consistent-hash ring: each worker stands at many places of a circle, a key belongs to the next one
clockwise."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from xxhash import xxh3_64_intdigest

from core.cluster.router import Worker
from core.texts import text_bytes


class Ring:
    """``num_places`` places a worker. Which key goes where depends on the hash, which is ours; that a worker
    which leaves only moves its own keys does not."""

    def __init__(self, num_places: int = 150) -> None:
        self._num_places = num_places
        self._names: tuple[str, ...] = ()
        self._places: list[tuple[int, int]] = []

    def first_healthy(self, key: bytes, workers: Sequence[Worker]) -> int:
        """The next healthy worker clockwise."""
        names = tuple(worker.name for worker in workers)
        if names != self._names:
            self._names = names
            self._places = sorted(
                (xxh3_64_intdigest(text_bytes(f"{name}#{at}")), place)
                for place, name in enumerate(names)
                for at in range(self._num_places)
            )
        start = bisect_left(self._places, (xxh3_64_intdigest(key), -1))
        around = self._places[start:] + self._places[:start]
        return next(place for _, place in around if workers[place].healthy)
