"""A bench: one engine, one backend, and requests that go through both. What experiments are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.backends.base import Difference, PrefillResult
from core.backends.decoders.decoder_backend import DecoderBackend
from core.backends.plan import Plan, PlanReader
from core.engine.engine import Engine
from core.types import EngineConfig, Request


class Bench:
    """The engine decides what is a hit, the backend computes the rest: nothing here chooses for them."""

    def __init__(
        self, backend: DecoderBackend[Any], num_blocks: int, block_size: int = 16, seed: int = 0
    ) -> None:
        self.backend = backend
        self.block_size = block_size
        self._reader = PlanReader()
        self.engine = Engine(EngineConfig(block_size=block_size, num_blocks=num_blocks), self._reader)
        self._dice = np.random.default_rng(seed)
        self._num_requests = 0
        backend.reserve(num_blocks, block_size)

    def fresh(self, count: int) -> tuple[int, ...]:
        """Tokens that no earlier request had, but for a chance of nearly nothing."""
        return tuple(self._dice.integers(0, self.backend.spec.vocab_size, count).tolist())

    def plan(self, token_ids: tuple[int, ...], *, private: bool = False) -> tuple[str, Plan]:
        """Admit a request; its id and the engine's plan. A ``private`` one reads no cached blocks, and those
        that it stores are no hit for others."""
        self._num_requests += 1
        request_id = f"user {self._num_requests}"
        salt = "private" if private else None
        outcome = self.engine.start(Request(request_id, token_ids, salt=salt, skip_read=private))
        if not outcome.ok:
            raise RuntimeError(f"the bench's pool is too small for {len(token_ids)} tokens")
        (plan,) = self._reader.take()
        return request_id, plan

    def serve(self, token_ids: tuple[int, ...], *, private: bool = False) -> tuple[Plan, PrefillResult]:
        """One request from beginning to end: admitted, computed, its blocks released."""
        request_id, plan = self.plan(token_ids, private=private)
        result = self.backend.prefill(plan)
        self.engine.free(request_id)
        return plan, result

    def verify(self, token_ids: tuple[int, ...]) -> Difference:
        """One request whose logits are compared with those of a computation without any cache."""
        request_id, plan = self.plan(token_ids)
        difference = self.backend.verify(plan)
        self.engine.free(request_id)
        return difference
