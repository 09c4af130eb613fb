"""llm-d's scheduler, formerly the gateway API's endpoint picker (llm-d-router read).

Score = sum of weight x scorer, each from 0 to 1; the highest, any of equals. Built-in weights: queue 2, KV
use 2, prefix 3 (the samples of ``deploy/``: prefix 2, the others 1). queue = (most - q) / (most - least)
over the candidates, all 1 if they are equal: one request waiting against none is the full swing. KV use: 1
- usage. prefix: matched / all blocks.

*Approximate*: blocks of tokens, 16 configured or the engine's, but at least 64; at most 131,072 tokens; a
last shorter block counts too. One LRU a pod with as many entries as the engine reports blocks, else 31,250.
Entries come after the decision, head first, so

(a) an entry is 64 tokens where the capacity is counted in blocks of 16: four times the cache;
(b) the head is the oldest entry and goes first;
(c) matching ends at a block that *no* pod has, and credits every pod that has one: a pod without the head
    scores;
(d) of a request with more blocks than the LRU the first entries stay for ever: they left the LRU while it
    was written, and are put into the look-up table behind that.

(a) to (d) are inferred from the code, not seen running.

*Precise*: KV events, blocks from the head on without a gap; at most 10 pods are remembered for a block.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.cluster.chains import chained
from core.cluster.kv_index import KVIndex
from core.cluster.router import Ask, Choice, Mark, Router, Score, Worker, healthy, pick
from core.engine.kv_events import KVEvent

LEAST_BLOCK_TOKENS = 64
MOST_PROMPT_TOKENS = 131_072
DEFAULT_ENTRIES = 31_250
MOST_PODS_PER_BLOCK = 10


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the three scorers."""

    queue: float = 2.0
    kv_use: float = 2.0
    prefix: float = 3.0


SAMPLES = Weights(1.0, 1.0, 2.0)
"""What the samples in ``deploy/`` set."""


def weighed(
    workers: Sequence[Worker], prefix: Sequence[float], weights: Weights
) -> list[tuple[float, tuple[tuple[str, float], ...]] | None]:
    """Sum and summands for each healthy worker."""
    queues = [worker.waiting for worker in workers if worker.healthy]
    most, least = max(queues), min(queues)
    found: list[tuple[float, tuple[tuple[str, float], ...]] | None] = []
    for worker, share in zip(workers, prefix, strict=True):
        if not worker.healthy:
            found.append(None)
            continue
        queue = (most - worker.waiting) / (most - least) if most > least else 1.0
        parts = (
            ("queue", weights.queue * queue),
            ("kv_use", weights.kv_use * _from_0_to_1(1 - (worker.kv_usage or 0.0))),
            ("prefix", weights.prefix * _from_0_to_1(share)),
        )
        found.append((sum(value for _, value in parts), parts))
    return found


def _from_0_to_1(value: float) -> float:
    return min(max(value, 0.0), 1.0)


class _Weighing(Router):
    """The three scorers and the picker; where the blocks are known from is the kinds' matter."""

    def __init__(self, seed: int, weights: Weights) -> None:
        self._dice = np.random.default_rng([seed, 41])
        self._weights = weights

    def _choose(
        self,
        workers: Sequence[Worker],
        prefix: Sequence[float],
        believed: Sequence[int],
        marks: Sequence[Mark],
    ) -> Choice:
        sums = weighed(workers, prefix, self._weights)
        scores = tuple(
            Score(None, tokens, mark) if one is None else Score(one[0], tokens, mark, one[1])
            for one, tokens, mark in zip(sums, believed, marks, strict=True)
        )
        best = max(one[0] for one in sums if one is not None)
        among = [place for place in healthy(workers) if scores[place].value == best]
        return Choice(pick(self._dice, among), scores, "weighed")


