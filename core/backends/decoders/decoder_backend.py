"""What numpy and torch share: pools, clocks, checks, and the second computation that verifies the first."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

from core.backends.base import Difference, Floats, PrefillResult, compare
from core.backends.decoders.numpy_decoder import Ids, Watch
from core.backends.memory import page_faults, refuse_if_short
from core.backends.plan import Plan
from core.backends.spec import DecoderSpec
from core.errors import BackendError
from core.types import BlockId

Pool = TypeVar("Pool")
_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


class DecoderBackend(ABC, Generic[Pool]):
    """A real decoder over a paged pool. The weights may be shared by many backends, the pool is its own."""

    name: str
    device: str  # what computes, for people
    dtype = "float32"

    def __init__(self, spec: DecoderSpec, threads: int) -> None:
        self.spec = spec
        self.threads = threads
        self.holds_threads = True  # False once the library would not let its threads be set
        self.watch: Watch | None = None  # who looks on; None while the clock matters
        self._block_size = 16
        self._pool: Pool | None = None

    @property
    def exact(self) -> bool:
        """Whether the logits of a hit and a miss agree within ``LIMIT``: only float32 is fine enough."""
        return self.dtype == "float32"

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of K and V that one token takes in the pool."""
        return self.spec.kv_bytes_per_token(_BYTES[self.dtype])

    # -- what numpy and torch do their own way ----------------------------------------------------------

    @abstractmethod
    def _new_pool(self, num_blocks: int, block_size: int) -> Pool: ...

    @abstractmethod
    def _forward(self, pool: Pool, token_ids: Ids, start: int, block_table: Sequence[BlockId]) -> Floats:
        """Compute, wait until it is done, give the last token's logits."""

    @abstractmethod
    def _use_threads(self) -> bool:
        """Set the number of compute threads for this thread; False if that cannot be arranged."""

    @abstractmethod
    def poison(self, block_ids: Sequence[BlockId]) -> None:
        """Overwrite free blocks with NaN: whoever reads one of them by mistake gets NaN logits."""

    @abstractmethod
    def kv(self, block_table: Sequence[BlockId], count: int) -> tuple[Floats, Floats]:
        """K and V of the first ``count`` tokens behind a table, shape [layers, count, kv heads, d]."""

    def _cpu_clock(self, alone: bool) -> float | None:
        """CPU seconds. With one compute thread this thread's own, so that nobody else's work counts. Windows
        counts them in steps of 16 ms, longer than what is measured here."""
        if sys.platform == "win32":
            return None
        return time.thread_time() if alone else time.process_time()

    def _free_on_device(self) -> int | None:
        """Bytes free where the pool goes; None for the machine's own memory."""
        return None

    # -- the protocol -----------------------------------------------------------------------------------

    def reserve(self, num_blocks: int, block_size: int) -> None:
        """A new pool, all NaN.

        Raises:
            BackendError: too little memory for it.
        """
        self._block_size = block_size
        self._pool = None  # give the old one back first
        need = num_blocks * block_size * self.kv_bytes_per_token
        refuse_if_short(need, f"K/V, {num_blocks} x {block_size} tokens", self._free_on_device())
        self._pool = self._new_pool(num_blocks, block_size)

    def prefill(self, plan: Plan) -> PrefillResult:
        """Compute the plan's new tokens."""
        return self._run(self._pool_or_raise(), plan.token_ids, plan.num_cached, plan.block_table)

    def decode(self, token_id: int, position: int, block_table: Sequence[BlockId]) -> PrefillResult:
        """Compute one token."""
        return self._timed(self._pool_or_raise(), self._ids([token_id]), position, block_table)

    def recompute(self, token_ids: Sequence[int]) -> PrefillResult:
        """Compute all tokens in blocks of its own: what the answer would be without any cache."""
        num_blocks = -(-len(token_ids) // self._block_size)
        pool = self._new_pool(num_blocks, self._block_size)
        return self._run(pool, token_ids, 0, range(num_blocks))

    def verify(self, plan: Plan) -> Difference:
        """The plan's logits against those of a recomputation."""
        return compare(_logits(self.prefill(plan)), _logits(self.recompute(plan.token_ids)))

    # -- inside -----------------------------------------------------------------------------------------

    def _pool_or_raise(self) -> Pool:
        if self._pool is None:
            raise RuntimeError("reserve() a pool before computing")
        return self._pool

    def _run(
        self, pool: Pool, token_ids: Sequence[int], start: int, block_table: Sequence[BlockId]
    ) -> PrefillResult:
        return self._timed(pool, self._ids(token_ids[start:]), start, block_table)

    def _timed(self, pool: Pool, ids: Ids, start: int, block_table: Sequence[BlockId]) -> PrefillResult:
        self._refuse_too_long(start + len(ids))
        self.holds_threads = self._use_threads()
        alone = self.holds_threads and self.threads == 1
        faults = page_faults()
        cpu, wall = self._cpu_clock(alone), time.perf_counter()
        logits = self._forward(pool, ids, start, block_table)
        wall = time.perf_counter() - wall
        after = self._cpu_clock(alone)
        cpu_s = None if cpu is None or after is None else after - cpu
        handed = None if faults is None or cpu_s is None else (page_faults() or 0) - faults
        return PrefillResult(logits, len(ids), self.spec.prefill_flops(len(ids), start), wall, cpu_s, handed)

    def _ids(self, token_ids: Sequence[int]) -> Ids:
        """Token ids as rows of the embedding."""
        ids = np.asarray(token_ids, np.int64)
        if self.spec.folds_tokens:
            return ids % self.spec.vocab_size
        if len(ids) and int(ids.max()) >= self.spec.vocab_size:
            raise BackendError(
                "backend.token",
                f"Token {int(ids.max())} is not in this model's vocabulary of {self.spec.vocab_size} tokens. "
                "Cut the text with the model's own tokenizer.",
                token=int(ids.max()),
                size=self.spec.vocab_size,
            )
        return ids

    def _refuse_too_long(self, count: int) -> None:
        if count > self.spec.max_positions:
            raise BackendError(
                "backend.too_long",
                f"{count} tokens are more than this model takes ({self.spec.max_positions}). "
                "Shorten the prompt or the answer.",
                count=count,
                limit=self.spec.max_positions,
            )


def _logits(result: PrefillResult) -> Floats:
    assert result.logits is not None
    return result.logits
