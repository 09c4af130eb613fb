"""What a router knows that listens to KV events, or that goes by its own decisions: which worker has which
block."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from core.engine.kv_events import KVCleared, KVEvent, KVStored
from core.types import BlockHash


class KVIndex:
    """Blocks by their engine's own identity, as the workers' KV events tell them. ``most_per_block``: at
    most so many workers are remembered for a block, the one that told it last goes last (None: all)."""

    def __init__(self, most_per_block: int | None = None) -> None:
        self._most = most_per_block
        self._workers: dict[BlockHash, dict[int, int]] = {}  # copies by worker, the last told at the end
        self._num: dict[int, int] = {}

    def take(self, worker: int, event: KVEvent) -> None:
        """A worker tells. A block may be there more than once, so copies are counted."""
        if isinstance(event, KVStored):
            for digest in event.block_hashes:
                self._add(worker, digest)
        elif isinstance(event, KVCleared):
            self.forget(worker)
        else:
            self._drop(worker, event.block_hash)

    def _add(self, worker: int, digest: BlockHash) -> None:
        workers = self._workers.setdefault(digest, {})
        copies = workers.pop(worker, 0)
        workers[worker] = copies + 1
        self._num[worker] = self._num.get(worker, 0) + (copies == 0)
        if self._most is not None and len(workers) > self._most:
            pushed_out = next(iter(workers))
            del workers[pushed_out]
            self._num[pushed_out] -= 1

    def _drop(self, worker: int, digest: BlockHash) -> None:
        workers = self._workers.get(digest, {})
        if worker not in workers:
            return  # pushed out before
        workers[worker] -= 1
        if not workers[worker]:
            del workers[worker]
            self._num[worker] -= 1
            if not workers:
                del self._workers[digest]

    def forget(self, worker: int) -> None:
        """It has nothing any more."""
        for digest in [one for one, workers in self._workers.items() if worker in workers]:
            del self._workers[digest][worker]
            if not self._workers[digest]:
                del self._workers[digest]
        self._num[worker] = 0

    def num_blocks(self, worker: int) -> int:
        """Blocks it is thought to have."""
        return self._num.get(worker, 0)

    def matched(self, chain: Sequence[BlockHash], num_workers: int) -> list[int]:
        """For each worker, blocks from the head on without a gap. O(hits x workers)."""
        found = [0] * num_workers
        alive = set(range(num_workers))
        for digest in chain:
            alive &= self._workers.get(digest, {}).keys()
            if not alive:
                break
            for worker in alive:
                found[worker] += 1
        return found


class Decided:
    """Blocks by the router's own decisions, each forgotten ``ttl_s`` after it was last sent there."""

    def __init__(self, ttl_s: float) -> None:
        self._ttl_s = ttl_s
        self._until: OrderedDict[tuple[int, BlockHash], float] = OrderedDict()  # in order of forgetting
        self._num: dict[int, int] = {}

    def expire(self, now_s: float) -> None:
        """Time has passed."""
        while self._until and next(iter(self._until.values())) <= now_s:
            (worker, _), _ = self._until.popitem(last=False)
            self._num[worker] -= 1

    def sent(self, worker: int, chain: Sequence[BlockHash], now_s: float) -> None:
        """A prompt with these blocks goes there."""
        for digest in chain:
            key = (worker, digest)
            self._num[worker] = self._num.get(worker, 0) + (key not in self._until)
            self._until[key] = now_s + self._ttl_s
            self._until.move_to_end(key)

    def forget(self, worker: int) -> None:
        """It is gone."""
        for key in [key for key in self._until if key[0] == worker]:
            del self._until[key]
        self._num[worker] = 0

    def num_blocks(self, worker: int) -> int:
        """Blocks it is thought to have."""
        return self._num.get(worker, 0)

    def matched(self, chain: Sequence[BlockHash], num_workers: int) -> list[int]:
        """For each worker, blocks from the head on without a gap."""
        until = self._until
        return [
            next((at for at, digest in enumerate(chain) if (worker, digest) not in until), len(chain))
            for worker in range(num_workers)
        ]
