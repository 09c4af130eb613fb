"""Ray Serve's ``PrefixCacheAffinityRouter`` (ray 2.60.0 read, its tree run).

Queue lengths further apart than ``imbalanced`` (by default infinite: never) -> power of two. Else a
character tree: less than 10 % matched -> all replicas with the fewest characters, else all owners of the
node reached; of those the one with the shorter queue. The prompt is inserted when it has been sent.
Eviction is off by default, and not modelled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core.cluster.radix import RadixTree
from core.cluster.router import Ask, Choice, Router, Score, Units, Worker, healthy
from core.cluster.routers.plain import PowerOfTwo, least_loaded

LEAST_MATCH = 0.1


class RayPrefix(Router):
    """Owners of the longest match."""

    name: ClassVar[str] = "ray"

    def __init__(self, seed: int = 0, *, imbalanced: float = math.inf) -> None:
        self.tree = RadixTree()
        self._imbalanced = imbalanced
        self._two = PowerOfTwo(seed, by_usage=False)
        self._dice = np.random.default_rng([seed, 61])

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Candidates, the shorter queue among them, then into the tree."""
        among, units = healthy(workers), ask.units
        queues = [workers[place].load for place in among]
        reach = self.tree.reach(units)
        scores = tuple(
            Score(
                reach.get(place, 0) / len(units) if one.healthy else None,
                reach.get(place, 0) * ask.num_tokens // len(units),
            )
            for place, one in enumerate(workers)
        )
        if max(queues) - min(queues) > self._imbalanced:
            worker, why = self._two.choose(ask, workers).worker, "imbalanced"
        else:
            matched, found = self.candidates(units, among)
            worker = least_loaded(workers, found, self._dice)
            why = "smallest" if matched / len(units) < LEAST_MATCH else "matched"
        self.tree.insert(units, worker)
        return Choice(worker, scores, why)

    def candidates(self, units: Units, among: Sequence[int]) -> tuple[int, list[int]]:
        """Units matched, and who comes into question."""
        matched, node = self.tree.match(units)
        owners = [place for place in among if place in node.owners]
        if matched / len(units) >= LEAST_MATCH and owners:
            return matched, owners
        least = min(self.tree.size.get(place, 0) for place in among)
        return matched, [place for place in among if self.tree.size.get(place, 0) == least]

    def believed_total(self, worker: int) -> int:
        """What lies in the tree for it."""
        return self.tree.size.get(worker, 0)

    def removed(self, worker: int, at_s: float) -> None:
        """Its nodes go."""
        self.tree.forget(worker)
