"""AIBrix's ``prefix-cache`` (aibrix e3e10f9e read).

Running requests further apart than 8 -> only the least loaded pods stay candidates. Blocks of 4 *bytes*,
full ones only, chained hashes, one LRU of 200,000 blocks for all pods, forgotten after 20 minutes. Percent
= whole number of (i + 1) x 100 / blocks. By percent, then fewer running, then at random: the first with
running <= mean + one sample standard deviation; if none, the least loaded."""

from __future__ import annotations

import statistics
from collections import OrderedDict
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core.cluster.chains import chained
from core.cluster.router import Ask, Choice, Router, Score, Units, Worker, healthy
from core.cluster.routers.plain import least_loaded
from core.texts import text_bytes

BLOCK_BYTES = 4
NUM_BLOCKS = 200_000
TTL_S = 20 * 60.0
MOST_SPREAD = 8


class AIBrixPrefix(Router):
    """``coarser``: blocks so many times as long and as many times fewer of them, where a trace shares nothing
    shorter: the same room for the same bytes."""

    name: ClassVar[str] = "aibrix"

    def __init__(self, seed: int = 0, *, coarser: int = 1) -> None:
        self._dice = np.random.default_rng([seed, 71])
        self._coarser = coarser
        self._most = NUM_BLOCKS // coarser
        self._lru: OrderedDict[bytes, tuple[float, set[int]]] = OrderedDict()
        self._num: dict[int, int] = {}
        self._tokens_per_block = 1.0

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Match, decide, write down."""
        blocks = chained(bytes_of(ask), BLOCK_BYTES * self._coarser, partial=False)
        self._tokens_per_block = ask.num_tokens / len(blocks) if blocks else 1.0
        matched = self._match(blocks, len(workers), ask.at_s)
        percents = [count * 100 // len(blocks) if blocks else 0 for count in matched]
        scores = tuple(
            Score(percents[place] if one.healthy else None, int(matched[place] * self._tokens_per_block))
            for place, one in enumerate(workers)
        )
        worker, why = self.decide(percents, workers)
        self._add(worker, blocks, ask.at_s)
        return Choice(worker, scores, why)

    def decide(self, percents: Sequence[int], workers: Sequence[Worker]) -> tuple[int, str]:
        """Whom these matches and loads lead to."""
        among = healthy(workers)
        running = {place: workers[place].load for place in among}
        if max(running.values()) - min(running.values()) > MOST_SPREAD:
            among = [place for place in among if running[place] == min(running.values())]
        deviation = statistics.stdev(running.values()) if len(running) > 1 else 0.0
        limit = statistics.mean(running.values()) + deviation
        shuffled = [among[int(at)] for at in self._dice.permutation(len(among))]
        matching = [place for place in shuffled if percents[place] > 0]
        for place in sorted(matching, key=lambda place: (-percents[place], running[place])):
            if running[place] <= limit:
                return place, "matched"
        return least_loaded(workers, among, self._dice), "least_load"

    def _match(self, blocks: Sequence[bytes], num_workers: int, now_s: float) -> list[int]:
        found = [0] * num_workers
        alive = set(range(num_workers))
        for block in blocks:
            at_s, pods = self._lru.get(block, (0.0, set()))
            alive &= pods if now_s - at_s <= TTL_S else set()
            if not alive:
                break
            self._lru.move_to_end(block)
            for pod in alive:
                found[pod] += 1
        return found

    def _add(self, pod: int, blocks: Sequence[bytes], now_s: float) -> None:
        for block in blocks:
            pods = self._lru.pop(block, (0.0, set()))[1]
            self._num[pod] = self._num.get(pod, 0) + (pod not in pods)
            pods.add(pod)
            self._lru[block] = (now_s, pods)
            if len(self._lru) > self._most:
                for one in self._lru.popitem(last=False)[1][1]:
                    self._num[one] -= 1

    def believed_total(self, worker: int) -> int:
        """Its blocks in the index, tokens as the last prompt had them in a block."""
        return int(self._num.get(worker, 0) * self._tokens_per_block)

    def removed(self, worker: int, at_s: float) -> None:
        """No block is its any more."""
        for _, pods in self._lru.values():
            pods.discard(worker)
        self._num[worker] = 0


def bytes_of(ask: Ask) -> Units:
    """The prompt's bytes, one a unit: its text as UTF-8, else four for each token id."""
    if ask.text is not None:
        return np.frombuffer(text_bytes(ask.text), np.uint8).astype(np.uint32)
    return np.frombuffer(np.ascontiguousarray(ask.tokens, "<u4").tobytes(), np.uint8).astype(np.uint32)
