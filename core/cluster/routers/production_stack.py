"""vLLM production-stack (``routing_logic.py`` read, its class run): ``prefixaware``, ``kvaware``,
``loadaware``.

prefixaware: a trie over pieces of 128 characters, each by its hash, the shorter last one as it is. The set
of workers shrinks along the path; one of those left is taken at random. It never forgets and looks at no
load. A prompt of which nothing is known goes anywhere.

kvaware asks the LMCache controller and takes the *first* instance in its answer if that holds at least n -
2000 tokens; so of a prompt of at most 2000 tokens any entry will do. Else the session's ring, else as it
comes. loadaware (from a document): the most of matched / n - beta x (load - mean) / max(1, mean)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xxhash import xxh3_64_digest

from core.cluster.router import Ask, Choice, Router, Score, Units, Worker, healthy, pick

CHUNK_CHARS = 128
KV_SLACK_TOKENS = 2000


class _Piece:
    """A place in the trie, and who was sent what begins like this."""

    __slots__ = ("children", "workers")

    def __init__(self) -> None:
        self.children: dict[bytes, _Piece] = {}
        self.workers: set[int] = set()


class PrefixAware(Router):
    """``chars_per_unit``: of a token, where token ids stand for a text. ``coarser``: pieces so many times as
    long, for a trace that shares nothing shorter: the trie never forgets, and its places take memory."""

    name: ClassVar[str] = "production_stack"

    def __init__(self, seed: int = 0, *, chars_per_unit: int = 1, coarser: int = 1) -> None:
        self._dice = np.random.default_rng([seed, 31])
        self._size = CHUNK_CHARS // chars_per_unit * coarser
        self._root = _Piece()
        self._total: dict[int, int] = {}

    def choose(self, ask: Ask, workers: Sequence[Worker]) -> Choice:
        """Any of those whose path is the longest."""
        among = set(healthy(workers))
        pieces = self._pieces(ask.units)
        reach, left, num = dict.fromkeys(among, 0), among, 0
        node: _Piece | None = self._root
        for piece in pieces:
            node = node.children.get(piece) if node else None
            if node is None or not node.workers & left:
                break
            left = left & node.workers
            num += 1
            reach.update(dict.fromkeys(left, num))
        scores = tuple(self._score(ask, reach.get(place)) for place in range(len(workers)))
        worker = pick(self._dice, sorted(left))
        self._insert(pieces, worker)
        return Choice(worker, scores, "matched" if num else "unknown_prompt")

    def believed_total(self, worker: int) -> int:
        """Every piece it was ever sent."""
        return self._total.get(worker, 0) * self._size

    def removed(self, worker: int, at_s: float) -> None:
        """Dead workers stay in the trie and are left out when choosing."""

    def _pieces(self, units: Units) -> list[bytes]:
        data, width = np.ascontiguousarray(units, "<u4").tobytes(), 4 * self._size
        return [xxh3_64_digest(data[at : at + width]) for at in range(0, len(data), width)]

    def _score(self, ask: Ask, num_pieces: int | None) -> Score:
        if num_pieces is None:
            return Score(None, 0)
        matched = num_pieces * self._size  # the last piece counts whole even where it is shorter
        return Score(matched, min(matched, len(ask.units)) * ask.num_tokens // len(ask.units))

    def _insert(self, pieces: Sequence[bytes], worker: int) -> None:
        node = self._root
        for piece in pieces:
            node = node.children.setdefault(piece, _Piece())
            if worker not in node.workers:
                node.workers.add(worker)
                self._total[worker] = self._total.get(worker, 0) + 1


def kv_accepted(num_tokens: int, matched: int) -> bool:
    """Whether kvaware takes the controller's first instance."""
    return matched >= max(num_tokens - KV_SLACK_TOKENS, 0)


def load_aware_value(matched: int, num_tokens: int, load: int, mean_load: float, beta: float = 1.0) -> float:
    """What loadaware maximizes."""
    return matched / num_tokens - beta * (load - mean_load) / max(1.0, mean_load)
