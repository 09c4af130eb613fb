"""The numpy backend: real prefill wherever Broth runs, with nothing to install."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.backends.base import Floats
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.decoders.device import cpu_name
from core.backends.decoders.numpy_decoder import Ids, NumpyPool, forward
from core.backends.decoders.threads import use_numpy_threads
from core.backends.rope import RopeTables
from core.backends.spec import DecoderSpec
from core.backends.weights import Weights
from core.types import BlockId


class NumpyBackend(DecoderBackend[NumpyPool]):
    """The decoder in float32 on the CPU."""

    name = "numpy"

    def __init__(self, spec: DecoderSpec, weights: Weights[Floats], threads: int = 1) -> None:
        super().__init__(spec, threads)
        self.weights = weights
        self._rope = RopeTables(spec, lambda table: table)
        self.device = cpu_name()

    def _new_pool(self, num_blocks: int, block_size: int) -> NumpyPool:
        return NumpyPool(self.spec, num_blocks, block_size)

    def _forward(self, pool: NumpyPool, token_ids: Ids, start: int, block_table: Sequence[BlockId]) -> Floats:
        return forward(self.spec, self.weights, self._rope, pool, token_ids, start, block_table, self.watch)

    def _use_threads(self) -> bool:
        return use_numpy_threads(self.threads)

    def poison(self, block_ids: Sequence[BlockId]) -> None:
        """Overwrite free blocks with NaN."""
        self._pool_or_raise().poison(block_ids)

    def kv(self, block_table: Sequence[BlockId], count: int) -> tuple[Floats, Floats]:
        """K and V of the first ``count`` tokens behind a table."""
        pool = self._pool_or_raise()
        blocks = np.asarray(block_table, np.int64)[: -(-count // pool.block_size)]
        both = [pool.read(layer, blocks, count) for layer in range(self.spec.num_layers)]
        return np.stack([keys for keys, _ in both]), np.stack([values for _, values in both])
