"""SGLang's ``cache_aware`` (SMG ``cache_aware.rs`` and ``string_tree.rs`` read, sglang-router 0.3.2 run).

1. Imbalanced if max - min > abs and max > rel x min, both strict: then the least load. Of equals SMG takes
   the one that has served fewer requests, the older router (SGR) the first. The prompt goes into the tree
   for it too.
2. Else one radix tree over characters: if matched / length > threshold (strict), the worker of the deepest
   node reached, which is the node's first as long as it still owns it; else as in 1.
3. Size counts characters a worker. At each interval those above the maximum lose leaves, least recently
   used first, so a parent never goes before its child. A match stamps its node at every 8th tick only, an
   insertion only the last node of its path.

Without a text token ids stand for characters (``chars_per_unit`` each).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.cluster.radix import Node, RadixTree
from core.cluster.router import Ask, Choice, Router, Score, Worker, healthy


@dataclass(frozen=True, slots=True)
class Settings:
    """Shares, loads, characters, seconds."""

    threshold: float = 0.3
    abs: int = 64
    rel: float = 1.5
    max_chars: int = 2**26
    interval_s: float = 60.0


SGR = Settings()
"""The command line of sglang-router 0.3.2."""
SMG = Settings(interval_s=120.0)
"""The command line of its successor."""
STRUCT = Settings(0.5, 32, 1.1, 10_000, 30.0)
"""What the Rust structure holds if nobody says anything."""


class CacheAware(Router):
    """``first_of_equals``: the older tie rule."""

    name: ClassVar[str] = "sglang"

    def __init__(
        self, settings: Settings = SMG, *, first_of_equals: bool = False, chars_per_unit: int = 1
    ) -> None:
        self.settings = settings
        self.tree = RadixTree()
        self._first_of_equals = first_of_equals
        self._chars = chars_per_unit
        self._ticks = 0
        self._next_eviction_s = settings.interval_s

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """The tree's worker, or the least loaded one."""
        if ask.at_s >= self._next_eviction_s:
            self._evict()
            every = self.settings.interval_s
            self._next_eviction_s = (ask.at_s // every + 1) * every
        among, units = healthy(workers), ask.units
        reach = self.tree.reach(units)
        scores = tuple(
            Score(
                reach.get(place, 0) / len(units) if one.healthy else None,
                _in_tokens(ask, reach.get(place, 0)),
            )
            for place, one in enumerate(workers)
        )
        if self._imbalanced([workers[place].load for place in among]):
            return self._send(ask, self._least(workers, among), scores, "imbalanced")
        matched, node = self.tree.match(units)
        if not matched / len(units) > self.settings.threshold:
            return self._send(ask, self._least(workers, among), scores, "below_threshold")
        worker = self._tenant(node)
        if worker is None or not workers[worker].healthy:
            return Choice(among[0], scores, "matched_is_dead")  # and nothing is written down
        self._ticks += 1
        if self._ticks % 8 == 0:
            node.owners[worker] = self._ticks
        return self._send(ask, worker, scores, "matched")

    def believed_total(self, worker: int) -> int:
        """What lies in the tree for it."""
        return self.tree.size.get(worker, 0)

    def removed(self, worker: int, at_s: float) -> None:
        """Its nodes go."""
        self.tree.forget(worker)

    def _imbalanced(self, loads: Sequence[int]) -> bool:
        most, least = max(loads), min(loads)
        return most - least > self.settings.abs and most > self.settings.rel * least

    def _least(self, workers: Sequence[Worker], among: Sequence[int]) -> int:
        def rank(place: int) -> tuple[int, int]:
            return workers[place].load, 0 if self._first_of_equals else workers[place].processed

        return min(among, key=rank)

    def _tenant(self, node: Node) -> int | None:
        """Whom the node remembers; another owner, the first by place, if that one has lost it."""
        return node.first if node.first in node.owners else min(node.owners, default=None)

    def _send(self, ask: Ask, worker: int, scores: tuple[Score, ...], why: str) -> Choice:
        self._ticks += 1
        self.tree.insert(ask.units, worker)[-1].owners[worker] = self._ticks
        return Choice(worker, scores, why)

    def _evict(self) -> None:
        most = self.settings.max_chars // self._chars
        for worker in [one for one, size in self.tree.size.items() if size > most]:
            own = [node for node in self.tree.nodes() if worker in node.owners]
            leaves = [(n.owners[worker], at, n) for at, n in enumerate(own) if _is_leaf(n, worker)]
            heapq.heapify(leaves)
            while leaves and self.tree.size[worker] > most:
                _, at, node = heapq.heappop(leaves)
                self.tree.disown(node, worker)
                parent = node.parent
                if parent is not None and worker in parent.owners and _is_leaf(parent, worker):
                    heapq.heappush(leaves, (parent.owners[worker], -at - 1, parent))


def _is_leaf(node: Node, worker: int) -> bool:
    return not any(worker in child.owners for child in node.children.values())


def _in_tokens(ask: Ask, units: int) -> int:
    """Characters as a share of the prompt's tokens: a router of characters knows no tokens."""
    return units * ask.num_tokens // len(ask.units)
