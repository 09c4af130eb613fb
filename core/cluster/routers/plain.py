"""Policies that look at no content: in turn, at random, the less loaded one.

Sources (read): round robin of vllm production-stack ``routing_logic.py`` (URLs sorted, one counter for each
set of endpoints, a set seen for the first time begins at 0; the SGLang router cycles a fixed order
instead); power of two of SMG, the successor of SGLang's gateway (reported KV usage if both report, else
load; a tie goes to the first drawn); least request of AIBrix (uniform among equals); vLLM's own balancer
between data-parallel ranks (document: 4 x waiting + running)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core.cluster.router import Ask, Choice, Router, Score, Worker, healthy, loads, pick


class RoundRobin(Router):
    """In turn, by name."""

    name: ClassVar[str] = "round_robin"

    def __init__(self) -> None:
        self._next: dict[tuple[str, ...], int] = {}

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """The next in the order of names, of those that are there now."""
        order = sorted(healthy(workers), key=lambda place: workers[place].name)
        names = tuple(workers[place].name for place in order)
        turn = self._next.get(names, 0)
        self._next[names] = turn + 1
        return Choice(order[turn % len(order)], loads(workers), "turn")


class Random(Router):
    """Each as likely."""

    name: ClassVar[str] = "random"

    def __init__(self, seed: int = 0) -> None:
        self._dice = np.random.default_rng([seed, 11])

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Any healthy one."""
        return Choice(pick(self._dice, healthy(workers)), loads(workers), "dice")


class PowerOfTwo(Router):
    """The better of two."""

    name: ClassVar[str] = "power_of_two"
    lowest_wins: ClassVar[bool] = True

    def __init__(self, seed: int = 0, *, by_usage: bool = True) -> None:
        self._dice = np.random.default_rng([seed, 12])
        self._by_usage = by_usage

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Draw two different ones, take the better."""
        among = healthy(workers)
        if len(among) == 1:
            return Choice(among[0], loads(workers), "only_one")
        first, second = (among[int(at)] for at in self._dice.choice(len(among), 2, replace=False))
        return Choice(self.better(first, second, workers), loads(workers), "two_drawn")

    def better(self, first: int, second: int, workers: Sequence[Worker]) -> int:
        """Of two drawn in this order; equal: the first."""
        one, other = workers[first], workers[second]
        if self._by_usage and one.kv_usage is not None and other.kv_usage is not None:
            return second if other.kv_usage < one.kv_usage else first
        return second if other.load < one.load else first


class LeastRequest(Router):
    """The fewest requests in flight."""

    name: ClassVar[str] = "least_request"
    lowest_wins: ClassVar[bool] = True

    def __init__(self, seed: int = 0) -> None:
        self._dice = np.random.default_rng([seed, 13])

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Least load, any of equals."""
        return Choice(least_loaded(workers, healthy(workers), self._dice), loads(workers), "least_load")


class LeastQueued(Router):
    """vLLM between its own ranks."""

    name: ClassVar[str] = "vllm_ranks"
    lowest_wins: ClassVar[bool] = True

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Least 4 x waiting + running, the first of equals (which one vLLM takes is not known here)."""
        scores = tuple(Score(4 * one.waiting + one.running if one.healthy else None) for one in workers)
        best = min(healthy(workers), key=lambda place: scores[place].value or 0)
        return Choice(best, scores, "least_queue")


def least_loaded(workers: Sequence[Worker], among: Sequence[int], dice: np.random.Generator) -> int:
    """Any of those with the least load."""
    least = min(workers[place].load for place in among)
    return pick(dice, [place for place in among if workers[place].load == least])