class Approximate(_Weighing):
    """By its own decisions. ``block_tokens``, ``num_entries``: what the engine reports (None: the worker's
    own figures; an engine that reports nothing has 16 and 31,250)."""

    name: ClassVar[str] = "llm_d_approximate"

    def __init__(
        self,
        seed: int = 0,
        *,
        weights: Weights = Weights(),
        block_tokens: int | None = None,
        num_entries: int | None = None,
    ) -> None:
        super().__init__(seed, weights)
        self._block_tokens = block_tokens
        self._num_entries = num_entries
        self._pods: dict[bytes, set[int]] = {}  # what matching looks into
        self._lru: dict[int, OrderedDict[bytes, None]] = {}
        self._num: dict[int, int] = {}  # blocks by pod in the look-up table
        self._size = LEAST_BLOCK_TOKENS

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Match, weigh, decide, write down."""
        self._size = max(self._block_tokens or workers[0].block_size, LEAST_BLOCK_TOKENS)
        blocks = chained(ask.tokens[:MOST_PROMPT_TOKENS], self._size, partial=True)
        matched, marks = self.match(blocks, len(workers))
        believed = [min(count * self._size, ask.num_tokens) for count in matched]
        choice = self._choose(workers, [count / len(blocks) for count in matched], believed, marks)
        worker = workers[choice.worker]
        self.add(choice.worker, blocks, self._num_entries or worker.num_blocks or DEFAULT_ENTRIES)
        return choice

    def match(self, blocks: Sequence[bytes], num_workers: int) -> tuple[list[int], list[Mark]]:
        """For each pod how many blocks it has of those up to the first that nobody has."""
        found = [0] * num_workers
        for block in blocks:
            pods = self._pods.get(block)
            if not pods:
                break
            for pod in pods:
                found[pod] += 1
        head = self._pods.get(blocks[0], set())
        marks: list[Mark] = [
            "headless" if count and pod not in head else "" for pod, count in enumerate(found)
        ]
        for pod, count in enumerate(found):
            if not count and any(pod in self._pods.get(block, ()) for block in blocks[1:]):
                marks[pod] = "head_lost"
        return found, marks

    def add(self, pod: int, blocks: Sequence[bytes], num_entries: int) -> None:
        """Head first into the pod's LRU; what falls out of it there leaves the table, and then all are in
        it."""
        lru = self._lru.setdefault(pod, OrderedDict())
        for block in blocks:
            lru[block] = None
            lru.move_to_end(block)
            if len(lru) > num_entries:
                self._leave(pod, lru.popitem(last=False)[0])
        for block in blocks:
            pods = self._pods.setdefault(block, set())
            self._num[pod] = self._num.get(pod, 0) + (pod not in pods)
            pods.add(pod)

    def _leave(self, pod: int, block: bytes) -> None:
        pods = self._pods.get(block)
        if pods and pod in pods:
            pods.remove(pod)
            self._num[pod] -= 1
            if not pods:
                del self._pods[block]

    def believed_total(self, worker: int) -> int:
        """Entries in the table, each a block."""
        return self._num.get(worker, 0) * self._size

    def removed(self, worker: int, at_s: float) -> None:
        """Its entries go."""
        for block in [block for block, pods in self._pods.items() if worker in pods]:
            self._leave(worker, block)
        self._lru.pop(worker, None)


class Precise(_Weighing):
    """By KV events."""

    name: ClassVar[str] = "llm_d_precise"
    wants_kv: ClassVar[bool] = True

    def __init__(self, seed: int = 0, *, weights: Weights = Weights()) -> None:
        super().__init__(seed, weights)
        self._index = KVIndex(MOST_PODS_PER_BLOCK)
        self._size = 1

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Match, weigh, decide."""
        self._size = workers[0].block_size
        chain = ask.chain(self._size)
        matched = self._index.matched(chain, len(workers))
        believed = [count * self._size for count in matched]
        return self._choose(
            workers, [count / max(len(chain), 1) for count in matched], believed, [""] * len(workers)
        )

    def kv(self, worker: int, event: KVEvent, at_s: float) -> None:
        """A cache tells."""
        self._index.take(worker, event)

    def believed_total(self, worker: int) -> int:
        """Blocks in the index."""
        return self._index.num_blocks(worker) * self._size

    def removed(self, worker: int, at_s: float) -> None:
        """Its blocks go."""
        self._index.forget(worker)
