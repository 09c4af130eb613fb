"""NVIDIA Dynamo's KV router (``lib/kv-router/src/scheduling`` read: config, selector).

cost = scale x max(0, (prefill tokens at work + prompt) / block - credit x overlap) + decode blocks; the
lowest wins, any of equals; with a temperature T > 0 dice with the weights exp(-cost / ((most - least) x
T)). Decode blocks: the distinct blocks of the live requests, and this request's not among them; what is
cached and idle counts as new there. Prefill tokens leave with the first output token, blocks at the end.

Overlap comes from KV events, or, without them, from its own decisions, forgotten after 120 s. Of the
prefill tokens at work those that the router took for cached are left out (our reading). Not here: host,
disk and shared tiers, and the parking of requests when every worker has more than 16 steps' worth of
prefill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core.cluster.kv_index import Decided, KVIndex
from core.cluster.router import Ask, Choice, Router, Score, Worker, healthy, pick
from core.engine.kv_events import KVEvent
from core.types import BlockHash

TTL_S = 120.0


def chances(costs: Sequence[float], temperature: float) -> list[float]:
    """How likely each is with a temperature above 0."""
    spread = max(costs) - min(costs)
    scaled = np.array([-(cost - min(costs)) / (spread * temperature) if spread else 0.0 for cost in costs])
    weights = np.exp(scaled)
    return [float(share) for share in weights / weights.sum()]


class Dynamo(Router):
    """``scale``: weight of the prefill part; ``credit``: what an overlapping block is worth."""

    name: ClassVar[str] = "dynamo"
    lowest_wins: ClassVar[bool] = True
    wants_kv: ClassVar[bool] = True

    def __init__(
        self,
        seed: int = 0,
        *,
        scale: float = 1.0,
        credit: float = 1.0,
        temperature: float = 0.0,
        by_events: bool = True,
    ) -> None:
        self._dice = np.random.default_rng([seed, 51])
        self._scale, self._credit, self._temperature = scale, credit, temperature
        self._index = KVIndex() if by_events else None
        self._decided = Decided(TTL_S)
        self._prefill: dict[int, tuple[int, int]] = {}  # request -> worker, tokens
        self._at_work: dict[int, int] = {}  # worker -> prefill tokens
        self._held: dict[int, tuple[int, tuple[BlockHash, ...], int]] = {}
        self._blocks: dict[int, dict[BlockHash, int]] = {}  # worker -> live blocks, how often
        self._tails: dict[int, int] = {}  # worker -> blocks that are not full
        self._size = 1

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Cost, lowest or dice, write down."""
        self._size = size = workers[0].block_size
        self._decided.expire(ask.at_s)
        chain = ask.chain(size)
        source = self._decided if self._index is None else self._index
        overlap = source.matched(chain, len(workers))
        parts = [self._parts(ask, place, chain, overlap[place]) for place in range(len(workers))]
        scores = tuple(
            Score(
                sum(part) if workers[place].healthy else None,
                overlap[place] * size,
                parts=(("prefill", part[0]), ("decode", part[1])),
            )
            for place, part in enumerate(parts)
        )
        worker = self._decide(healthy(workers), [sum(part) for part in parts])
        self._send(ask, worker, chain, overlap[worker])
        return Choice(worker, scores, "dice" if self._temperature else "lowest_cost")

    def _parts(self, ask: Ask, worker: int, chain: Sequence[BlockHash], overlap: int) -> tuple[float, float]:
        ahead = (self._at_work.get(worker, 0) + ask.num_tokens) / self._size
        live = self._blocks.get(worker, {})
        new = sum(digest not in live for digest in chain) + (ask.num_tokens % self._size > 0)
        decode = len(live) + self._tails.get(worker, 0) + new
        return self._scale * max(0.0, ahead - self._credit * overlap), float(decode)

    def _decide(self, among: Sequence[int], costs: Sequence[float]) -> int:
        if self._temperature:
            weights = chances([costs[place] for place in among], self._temperature)
            return among[int(self._dice.choice(len(among), p=weights))]
        least = min(costs[place] for place in among)
        return pick(self._dice, [place for place in among if costs[place] == least])

    def _send(self, ask: Ask, worker: int, chain: tuple[BlockHash, ...], overlap: int) -> None:
        tokens = max(ask.num_tokens - overlap * self._size, 0)
        self._prefill[ask.number] = (worker, tokens)
        self._at_work[worker] = self._at_work.get(worker, 0) + tokens
        live = self._blocks.setdefault(worker, {})
        for digest in chain:
            live[digest] = live.get(digest, 0) + 1
        tail = int(ask.num_tokens % self._size > 0)
        self._tails[worker] = self._tails.get(worker, 0) + tail
        self._held[ask.number] = (worker, chain, tail)
        if self._index is None:
            self._decided.sent(worker, chain, ask.at_s)

    def first_token(self, number: int, worker: int, at_s: float) -> None:
        """Its prefill is over."""
        if number in self._prefill:
            self._at_work[worker] -= self._prefill.pop(number)[1]

    def finished(self, number: int, worker: int, at_s: float) -> None:
        """Its blocks are nobody's."""
        self.first_token(number, worker, at_s)
        _, chain, tail = self._held.pop(number)
        live = self._blocks[worker]
        for digest in chain:
            live[digest] -= 1
            if not live[digest]:
                del live[digest]
        self._tails[worker] -= tail

    def kv(self, worker: int, event: KVEvent, at_s: float) -> None:
        """A cache tells."""
        if self._index is not None:
            self._index.take(worker, event)

    def believed_total(self, worker: int) -> int:
        """Blocks it knows of there."""
        source = self._decided if self._index is None else self._index
        return source.num_blocks(worker) * self._size

    def removed(self, worker: int, at_s: float) -> None:
        """Its blocks go."""
        (self._decided if self._index is None else self._index).forget(worker)
